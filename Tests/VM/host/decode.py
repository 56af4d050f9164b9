"""Prints one login of a btmon log as text, packet by packet, as the phone's controller saw it (see Tests/Vectors/protocol.md)."""

import struct

import airlog

OPCODES = {
    0x01: "Error Response", 0x02: "Exchange MTU Request", 0x03: "Exchange MTU Response",
    0x04: "Find Information Request", 0x05: "Find Information Response", 0x06: "Find By Type Value Request",
    0x07: "Find By Type Value Response", 0x08: "Read By Type Request", 0x09: "Read By Type Response",
    0x0a: "Read Request", 0x0b: "Read Response", 0x0c: "Read Blob Request", 0x0d: "Read Blob Response",
    0x10: "Read By Group Type Request", 0x11: "Read By Group Type Response", 0x12: "Write Request",
    0x13: "Write Response", 0x1b: "Notification", 0x1d: "Indication", 0x1e: "Confirmation",
    0x23: "Multiple Notification", 0x52: "Write Command",
}
CHARACTERISTICS = {
    "f438775d": "identity", "a82ae020": "transfer", "abdd3056": "PSM"}
# HCI commands and events (Core Specification, volume 4, part E, 7.8 and 7.7).
SET_SCAN_ENABLE, CREATE_CONNECTION, DISCONNECT = 0x200c, 0x200d, 0x0406
LE_META, DISCONNECTION_COMPLETE = 0x3e, 0x05
CONNECTION_COMPLETE, ADVERTISING_REPORT = 0x01, 0x02
REPORTS = {0: "ADV_IND", 4: "SCAN_RSP"}
SHOWN_BYTES = 12


class Login:
    """The lines for one login, from the scan that found the box to the end of the link."""

    def __init__(self, path):
        self.path = path
        self.handles, self.lines, self.reported = {}, [], set()
        self.counts = {"phone": 0, "box": 0}
        self.phone = next(packet.controller for packet in airlog.packets(path)
                          if packet.opcode == airlog.COMMAND and self._command(packet) == CREATE_CONNECTION)
        self.asked = None

    @staticmethod
    def _command(packet):
        return struct.unpack_from("<H", packet.data)[0]

    def text(self):
        events = [(packet.seconds, packet, None) for packet in airlog.packets(self.path)
                  if packet.controller == self.phone and packet.opcode in (airlog.COMMAND, airlog.EVENT)]
        events += [(packet.seconds, None, packet) for packet in airlog.attribute_packets(self.path)
                   if packet.controller == self.phone]
        for seconds, packet, attribute in sorted(events, key=lambda event: event[0]):
            self.seconds = seconds
            if attribute:
                self._attribute(attribute)
            else:
                self._controller(packet)
        self.lines.append("ATT packets: %(phone)d from the phone, %(box)d from the box" % self.counts)
        return "\n".join(self.lines) + "\n"

    def _line(self, who, what):
        self.lines.append(f"{self.seconds * 1000:8.1f} ms  {who:<5}  {what}")

    def _controller(self, packet):
        if packet.opcode == airlog.COMMAND:
            command = self._command(packet)
            if command == SET_SCAN_ENABLE:
                self._line("phone", "scan " + ("on" if packet.data[3] else "off"))
            elif command == CREATE_CONNECTION:
                self._line("phone", "connect")
            elif command == DISCONNECT:
                self._line("phone", "disconnect")
        elif packet.data[0] == DISCONNECTION_COMPLETE:
            self._line("", f"link ended, reason 0x{packet.data[5]:02x}")
        elif packet.data[0] == LE_META and packet.data[2] == CONNECTION_COMPLETE:
            self._line("", f"link up, interval {struct.unpack_from('<H', packet.data, 14)[0] * 1.25:.2f} ms")
        elif packet.data[0] == LE_META and packet.data[2] == ADVERTISING_REPORT:
            self._report(packet.data)

    def _report(self, data):
        kind, length = data[4], data[12]
        content = data[13:13 + length]
        # Prints each advertisement once, because advertisers repeat it.
        if kind not in REPORTS or (kind, content) in self.reported:
            return
        self.reported.add((kind, content))
        parts, at = [], 0
        while at < len(content) and content[at]:
            part, at = content[at + 1:at + 1 + content[at]], at + 1 + content[at]
            if part[0] in (6, 7):
                parts.append("service " + part[1:17][::-1].hex()[:8] + "…")
            elif part[0] in (8, 9):
                parts.append('name "%s"' % part[1:].decode(errors="backslashreplace"))
            elif part[0] == 1:
                parts.append(f"flags 0x{part[1]:02x}")
            else:
                parts.append(f"type 0x{part[0]:02x}, {len(part) - 1} bytes")
        self._line("box", f"{REPORTS[kind]}, {length} bytes: " + ", ".join(parts))

    def _attribute(self, packet):
        who = "phone" if packet.sent else "box"
        self.counts[who] += 1
        self._learn(packet.pdu)
        name = OPCODES.get(packet.pdu[0], f"opcode 0x{packet.pdu[0]:02x}")
        self._line(who, f"{name}{self._fields(packet)}")

    def _learn(self, pdu):
        if pdu[0] == 0x09 and pdu[1] == 21:
            for at in range(2, len(pdu), 21):
                short = pdu[at + 5:at + 21][::-1].hex()[:8]
                handle, = struct.unpack_from("<H", pdu, at + 3)
                if short in CHARACTERISTICS:
                    self.handles[handle] = CHARACTERISTICS[short]
                    if CHARACTERISTICS[short] == "transfer":
                        self.handles[handle + 1] = "CCCD of transfer"

    def _named(self, handle):
        return f" {handle:#06x}" + (f" ({self.handles[handle]})" if handle in self.handles else "")

    def _fields(self, packet):
        pdu, opcode = packet.pdu, packet.pdu[0]
        if opcode in (0x02, 0x03):
            return f" {struct.unpack_from('<H', pdu, 1)[0]}"
        if opcode in (0x0a, 0x0c):
            return self._named(packet.handle)
        if opcode in (0x0b, 0x0d):
            return f", {len(pdu) - 1} bytes"
        if opcode == 0x12:
            return self._named(packet.handle) + " = " + pdu[3:].hex()
        if opcode in (0x52, 0x1b, 0x23):
            return "".join(f"{self._named(handle)}: {segment(value)}" for handle, value in packet.values)
        if opcode in (0x08, 0x10):
            first, last = struct.unpack_from("<HH", pdu, 1)
            return f" {first:#06x}–{last:#06x}, type {pdu[5:][::-1].hex()}"
        if opcode == 0x09:
            return f", {(len(pdu) - 2) // pdu[1]} of {pdu[1]} bytes"
        if opcode == 0x01:
            return f" to 0x{pdu[1]:02x}: 0x{pdu[4]:02x}"
        return ""


def segment(value):
    """Describes a value as docs/reference/segmentation.md defines it: the tag, then the segment."""
    tag, flags, at = value[:2].hex(), value[2], 3
    if flags & 0x10:
        return f"tag {tag}, control, acknowledges {int.from_bytes(value[3:5], 'big')}" + (
            ", asks" if flags & 0x08 else "")
    words = [f"tag {tag}", f"segment {value[at]}"]
    at += 1
    if flags & 0x20:
        words.append(f"acknowledges {int.from_bytes(value[at:at + 2], 'big')}")
        at += 2
    if flags & 0x80:
        words.append(f"message of {int.from_bytes(value[at:at + 2], 'big')} bytes begins")
        at += 2
    if flags & 0x40:
        words.append("ends")
    payload = value[at:]
    shown = payload[:SHOWN_BYTES].hex() + ("…" if len(payload) > SHOWN_BYTES else "")
    return ", ".join(words) + f"; {len(payload)} bytes {shown}"


def text(path):
    return Login(path).text()
