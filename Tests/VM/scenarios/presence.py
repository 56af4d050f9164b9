"""Whether the person is there: the signal of a real connection, a phone that goes, and what follows. A box, a phone that
watches on the second controller and taps on the third: bluetoothd lends a connection to one program."""

import json
import pathlib
import time

import pexpect
from installed import PASSWORD
from machine import Failed, note, run, wait_until
from scenario import scenario

CONTROLLERS = 3
# btvirt's controllers for LE alone do not know Read RSSI.
DUAL_MODE = True
SETTINGS = {"auto_logout.minimum_seconds": "10"}


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
    """What the controllers measure from now on (image/btvirt-shim.c)."""
    pathlib.Path("/run/btvirt-rssi").write_text(f"{dbm}\n")


def explained(context):
    phones = json.loads(context.box.command("status", "--explain", "--json").ok())["presence"]
    return phones[0] if phones else {"state": "unknown", "samples": 0, "why": ""}


@scenario("An ordinary user's phone measures its connection and reports it; the box says what it makes of it")
def measured(context):
    hears(-65)
    watching = watch(context, "alice")
    try:
        phone = wait_until(lambda: (lambda p: p if p["samples"] >= 5 else None)(explained(context)), of="five samples")
    except Failed:
        raise Failed(f"no samples: {explained(context)}; {watching.out}; {watching.err}") from None
    assert phone["connected"] and phone["state"] == "present" and phone["average_tenths_dbm"] == -650, phone
    hears(-90)
    wait_until(lambda: explained(context)["state"] == "away", of="a weak signal is away")
    for line in context.box.command("status", "--explain").ok().splitlines()[-6:]:
        note(line)
    assert "connected" in explained(context) and explained(context)["connected"]
    hears(-45)
    watching.wait_for('"offer":"logIn"')
    assert explained(context)["state"] == "near"
    hears(-65)
    watching.stop()
    run("chown", "-R", "root", str(alice(context).directory))
    wait_until(lambda: not explained(context).get("connected"), of="the phone hangs up")


@scenario("The same over an L2CAP channel")
def measured_over_l2cap(context):
    hears(-72)
    watching = watch(context, words=["--via", "l2cap"])
    wait_until(lambda: explained(context)["samples"] >= 5, of="five samples")
    assert explained(context)["average_tenths_dbm"] == -720, explained(context)
    hears(-65)
    watching.stop()
    wait_until(lambda: not explained(context).get("connected"), of="the phone hangs up")


@scenario("A phone that goes locks its session after 15 s, and ends it after the time that it set")
def goes(context):
    box, tapping = context.box, box_phone(context)
    tapping.command("auto-logout", "30s").ok()
    wait_until(lambda: not context.bluetoothd.connected("hci2"), of="the third controller hangs up")
    watching = watch(context)
    wait_until(lambda: explained(context)["samples"] >= 5, of="the phone is watched")
    terminal = pexpect.spawn("/bin/login", ["alice"], encoding="utf-8", timeout=40)
    box.waiting()
    tapping.command("login").ok()
    terminal.expect(r"alice@rig")
    monitor = box.run_program(
        ["busctl", "monitor", "--match=type='signal',interface='org.freedesktop.login1.Session'"], "logind-signals")
    monitor.wait_for("Monitoring")
    watching.process.kill()
    gone = time.monotonic()
    monitor.wait_for("Member=Lock")
    locked = time.monotonic() - gone
    assert 13 <= locked <= 20, locked
    assert explained(context)["state"] == "away", explained(context)
    terminal.expect(pexpect.EOF)
    ended = time.monotonic() - gone
    note(f"told to lock after {locked:.1f} s, logged out after {ended:.1f} s")
    assert 28 <= ended <= 45, ended
    monitor.stop()
    terminal.close()


def box_phone(context):
    """The same phone's keys, on the third controller."""
    phone = context.box.phone("alice", "hci2")
    phone.directory = alice(context).directory
    return phone

