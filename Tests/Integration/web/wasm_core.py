"""The phone's core in WebAssembly, run by wasmtime. It is used only through the C functions of docs/reference/phone-core.md."""

import os
import time

import cbor2
import wasmtime

MESSAGE_BYTES = 196_608
# Presence, elevation, warnings and ends of sessions (docs/reference/protocol.md section 8).
PROGRAM = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5
BROWSER = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6


class CoreError(Exception):
    """The core refused a call. `number` is its error number."""

    def __init__(self, number):
        super().__init__("the core says %d" % number)
        self.number = number


class Core:
    """One instance, as a page has one. `random` is called with a count and returns that many random bytes."""

    def __init__(self, path, capabilities=PROGRAM, random=os.urandom):
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        module = wasmtime.Module.from_file(engine, str(path))
        self.imports = [(item.module, item.name) for item in module.imports]
        kind = wasmtime.FuncType([wasmtime.ValType.i32(), wasmtime.ValType.i32()], [])
        self.random = random
        given = wasmtime.Func(self.store, kind, self._random_bytes, access_caller=True)
        self.exports = wasmtime.Instance(self.store, module, [given]).exports(self.store)
        self.memory = self.exports["memory"]
        self.buffer = self._call("buffer")
        self.set_capabilities(capabilities)

    def _random_bytes(self, caller, place, count):
        caller["memory"].write(caller, self.random(count), place & 0xFFFFFFFF)

    def _call(self, name, *values):
        return self.exports["boxphone_" + name](self.store, *values)

    def set_capabilities(self, bits):
        code = self._call("capabilities", bits)
        if code:
            raise CoreError(code)

    @staticmethod
    def now():
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000

    def _put(self, data):
        self.memory.write(self.store, data, self.buffer)
        return len(data)

    def everything(self):
        """Returns all memory of the instance."""
        return bytes(self.memory.read(self.store, 0, self.memory.data_len(self.store)))

    def start_bytes(self, data, now=None):
        handle = self._call("start", self._put(data), self.now() if now is None else now)
        if handle <= 0:
            raise CoreError(handle)
        return handle

    def start(self, *order):
        return self.start_bytes(cbor2.dumps(list(order), canonical=True))

    def event_bytes(self, handle, data, now=None):
        code = self._call("event", handle, self._put(data), self.now() if now is None else now)
        if code:
            raise CoreError(code)

    def event(self, handle, *event):
        self.event_bytes(handle, cbor2.dumps(list(event), canonical=True))

    def action(self, handle):
        """Returns the next action as a list, or None if there is none."""
        count = self._call("action", handle)
        if count < 0:
            raise CoreError(count)
        return cbor2.loads(bytes(self.memory.read(self.store, self.buffer, self.buffer + count))) if count else None

    def deadline(self, handle):
        """Returns the deadline in microseconds, or None if there is none."""
        due = self._call("deadline", handle)
        return None if due == -1 else due

    def end(self, handle):
        return self._call("end", handle)
