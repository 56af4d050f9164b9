"""ATT_MTU 23, the least there is: a value holds 20 bytes, 18 of them a segment."""

from machine import air_log
from scenario import scenario
from stock import alice, box_held, ping

CONTROLLERS = 2
ATT_MTU = 23


@scenario("A phone is enrolled and logs in, in segments of 18 bytes")
def log_in(context):
    phone = alice(context)
    with air_log("small"):
        context.box.login(phone)


@scenario("Messages of 1 to 20,000 bytes come back as they were sent")
def pings(context):
    for size in (1, 18, 4096, 20000):
        ping(context, size, "gatt", count=2)


__all__ = ["box_held", "log_in", "pings"]
