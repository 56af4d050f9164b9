"""A phone that watches: started as some user on the second controller, and what the box says of it."""

import json
import pathlib
import time

from installed import PASSWORD
from machine import run


def alice(context):
    """Alice's phone; its files are hers, since an ordinary user watches."""
    if not hasattr(context, "alice"):
        context.alice = context.box.phone("alice").enrol("alice", password=PASSWORD)
    return context.alice


def watch(context, as_user="root", words=()):
    """Follows the box on the second controller, as a user whose the phone's files are then."""
    phone = alice(context)
    run("chown", "-R", as_user, str(phone.directory))
    run("chmod", "o+x", str(context.box.directory))
    argv = ["setpriv", f"--reuid={as_user}", f"--regid={as_user}", "--init-groups", "/usr/bin/boxphone", "watch",
            "--json", "--directory", phone.directory, *context.box.radio.words("hci1"), *words]
    return context.box.run_program(argv, f"watch-{time.monotonic_ns()}")


def hears(dbm):
    """What the controllers measure from now on (image/btvirt-shim.c); those for LE alone cannot."""
    pathlib.Path("/run/btvirt-rssi").write_text(f"{dbm}\n")


def explained(context):
    phones = json.loads(context.box.command("status", "--explain", "--json").ok())["presence"]
    return phones[0] if phones else {"state": "unknown", "samples": 0, "why": ""}
