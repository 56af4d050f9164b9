"""bluetoothd as Debian 12 configures it: EATT with three channels, on which segments can overtake each other."""

import json

from installed import PASSWORD
from machine import air_log, note
from scenario import scenario

CONTROLLERS = 2
STOCK = True


def alice(context):
    if not hasattr(context, "alice"):
        context.alice = context.box.phone("alice").enrol("alice", password=PASSWORD)
    return context.alice


@scenario("A phone is enrolled and logs in")
def log_in(context):
    for _ in range(3):
        context.box.login(alice(context))


def ping(context, size, via, count=5):
    out = alice(context).command(
        "ping", "--size", str(size), "--count", str(count), "--via", via, "--json").ok()
    report = json.loads(out.splitlines()[-1])
    assert report["bearer"] == via, report
    note(f"{size} bytes over {via}, in segments of {report['segment_bytes']}: median "
         f"{report['median_microseconds'] / 1000:.1f} ms")


@scenario("Messages of 1 to 65,000 bytes come back as they were sent, over GATT")
def pings(context):
    with air_log("stock"):
        for size in (1, 244, 4096, 20000, 65000):
            ping(context, size, "gatt")


@scenario("… and over an L2CAP channel")
def pings_l2cap(context):
    for size in (1, 244, 4096, 20000, 65000):
        ping(context, size, "l2cap")


@scenario("A box-held credential: stored, used with the PIN, and a wrong PIN counted")
def box_held(context):
    phone = context.box.phone("bob").enrol("bob", box_held=True)
    phone.with_secrets("credentials", "set", password=PASSWORD, new_pin=b"2468").ok()
    assert phone.with_secrets("login", pin=b"0000").wait() == 2
    context.box.login(phone, "bob", pin=b"2468")
