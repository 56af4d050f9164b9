"""A phone that watches, started as any user on the second controller, and the box's reports about it."""

import json
import pathlib
import time

from installed import PASSWORD
from machine import run


def alice(context):
    """Returns alice's phone. Its files belong to her, because an ordinary user watches."""
    if not hasattr(context, "alice"):
        context.alice = context.box.phone("alice").enrol("alice", password=PASSWORD)
    return context.alice


def watch(context, as_user="root", words=()):
    """Starts `boxphone watch` on the second controller as this user, who then owns the phone's files."""
    phone = alice(context)
    run("chown", "-R", as_user, str(phone.directory))
    run("chmod", "o+x", str(context.box.directory))
    argv = ["setpriv", f"--reuid={as_user}", f"--regid={as_user}", "--init-groups", "/usr/bin/boxphone", "watch",
            "--json", "--directory", phone.directory, *context.box.radio.words("hci1"), *words]
    return context.box.run_program(argv, f"watch-{time.monotonic_ns()}")


def hears(dbm):
    """Sets the signal that the controllers measure from now on (image/btvirt-shim.c). LE-only controllers cannot measure it."""
    pathlib.Path("/run/btvirt-rssi").write_text(f"{dbm}\n")


def explained(context):
    phones = json.loads(context.box.command("status", "--explain", "--json").ok())["presence"]
    return phones[0] if phones else {"state": "unknown", "samples": 0, "why": ""}
