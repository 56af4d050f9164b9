"""Counts the packets and round trips of a login. A relay between phone and box records every packet of the loopback radio. A client
at pam.sock marks when it has the credential."""
import pathlib
import socket
import threading

import cbor2

USER = "sixteen-byte-usr"
PASSWORD = b"a password of thirty-two bytes!!"
# The ATT MTU of older iPhones.
MTU = ("--mtu", "185")
WRITE_COMMAND, NOTIFICATION = 0x52, 0x1B
NAMES = {0x02: "exchange MTU", 0x0A: "read", 0x0C: "read blob", 0x12: "write request", WRITE_COMMAND: "write command",
         0x03: "MTU answer", 0x0B: "read answer", 0x0D: "blob answer", 0x13: "write answer", NOTIFICATION: "notification",
         0xF0: "scan", 0xF1: "advertisement"}


class Relay:
    """A box in its own loopback air that forwards every packet to the real box and records the packets in order."""

    def __init__(self, inner: pathlib.Path, air: pathlib.Path):
        air.mkdir(mode=0o700)
        self.inner, self.seen, self.lock = inner, [], threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(air / "relay.box"))
        self.listener.listen(8)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            phone, _ = self.listener.accept()
            box = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            box.connect(str(self.inner))
            for source, sink, way in ((phone, box, ">"), (box, phone, "<")):
                threading.Thread(target=self.hand_on, args=(source, sink, way), daemon=True).start()

    def hand_on(self, source, sink, way):
        try:
            while data := source.recv(600):
                self.note(way, data)
                sink.send(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def note(self, way, data):
        with self.lock:
            self.seen.append((way, data))


def ask_for_a_credential(box, relay):
    """Asks at pam.sock for a credential, as a program does, and adds a mark to the recorded packets when it arrives."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect(str(box.run / "pam.sock"))
    client.send(cbor2.dumps([1, 1, b"demo", USER.encode(), None, None, 20]))

    def wait():
        while data := client.recv(2000):
            message = cbor2.loads(data)
            if message[0] == 2:
                assert message[1:] == [USER.encode(), PASSWORD]
                relay.note("!", b"")
                client.send(cbor2.dumps([2]))
                return

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return client, thread


def relayed(box, directory):
    """Puts the box behind a relay. From then on, phones find the relay."""
    inner = next(path for path in box.air.iterdir() if path.suffix == ".box")
    relay = Relay(inner, directory / "relayed")
    box.air = directory / "relayed"
    return relay


def packets_of_a_tap(box, relay, tap):
    """Returns the packets of one tap, as (direction, packet), up to the phone's last packet before the credential is delivered.
    `tap` starts the login. The box may still be answering earlier packets; those answers are not waited for."""
    with relay.lock:
        relay.seen.clear()
    client, thread = ask_for_a_credential(box, relay)
    box.wait_until(box.programs_waiting)
    running = tap()
    thread.join(20)
    assert not thread.is_alive(), "the credential never came"
    client.close()
    running.wait()
    ways = [way for way, _ in relay.seen]
    sent = ways[:ways.index("!")]
    return relay.seen[:len(sent) - sent[::-1].index(">")]


def round_trips(ways):
    """Counts the round trips. Each run of packets from the phone is one, even the last run, which has no answer."""
    trips, waiting = 0, False
    for way in ways:
        if way == ">" and not waiting:
            trips, waiting = trips + 1, True
        elif way == "<":
            waiting = False
    return trips


def counted(packets):
    return [(way, packet) for way, packet in packets if packet[0] in (WRITE_COMMAND, NOTIFICATION)]


def cost(packets):
    """Returns the number of packets and of round trips."""
    data = counted(packets)
    return len(packets), round_trips([way for way, _ in data])


def report(name, packets, packets_limit, round_trips_limit):
    """Prints the packets and their totals. Returns whether both totals are within their limits."""
    data = counted(packets)
    for way, packet in packets:
        mark = "counted" if (way, packet) in data else ""
        print(f"  {way} {NAMES.get(packet[0], hex(packet[0])):14} {len(packet):4} bytes  {mark}")
    trips = round_trips([way for way, _ in data])
    print(f"{name}-packets value={len(data)} limit={packets_limit}")
    print(f"{name}-round-trips value={trips} limit={round_trips_limit}")
    return bool(data) and len(data) <= packets_limit and trips <= round_trips_limit
