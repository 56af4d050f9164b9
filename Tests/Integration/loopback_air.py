"""The phone's end of the loopback radio: GATT or an L2CAP channel over a Unix socket. It has the few PDUs of the Attribute Protocol
that the box's fixed table needs (Core Specification 5.4, Vol 3, Part F, 3.4). Each PDU is one SOCK_SEQPACKET message."""

import os
import pathlib
import socket
import struct

IDENTITY, TRANSFER, TRANSFER_CONFIGURATION, PSM = 3, 5, 6, 8
PATIENCE = 30  # seconds


class LinkEnded(Exception):
    pass


class ChannelRefused(Exception):
    """The box refused the L2CAP channel. `result` gives the reason."""

    def __init__(self, result):
        super().__init__("result %d" % result)
        self.result = result


def boxes(air):
    """Scans: returns {name: socket} of the boxes that advertise."""
    found = {}
    for path in pathlib.Path(air).glob("*.box"):
        link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        link.settimeout(PATIENCE)
        try:
            link.connect(str(path))
            link.send(b"\xf0")
            answer = link.recv(517)
            if answer[:1] == b"\xf1":
                found[answer[1:].decode()] = path
        except OSError:
            pass
        finally:
            link.close()
    return found


class Link:
    """A connection to one box."""

    def __init__(self, path, att_mtu=185):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(path))
        self.arrived = []
        self.tag = os.urandom(2)
        self.sdu = None
        answer = self._request(b"\x02" + struct.pack("<H", att_mtu))
        self.att_mtu = min(att_mtu, struct.unpack("<H", answer[1:3])[0])

    def read(self, handle):
        """Reads a value of any length. Read Blob Requests fetch the part that does not fit into one packet (3.4.4.5)."""
        value = piece = self._request(b"\x0a" + struct.pack("<H", handle))[1:]
        while len(piece) == self.att_mtu - 1:
            piece = self._request(b"\x0c" + struct.pack("<HH", handle, len(value)))[1:]
            value += piece
        return value

    def subscribe(self):
        self._request(b"\x12" + struct.pack("<H", TRANSFER_CONFIGURATION) + b"\x01\x00")

    def open_channel(self, psm, mtu=2048):
        """Opens an L2CAP channel instead of subscribing. Request and answer have the form of Vol 3, Part A, 4.22 and 4.23, after a
        byte that the loopback radio adds."""
        request = struct.pack("<BBHHHHHH", 0x14, 1, 10, psm, 0x40, mtu, mtu, 0xFFFF)
        self.socket.send(b"\xf2" + request)
        code, _, _, _, theirs, _, _, result = struct.unpack("<BBHHHHHH", self._receive()[1:])
        assert code == 0x15
        if result != 0:
            raise ChannelRefused(result)
        self.sdu = min(mtu, theirs)

    def write(self, segment):
        assert len(segment) <= (self.sdu or self.att_mtu - 5)
        head = b"\xf4" if self.sdu else b"\x52" + struct.pack("<H", TRANSFER) + self.tag
        try:
            self.socket.send(head + segment)
        except ConnectionError as error:
            raise LinkEnded() from error

    def notification(self):
        if self.arrived:
            return self.arrived.pop(0)
        pdu = self._receive()
        if self.sdu:
            assert pdu[:1] == b"\xf4"
            return pdu[1:]
        return self._notified(pdu)

    def close(self):
        self.socket.close()

    def _request(self, pdu):
        self.socket.send(pdu)
        while True:
            answer = self._receive()
            if answer[:1] != b"\x1b":
                assert answer[0] == pdu[0] + 1, "an error response: %s" % answer.hex()
                return answer
            self.arrived.append(self._notified(answer))

    def _receive(self):
        try:
            pdu = self._read()
        except ConnectionError as error:
            raise LinkEnded() from error
        if not pdu:
            raise LinkEnded()
        return pdu

    def _read(self):
        try:
            return self.socket.recv(4_096)
        except ConnectionResetError:
            # Reads again: Linux reports once that the other end closed without reading our messages, before its last messages.
            return self.socket.recv(4_096)

    def _notified(self, pdu):
        assert pdu[:5] == b"\x1b" + struct.pack("<H", TRANSFER) + self.tag, pdu.hex()
        return pdu[5:]
