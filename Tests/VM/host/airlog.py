"""Reads btmon's log (btsnoop in the monitor format, bluez doc/btsnoop.txt) up to the Attribute Protocol."""

import dataclasses
import struct

MONITOR = 2001
COMMAND, EVENT, ACL_SENT, ACL_RECEIVED = 2, 3, 4, 5
ATT_CID, FIRST_DYNAMIC_CID = 4, 0x40
WRITE_COMMAND, NOTIFICATION, NOTIFICATIONS = 0x52, 0x1b, 0x23
WRITE_REQUEST, INDICATION, PREPARE_WRITE = 0x12, 0x1d, 0x16
# The number of bytes before the value, for each PDU that carries one.
HEADS = {WRITE_COMMAND: 3, WRITE_REQUEST: 3, NOTIFICATION: 3, INDICATION: 3, PREPARE_WRITE: 5}


@dataclasses.dataclass
class Packet:
    """A packet that one controller's host sent or received."""
    seconds: float
    controller: int
    opcode: int
    data: bytes


@dataclasses.dataclass
class AttributePacket:
    seconds: float
    controller: int
    sent: bool
    connection: int
    pdu: bytes

    @property
    def values(self):
        """Returns [(handle, value)] of the packet. If both sides support it, bluetoothd merges notifications of 10 ms into one
        packet (Multiple Handle Value Notification, volume 3, part F, 3.4.7.4)."""
        if self.pdu[0] in HEADS:
            return [(self.handle, self.pdu[HEADS[self.pdu[0]]:])]
        found, at = [], 1
        while self.pdu[0] == NOTIFICATIONS and at + 4 <= len(self.pdu):
            handle, length = struct.unpack_from("<HH", self.pdu, at)
            found.append((handle, self.pdu[at + 4:at + 4 + length]))
            at += 4 + length
        return found

    @property
    def longest_value(self):
        return max((len(value) for _, value in self.values), default=0)

    @property
    def handle(self):
        return struct.unpack_from("<H", self.pdu, 1)[0]


def packets(path):
    data = path.read_bytes()
    magic, version, kind = struct.unpack_from(">8sII", data)
    if (magic, version, kind) != (b"btsnoop\0", 1, MONITOR):
        raise ValueError(f"{path} is no btmon log")
    position, start = 16, None
    while position + 24 <= len(data):
        _original, included, flags, _drops, microseconds = struct.unpack_from(">IIIIQ", data, position)
        position += 24
        start = start if start is not None else microseconds
        yield Packet((microseconds - start) / 1e6, flags >> 16, flags & 0xffff, data[position:position + included])
        position += included


def channel_frames(path):
    """Yields (Packet, sent, connection handle, channel ID, payload) of each complete L2CAP frame."""
    begun = {}
    for packet in packets(path):
        if packet.opcode not in (ACL_SENT, ACL_RECEIVED) or len(packet.data) < 4:
            continue
        head, length = struct.unpack_from("<HH", packet.data)
        key = (packet.controller, packet.opcode, head & 0x0fff)
        piece = packet.data[4:4 + length]
        # Packet boundary flag 1 continues a frame (Core Specification, volume 4, part E, 5.4.2).
        begun[key] = begun.get(key, b"") + piece if head >> 12 & 3 == 1 else piece
        frame = begun[key]
        if len(frame) >= 4 and len(frame) >= 4 + struct.unpack_from("<H", frame)[0]:
            size, channel = struct.unpack_from("<HH", frame)
            yield packet, packet.opcode == ACL_SENT, head & 0x0fff, channel, frame[4:4 + size]
            begun[key] = b""


def attribute_packets(path):
    """Returns the ATT packets on the fixed channel, and values on the channels of EATT, which are ordinary dynamic channels. There
    a write command or a notification is recognized by its opcode, because none of our segments begins with it."""
    return [AttributePacket(packet.seconds, packet.controller, sent, connection, pdu)
            for packet, sent, connection, channel, payload in channel_frames(path)
            if (pdu := attribute_pdu(channel, payload))]


def attribute_pdu(channel, payload):
    if channel == ATT_CID:
        return payload
    # A K-frame that is a whole SDU begins with its length (volume 3, part A, 3.4.3).
    whole = len(payload) > 2 and struct.unpack_from("<H", payload)[0] == len(payload) - 2
    if channel >= FIRST_DYNAMIC_CID and whole and payload[2] in (WRITE_COMMAND, NOTIFICATION, NOTIFICATIONS):
        return payload[2:]
    return b""
