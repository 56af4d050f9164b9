"""A phone around the core in WebAssembly: the loopback radio, a store in memory, and a user who knows a PIN. It decides nothing."""

import select
import time

import loopback_air
from wasm_core import Core

GATT_BINDING = b"\x01\x00\x00"


class WasmPhone:
    def __init__(self, wasm, air):
        self.core = Core(wasm)
        self.air = air
        self.rows = {}
        self.pins = []
        self.histories = {}  # [when the password was refused, sends with an unknown outcome], by row
        self.sends_again = False
        self.asked = []
        self.shown = []
        self.written = []
        self.watched = []
        self.on_watched = lambda event: None
        self.on_shown = lambda progress: None
        self.on_stored = lambda command: None
        self.on_segment = lambda segment: None
        self.link = None
        self.end = None

    # The store, like IndexedDB: rows by ID, each with its secrets.

    def row(self, key):
        row = self.rows.get(key)
        return None if row is None else [
            key, row["digits"], row["box_key"], row["authority"], row["serial"], row["user"], row["label"], row["mode"],
            row["confirmed"], False, row["device_secret"] is not None]

    def boxes(self):
        return [self.row(key) for key in self.rows]

    def _store(self, command, key, values):
        row = self.rows.get(key)
        self.on_stored(command)
        if command == "add":
            digits, box_key, authority, serial, user, label, device_key, device_secret = values
            self.rows[key] = dict(
                digits=digits, box_key=box_key, authority=authority, serial=serial, user=user, label=label,
                mode="phoneHeld", confirmed=False, device_key=device_key, device_secret=device_secret)
            return ["box", self.row(key)]
        if command == "forget":
            self.rows.pop(key, None)
            return ["done"]
        if command == "box":
            return ["box", self.row(key)]
        if row is None:
            return ["failed", "notFound"]
        if command == "deviceKey":
            return ["secret", row["device_key"]]
        if command == "deviceSecret":
            return ["secret", row["device_secret"]]
        if command == "setDeviceSecret":
            row["device_secret"] = values[0]
            return ["secret", values[0]]
        if command == "destroyDeviceSecret":
            row["device_secret"] = None
            return ["done"]
        if command == "raiseSerial":
            if values[0] > row["serial"]:
                row["serial"], row["digits"] = values
            return ["box", self.row(key)]
        if command == "setLabel":
            row["label"] = values[0]
            return ["box", self.row(key)]
        if command == "confirm":
            for other in [k for k, r in self.rows.items() if k != key and r["box_key"] == row["box_key"]]:
                del self.rows[other]
            row["user"], row["mode"], row["confirmed"] = values[0], values[1], True
            return ["box", self.row(key)]
        if command == "passwordHistory":
            return ["passwordHistory", *self.histories.get(key, (None, 0))]
        if command == "notePassword":
            refused, unknown = self.histories.get(key, (None, 0))
            # Sent, sent after a yes, not judged, accepted, refused.
            self.histories[key] = [
                (refused, unknown + 1), (refused, 1), (refused, max(unknown - 1, 0)), (None, 0), (int(time.time()), 0)][values[0]]
            return ["done"]
        if command == "openCredential":
            return ["credential", "noCredential", None]
        raise AssertionError(command)

    # One operation, from start to end

    def run(self, *order, stop_when=None, events=()):
        """Runs an order and returns the values of `finished`. Before each wait, `stop_when` may return true to end watching."""
        self.handle = self.core.start(*order)
        self.end = None
        waiting = list(events)
        try:
            while self.end is None:
                action = self.core.action(self.handle)
                if action is not None:
                    self._perform(*action)
                elif waiting and waiting[0][0](self):
                    self.core.event(self.handle, *waiting.pop(0)[1])
                elif stop_when is not None and stop_when(self):
                    stop_when = None
                    self.core.event(self.handle, "stop")
                else:
                    self._wait()
            return self.end
        finally:
            self.core.end(self.handle)
            self._close()

    def tell(self, *event):
        self.core.event(self.handle, *event)

    def _wait(self):
        due = self.core.deadline(self.handle)
        assert due is not None or self.link is not None, "nothing is due, and nothing is waited for"
        left = 30 if due is None else max(0, due - self.core.now()) / 1e6
        number, link = self.link or (0, None)
        if link is not None and (link.arrived or select.select([link.socket], [], [], min(left, 0.2))[0]):
            try:
                segment = link.notification()
            except loopback_air.LinkEnded:
                self._close()
                return self.tell("linkDown", number, "closed")
            return self.tell("segment", number, segment)
        if link is None and left:
            select.select([], [], [], min(left, 0.2))
        self.tell("time")

    def _close(self):
        if self.link is not None:
            self.link[1].close()
            self.link = None

    def _perform(self, word, *values):
        getattr(self, "_do_" + word)(*values)

    def _do_scan(self, number, milliseconds):
        for name, path in loopback_air.boxes(self.air).items():
            self.tell("heard", number, name.encode(), str(path), -50)
        self.tell("scanOver", number, None)

    def _do_stopScan(self, number):
        pass

    def _do_connect(self, number, address):
        self._close()
        try:
            self.link = (number, loopback_air.Link(address))
        except OSError:
            return self.tell("linkDown", number, "notFound")
        self.tell("linked", number)

    def _do_identify(self, number):
        try:
            self.tell("identity", number, self.link[1].read(loopback_air.IDENTITY))
        except loopback_air.LinkEnded:
            self._close()
            self.tell("linkDown", number, "closed")

    def _do_open(self, number, demand):
        link = self.link[1]
        link.subscribe()
        size = link.att_mtu - 5
        self.tell("opened", number, "GATT", GATT_BINDING, size, size)

    def _do_write(self, number, segment):
        if self.link is None:
            return
        self.written.append(segment)
        self.on_segment(segment)
        if self.link is None:
            return self.tell("linkDown", number, "closed")
        try:
            self.link[1].write(segment)
        except loopback_air.LinkEnded:
            self._close()
            return self.tell("linkDown", number, "closed")
        self.tell("written", number)

    def _do_disconnect(self, number):
        self._close()

    def _do_measure(self, number):
        self.tell("signal", number, None)

    def _do_vault(self, number, command, key, *values):
        self.tell("vault", number, *self._store(command, key, values))

    def _do_askPIN(self, box, tries_left, is_repeated):
        self.asked.append((box, tries_left, is_repeated))
        self.tell("pin", self.pins.pop(0) if self.pins else None)

    def _do_askAgain(self, refused_at):
        self.asked.append(refused_at)
        self.tell("again", self.sends_again)

    def _do_choose(self, boxes):
        self.tell("chosen", boxes[0][0])

    def _do_show(self, progress):
        self.shown.append(progress)
        self.on_shown(progress)

    def _do_watched(self, event):
        self.watched.append(event)
        self.on_watched(event)

    def _do_roundTrip(self, microseconds):
        pass

    def _do_sample(self, dbm):
        pass

    def _do_finished(self, end):
        self.end = end
