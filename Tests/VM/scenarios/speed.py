"""Side by side with the smallest programs that move the same bytes (floor/), turn by turn in one guest: ratios, since
the emulated machine's own speed says nothing. The box is hci0, the floor's server hci2; the phone's side is hci1."""

import json
import statistics

from installed import PASSWORD
from machine import SHARE, Controllers, air_log, note, run, wait_until
from scenario import scenario

CONTROLLERS = 3
# What our values and SDUs hold at ATT_MTU 517; the floor's are as large.
VALUE_BYTES, SDU_BYTES = 244, 1024
GATT_BYTES, L2CAP_BYTES = 4096, 65536
PSM = 0xd5
ROUNDS = 5
FLOOR = SHARE / "floor"


def server(context):
    if not hasattr(context, "server"):
        context.server = context.box.run_program(
            [FLOOR / "gatt_server", "hci2", GATT_BYTES, VALUE_BYTES], "gatt-server")
        context.server.wait_for("advertising")
    return context.server


def quiet(context):
    """No link is up: what went before is over."""
    wait_until(lambda: not context.bluetoothd.connected("hci1"), of="links are down", pause=0.1)


def floor_gatt(context, count):
    server(context)
    quiet(context)
    return json.loads(run(FLOOR / "gatt_client", "hci1", GATT_BYTES, VALUE_BYTES, count).stdout)


@scenario("floor alone", ("bluez", "loopback"))
def floor_alone(context):
    for _ in range(3):
        with air_log("floor"):
            note(str(floor_gatt(context, 5)))
    quiet(context)
    listener = context.box.run_program([FLOOR / "l2cap", "listen", Controllers.address("hci2"), PSM, L2CAP_BYTES, SDU_BYTES], "l2cap")
    listener.wait_for("listening")
    for _ in range(2):
        note(run(FLOOR / "l2cap", "echo", Controllers.address("hci2"), PSM, L2CAP_BYTES, SDU_BYTES, 4, Controllers.address("hci1")).stdout)
