"""A host that plays a conversation of Tests/Vectors/protocol.md to the core: random bytes, time, and the box's messages."""

import os

import cbor2

from wasm_core import Core

START = 1_000_000
# The capabilities of the vectors' phone.
NO_CAPABILITIES = 0
ROW = bytes(range(0xD0, 0xE0))


class VectorPhone:
    """`randoms` are the core's 32-byte random values in order. `incoming` has (number of phone segments before, box's segment)."""

    def __init__(self, wasm, identity, randoms, secrets, carrier, incoming):
        self.randoms, self.secrets, self.carrier, self.incoming = list(randoms), secrets, carrier, list(incoming)
        self.identity = identity
        self.written, self.shown, self.watched, self.stored = [], [], [], []
        self.row = None
        self.end = None
        self.link = None
        self.core = Core(wasm, NO_CAPABILITIES, self._random)

    def _random(self, count):
        """Returns the vector's next value for 32 bytes, the size of keys and nonces. Other sizes are hash seeds and canaries."""
        return self.randoms.pop(0) if count == 32 else os.urandom(count)

    def run(self, *order, enough=None, now=START):
        """Runs until the operation ends, or until `enough` segments were written. Time jumps to the core's next deadline."""
        handle = self.core.start_bytes(cbor2.dumps(list(order), canonical=True), now)

        def tell(*event):
            self.core.event_bytes(handle, cbor2.dumps(list(event), canonical=True), now)

        while self.end is None and (enough is None or len(self.written) < enough):
            action = self.core.action(handle)
            if action is not None:
                getattr(self, "_do_" + action[0])(tell, *action[1:])
            elif self.incoming and self.incoming[0][0] <= len(self.written):
                tell("segment", self.link, self.incoming.pop(0)[1])
            else:
                assert not self.incoming, "the box's next segment waits for %d of the phone's, and there are %d" % (
                    self.incoming[0][0], len(self.written))
                now = max(now, self.core.deadline(handle))
                tell("time")
        self.core.end(handle)
        return self.end

    def _do_scan(self, tell, number, milliseconds):
        tell("heard", number, b"Box 4711", "address", -50)
        tell("scanOver", number, None)

    def _do_stopScan(self, tell, number):
        pass

    def _do_connect(self, tell, number, address):
        self.link = number
        tell("linked", number)

    def _do_identify(self, tell, number):
        tell("identity", number, self.identity)

    def _do_open(self, tell, number, demand):
        tell("opened", number, *self.carrier)

    def _do_write(self, tell, number, segment):
        self.written.append(segment)
        tell("written", number)

    def _do_disconnect(self, tell, number):
        pass

    def _do_vault(self, tell, number, command, key, *values):
        self.stored.append([command, key, *values])
        if command == "add":
            digits, box_key, authority, serial, user, label = values[:6]
            self.row = [key, digits, box_key, authority, serial, user, label, "phoneHeld", False, False, True]
            self.secrets = {"deviceKey": values[6], "deviceSecret": values[7]}
        if command == "confirm":
            self.row[5], self.row[7], self.row[8] = values[0], values[1], True
        if command in self.secrets:
            return tell("vault", number, "secret", self.secrets[command])
        if command == "passwordHistory":
            return tell("vault", number, "passwordHistory", None, 0)
        tell("vault", number, "box", self.row)

    def _do_show(self, tell, progress):
        self.shown.append(progress)

    def _do_watched(self, tell, event):
        self.watched.append(event)

    def _do_finished(self, tell, end):
        self.end = end
