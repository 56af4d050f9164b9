"""Compares our programs with the smallest programs that move the same bytes (floor/), alternating in one guest. The result is a
ratio, because the emulated machine's own speed means nothing. The box is hci0, the floor's server hci2, and the phone's side hci1.
Ratios are printed with their targets. A missed target does not fail the run, because a busy machine changes the ratio. A ratio that
is ten times off the target fails the run."""

import json
import math
import statistics

import airlog
from installed import PASSWORD
from machine import SHARE, Controllers, air_log, note, run, wait_until
from scenario import scenario

CONTROLLERS = 3
# The sizes of our values and SDUs at ATT_MTU 517. The floor's are equal. A value carries a tag and a segment's header.
VALUE_BYTES, SDU_BYTES, HEAD_BYTES = 244, 2048, 4
GATT_BYTES, L2CAP_BYTES = 4096, 262144
# A ping is cut into messages of this size. Each is answered when it is complete. The floor's server does the same.
MESSAGE_BYTES = 16384
PSM = 0xd5
ROUNDS = 5
FLOOR = SHARE / "floor"
PHONE = 1
SCAN_ENABLE, CREATE_CONNECTION, CONTROL = 0x200c, 0x200d, 0x10
PROGRESS_SEGMENT, RESULT_SEGMENT = 2, 4  # the box's segments after message 2 and its hello


def alice(context):
    if not hasattr(context, "alice"):
        wait_until(context.bluetoothd.advertises, of="advertising")
        context.alice = context.box.phone("alice").enrol("alice", password=PASSWORD)
    return context.alice


def server(context, *words):
    if not hasattr(context, "server"):
        context.server = context.box.run_program(
            [FLOOR / "gatt_server", "hci2", GATT_BYTES, VALUE_BYTES, *words], "gatt-server")
        context.server.wait_for("advertising")
        # The server lives as long as the group, but the runner ends programs of a scenario.
        context.box.everything.remove(context.server)
    return context.server


def cold(context):
    """Removes traces of earlier runs: waits for the links to end and forgets known devices."""
    wait_until(lambda: not context.bluetoothd.connected("hci1"), of="links are down", pause=0.1)
    context.bluetoothd.forget_devices("hci1")


def floor_gatt(context, count):
    server(context)
    cold(context)
    return json.loads(run(FLOOR / "gatt_client", "hci1", GATT_BYTES, VALUE_BYTES, count).stdout)


def ratio(what, ours, floor, target, unit="ms", higher_is_better=False):
    value = ours / floor
    met = value >= target if higher_is_better else value <= target
    sign = "at least" if higher_is_better else "at most"
    note(f"{what}: {ours:.0f} {unit} against {floor:.0f} {unit}, {value:.2f} × (target: {sign} {target} ×"
         + (")" if met else "; MISSED)"))
    assert value > target / 10 if higher_is_better else value < target * 10, what


class Air:
    """The times of events on the phone's controller, in ms."""

    def __init__(self, path):
        self.scan = self.connect = None
        for packet in airlog.packets(path):
            if packet.controller == PHONE and packet.opcode == airlog.COMMAND:
                command = int.from_bytes(packet.data[:2], "little")
                if command == SCAN_ENABLE and packet.data[3] and self.scan is None:
                    self.scan = packet.seconds * 1000
                elif command == CREATE_CONNECTION and self.connect is None:
                    self.connect = packet.seconds * 1000
        mine = [packet for packet in airlog.attribute_packets(path) if packet.controller == PHONE]
        self.written = [packet for packet in mine if packet.sent and packet.pdu[0] == airlog.WRITE_COMMAND]
        # Each is (ms, value).
        self.notified = [(packet.seconds * 1000, value) for packet in mine
                         if not packet.sent and packet.pdu[0] in (airlog.NOTIFICATION, airlog.NOTIFICATIONS)
                         for _, value in packet.values]

    def first_notification(self):
        return self.notified[0][0]

    def segment(self, number):
        """Returns the time of the box's data segment with this number. In a value, flags and number follow the tag."""
        return next(when for when, value in self.notified if not value[2] & CONTROL and value[3] == number)


@scenario("From the scan to the login, beside the floor's scan to its first notification", limit=180)
def scan_to_login(context):
    phone, box = alice(context), context.box
    floor_times, ours = [], {"scan to credential": [], "scan to verdict": [], "connect to credential": []}
    floor_connect = []
    for turn in range(ROUNDS):
        with air_log(f"floor-{turn}") as log:
            floor_gatt(context, 1)
        air = Air(log)
        floor_times.append(air.first_notification() - air.scan)
        floor_connect.append(air.first_notification() - air.connect)
        cold(context)
        with air_log(f"ours-{turn}") as log:
            box.login(phone)
        air = Air(log)
        ours["scan to credential"].append(air.segment(PROGRESS_SEGMENT) - air.scan)
        ours["scan to verdict"].append(air.segment(RESULT_SEGMENT) - air.scan)
        ours["connect to credential"].append(air.segment(PROGRESS_SEGMENT) - air.connect)
    middle = {name: statistics.median(times) for name, times in ours.items()}
    ratio("scan to credential delivered", middle["scan to credential"], statistics.median(floor_times), 1.2)
    ratio("connect to credential delivered", middle["connect to credential"], statistics.median(floor_connect), 1.2)
    note(f"scan to verdict, pam_unix's work included: {middle['scan to verdict']:.0f} ms")


def ping(context, size, via, count):
    cold(context)
    out = alice(context).command(
        "ping", "--size", str(size), "--count", str(count), "--via", via, "--json").ok(60)
    report = json.loads(out.splitlines()[-1])
    assert report["bearer"] == via, report
    return [microseconds / 1000 for microseconds in report["round_trips_microseconds"]]


def compare_gatt(context, what):
    ours, floor = [], []
    for _ in range(ROUNDS):
        floor += floor_gatt(context, 10)["echoes"]
        ours += ping(context, GATT_BYTES, "gatt", 10)
    rate = [2 * GATT_BYTES / statistics.median(times) for times in (ours, floor)]
    ratio(what, *rate, 0.9, unit="kB/s", higher_is_better=True)


@scenario("4,096 bytes there and back over GATT, beside the floor", limit=180)
def gatt_throughput(context):
    compare_gatt(context, "GATT")


@scenario("The same beside a floor whose values come by calls, as ours do since bluetoothd's sockets are not safe", limit=180)
def gatt_by_calls(context):
    context.server.stop()
    del context.server
    server(context, "calls")
    compare_gatt(context, "GATT, both by calls")


@scenario("256 KiB over an L2CAP channel, there and back, beside the floor", limit=180)
def l2cap_throughput(context):
    box, client = Controllers.address("hci2"), Controllers.address("hci1")
    server(context)
    listener = context.box.run_program([FLOOR / "l2cap", "listen", box, PSM, MESSAGE_BYTES, SDU_BYTES], "l2cap")
    listener.wait_for("listening")
    ours, floor = [], []
    for _ in range(ROUNDS):
        cold(context)
        floor += json.loads(run(
            FLOOR / "l2cap", "echo", box, PSM, L2CAP_BYTES, SDU_BYTES, 3, client).stdout)["echoes"]
        # Otherwise bluetoothd would keep the link that the kernel made for the floor's channel.
        context.bluetoothd.forget_devices("hci1")
        ours += ping(context, L2CAP_BYTES, "l2cap", 3)
    rate = [2 * L2CAP_BYTES / statistics.median(times) for times in (ours, floor)]
    ratio("L2CAP", *rate, 0.9, unit="kB/s", higher_is_better=True)


@scenario("No more ATT packets than the bytes need")
def packets(context):
    count = 5
    cold(context)
    with air_log("packets") as log:
        ping(context, GATT_BYTES, "gatt", count)
    air = Air(log)
    values = [value for packet in air.written for _, value in packet.values]
    # Only the ping's own link counts. If this scenario runs alone, the log also contains alice's enrolment.
    values = [value for value in values if value[:2] == values[-1][:2]]
    numbers = [value[3] for value in values if not value[2] & CONTROL]
    control = len(values) - len(numbers)
    # Segments are counted by their numbers modulo 256, because btmon loses packets when it is slower than the air.
    sent = 1 + sum((after - before) % 256 for before, after in zip(numbers, numbers[1:]))
    longest = max(packet.longest_value for packet in air.written)
    # The message also has a few bytes of the ping and the AEAD's tag. The first segment has two bytes of length.
    least = math.ceil((GATT_BYTES + 64) / (VALUE_BYTES - HEAD_BYTES))
    # Besides the echoes, the phone sends message 1, hello, an empty ping and close, each in one segment.
    each = (sent - 4) / count
    note(f"{each:.1f} write commands for {GATT_BYTES} bytes, of at most {longest} bytes each; {least} are allowed; "
         f"{control} acknowledgements of their own in {count} echoes")
    assert each <= least
