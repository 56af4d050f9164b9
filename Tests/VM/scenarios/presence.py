"""A phone that leaves, and the consequences. One phone watches on the second controller and taps on the third, because bluetoothd
gives a connection to only one program."""

import time

import console
from installed import TERMINAL
from machine import note, wait_until
from scenario import scenario
from watching import alice, explained, watch

CONTROLLERS = 3
# A command that does nothing stands in for locking. The group `sessions` tests that a locker is started and notified.
SETTINGS = {"auto_logout.minimum_seconds": "10", "sessions.lock_command": '["/bin/true"]'}


@scenario("A phone that goes locks its session after 15 s, and ends it after the time that it set")
def goes(context):
    box, tapping = context.box, box_phone(context)
    tapping.command("auto-logout", "30s").ok()
    wait_until(lambda: not context.bluetoothd.connected("hci2"), of="the third controller hangs up")
    watching = watch(context)
    # LE-only controllers of btvirt cannot measure the signal.
    wait_until(lambda: "no signal strength" in explained(context)["why"], of="the phone is watched")
    terminal = box.run_program(box.on_console("/bin/login", "alice", attach=True), "login")
    box.waiting()
    tapping.command("login").ok()
    console.wait_for(TERMINAL, r"alice@rig")
    watching.process.kill()
    gone = time.monotonic()
    wait_until(lambda: [one["detail"] for one in box.json("audit")][-1] == "lock", of="the session is locked")
    locked = time.monotonic() - gone
    assert 13 <= locked <= 20, locked
    assert explained(context)["state"] == "away", explained(context)
    terminal.wait(60)
    ended = time.monotonic() - gone
    note(f"locked after {locked:.1f} s, logged out after {ended:.1f} s")
    # The connection may survive the killed phone for a while, and the 30 s begin only when the phone counts as away.
    assert 28 <= ended <= 60, ended


def box_phone(context):
    """Returns the same phone, with its keys, on the third controller."""
    phone = context.box.phone("alice", "hci2")
    phone.directory = alice(context).directory
    return phone
