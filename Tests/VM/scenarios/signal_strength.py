"""The signal of a real connection, as an ordinary user's phone measures it, and the box's decisions from it."""

from machine import Failed, note, run, wait_until
from scenario import scenario
from watching import alice, explained, hears, watch

# LE-only controllers of btvirt do not support Read RSSI.
DUAL_MODE = True


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
