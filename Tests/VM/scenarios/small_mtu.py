"""ATT_MTU 48, the least that bluetoothd accepts. Below it, bluetoothd cannot listen on BR/EDR and drops its adapters. A value holds
45 bytes, of which 43 are a segment. Bumble tests ATT_MTU 23, in other_stack."""

from machine import air_log
from scenario import scenario
from stock import alice, box_held, ping

CONTROLLERS = 2
ATT_MTU = 48


@scenario("A phone is enrolled and logs in, in segments of at most 43 bytes")
def log_in(context):
    phone = alice(context)
    with air_log("small"):
        context.box.login(phone)


@scenario("Messages of 1 to 20,000 bytes come back as they were sent")
def pings(context):
    for size in (1, 43, 4096, 20000):
        ping(context, size, "gatt", count=2)


__all__ = ["box_held", "log_in", "pings"]
