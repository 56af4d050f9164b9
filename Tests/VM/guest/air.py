"""A BLE central without bluetoothd. It opens a kernel socket on the ATT channel of its own link (Core Specification, volume 3, part
F). It acts as hostile, broken and honest phones do, and it can cut links."""

import ctypes
import errno
import math
import os
import secrets
import select
import socket
import struct
import subprocess
import time

import independent_phone as protocol
from deadline import Deadline, slowness
from machine import Controllers, Failed

AF_BLUETOOTH, BTPROTO_L2CAP, BTPROTO_HCI = 31, 0, 1
SOL_L2CAP, L2CAP_CONNINFO = 6, 2
# The longest wait for a connection. If the box does not advertise at the moment, asking again is better than waiting.
CONNECT_SECONDS = 2
CLOSING_SECONDS = 0.1
SOL_BLUETOOTH, BT_SECURITY, BT_SECURITY_LOW = 274, 4, 1
LE_PUBLIC, ATT_CID = 1, 4
ERROR, MTU_REQUEST, NOTIFICATION = 0x01, 0x02, 0x1b
FIND_TYPE_VALUE, READ_BY_TYPE, READ, READ_BLOB, WRITE, WRITE_COMMAND = 0x06, 0x08, 0x0a, 0x0c, 0x12, 0x52
SECONDS = 10
SERVICE = "bf52e2d6-ff52-43cb-99a0-872fa3dde94f"
IDENTITY = "f438775d-e605-42b8-abe7-6e31ed52ea87"
TRANSFER = "a82ae020-e171-42f8-a31c-5f612926f041"
PSM = "abdd3056-28fa-441d-a470-55a75a52553a"
libc = ctypes.CDLL(None, use_errno=True)
KEEPER = []
# The messages that end a request.
ENDS = (protocol.RESULT, protocol.ENROLLED, protocol.ENROL_NONCE)


class LinkLost(Exception):
    pass


def little_endian(uuid):
    return bytes.fromhex(uuid.replace("-", ""))[::-1]


def socket_address(address, channel):
    """Returns a struct sockaddr_l2. Python's own has no field for the type of an LE address."""
    octets = bytes.fromhex(address.replace(":", ""))[::-1]
    return struct.pack("<HH6sHB", AF_BLUETOOTH, 0, octets, channel, LE_PUBLIC) + b"\0"


def disconnect(controller, handle):
    """Cuts the link at once, through the controller. Both sides lose it."""
    with socket.socket(AF_BLUETOOTH, socket.SOCK_RAW, BTPROTO_HCI) as hci:
        hci.bind((int(controller[3:]),))
        # HCI_Disconnect, Remote User Terminated Connection (volume 4, part E, 7.1.6).
        hci.send(struct.pack("<BHBHB", 1, 0x0406, 3, handle, 0x13))


def give_away(descriptor):
    """Gets rid of a socket without closing it. Another program holds it, unread, until that program ends. If the last holder of an
    L2CAP socket closes it after its link has gone, Linux 6.1.192 corrupts a list (l2cap_chan_put, hci_chan_del) and kills the
    holder."""
    if not KEEPER:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        KEEPER.append((ours, subprocess.Popen(["sleep", "infinity"], stdin=theirs)))
        theirs.close()
    # The descriptor stays in the pair's queue and is never received. The queue holds about two hundred.
    socket.send_fds(KEEPER[0][0], [b"x"], [descriptor])
    os.close(descriptor)


class Link:
    """A connection with ATT on it. It does in order what a phone does: connect, MTU, discover, read, subscribe."""

    def __init__(self, box_address, controller, att_mtu=517):
        self.controller = controller
        self.arrived = []
        self.att_mtu, self.own_mtu = 23, att_mtu
        self.fd = self._connected(box_address, Controllers.address(controller))
        connection = ctypes.create_string_buffer(8)
        size = ctypes.c_uint32(len(connection))
        libc.getsockopt(self.fd, SOL_L2CAP, L2CAP_CONNINFO, connection, ctypes.byref(size))
        self.handle, = struct.unpack_from("<H", connection)
        try:
            if att_mtu > 23:
                answer = self.request(struct.pack("<BH", MTU_REQUEST, att_mtu))
                self.att_mtu = min(att_mtu, struct.unpack("<H", answer[1:3])[0])
        except (LinkLost, Failed):
            self.cut()
            raise

    @staticmethod
    def _connected(box_address, own_address):
        link = libc.socket(AF_BLUETOOTH, socket.SOCK_SEQPACKET, BTPROTO_L2CAP)
        security = struct.pack("BB", BT_SECURITY_LOW, 0)
        own, box = socket_address(own_address, ATT_CID), socket_address(box_address, ATT_CID)
        if libc.bind(link, own, len(own)):
            raise OSError(ctypes.get_errno(), "bind")
        libc.setsockopt(link, SOL_BLUETOOTH, BT_SECURITY, security, len(security))
        limit = struct.pack("@ll", math.ceil(CONNECT_SECONDS * slowness()), 0)
        libc.setsockopt(link, socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit, len(limit))
        if libc.connect(link, box, len(box)) == 0:
            return link
        error = ctypes.get_errno()
        if error == errno.EINPROGRESS:
            # The time is up. Closing the socket ends the attempt, which would otherwise go on.
            os.close(link)
        else:
            give_away(link)
        raise LinkLost(os.strerror(error))

    def discover(self):
        """Finds {UUID: value handle} of our service, and the CCCD of the transfer characteristic."""
        answer = self.request(struct.pack("<BHHH", FIND_TYPE_VALUE, 1, 0xffff, 0x2800) + little_endian(SERVICE))
        start, end = struct.unpack("<HH", answer[1:5])
        self.handles, at = {}, start
        while at <= end:
            answer = self.request(struct.pack("<BHHH", READ_BY_TYPE, at, end, 0x2803), may_fail=True)
            if answer[0] == ERROR:
                break
            for position in range(2, len(answer), answer[1]):
                item = answer[position:position + answer[1]]
                at = struct.unpack("<H", item[:2])[0] + 1
                self.handles[item[5:]] = struct.unpack("<H", item[3:5])[0]
        self.handles = {uuid: self.handles[little_endian(uuid)] for uuid in (IDENTITY, TRANSFER, PSM)}
        return self

    def read(self, uuid):
        """Reads a value of any length with Read Blob requests."""
        value = piece = self.request(struct.pack("<BH", READ, self.handles[uuid]))[1:]
        while len(piece) == self.att_mtu - 1:
            answer = self.request(struct.pack("<BHH", READ_BLOB, self.handles[uuid], len(value)), may_fail=True)
            piece = answer[1:] if answer[0] != ERROR else b""
            value += piece
        return value

    def subscribe(self):
        # The CCCD is the descriptor directly after the value.
        self.request(struct.pack("<BHH", WRITE, self.handles[TRANSFER] + 1, 1))
        return self

    def write(self, value):
        self._send(struct.pack("<BH", WRITE_COMMAND, self.handles[TRANSFER]) + value)

    def notification(self, seconds=SECONDS):
        while not self.arrived:
            self._take(self._receive(seconds))
        return self.arrived.pop(0)

    def request(self, pdu, may_fail=False):
        self._send(pdu)
        while True:
            answer = self._receive(SECONDS)
            if answer[0] in (pdu[0] + 1, ERROR) and not (answer[0] == ERROR and answer[1] != pdu[0]):
                if answer[0] == ERROR and not may_fail:
                    raise Failed(f"ATT error {answer.hex()} to {pdu.hex()}")
                return answer
            self._take(answer)

    def ended(self, seconds):
        """Returns whether the other side ends the link within this time."""
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                self._take(self._receive(end - time.monotonic()))
        except LinkLost:
            return True
        except Failed:
            pass
        return False

    def cut(self):
        disconnect(self.controller, self.handle)
        self.close()

    def close(self):
        if self.fd >= 0:
            give_away(self.fd)
            self.fd = -1

    def _take(self, pdu):
        if pdu[0] == NOTIFICATION and struct.unpack("<H", pdu[1:3])[0] == self.handles.get(TRANSFER):
            self.arrived.append(pdu[3:])
        elif pdu[0] == MTU_REQUEST:
            self._send(struct.pack("<BH", MTU_REQUEST + 1, self.own_mtu))
        elif not pdu[0] & 1 and pdu[0] < 0x40:
            # This phone has no attributes. It answers a server's request with: attribute not found.
            self._send(struct.pack("<BBHB", ERROR, pdu[0], 1, 0x0a))

    handles = {}

    def _send(self, pdu):
        try:
            os.write(self.fd, pdu)
        except OSError as error:
            raise LinkLost() from error

    def _receive(self, seconds):
        deadline = Deadline(seconds)
        while not select.select([self.fd], [], [], deadline.left())[0]:
            if deadline.is_over():
                raise Failed("nothing came within %.1f s of a quiet machine" % seconds)
        try:
            pdu = os.read(self.fd, 1024)
        except OSError as error:
            raise LinkLost() from error
        if not pdu:
            raise LinkLost()
        return pdu


class Conversation:
    """A channel of the phone that was written from docs/reference/protocol.md alone. It works over any link that has `att_mtu`,
    `write` and `notification`."""

    def __init__(self, link, phone, identity, code=None):
        self.link, self.tag = link, secrets.token_bytes(2)
        checked = protocol.Identity(identity)
        checked.check(phone.authority, phone.box_key, phone.box_id)
        self.segments = protocol.Segments(link.att_mtu)
        self.messages = []
        psm = getattr(link, "psm", 0)
        self.opening = protocol.Opening(checked.bytes, phone.key, phone.box_key, code, psm=psm)
        if psm:
            # Over an L2CAP channel, an SDU is one segment without a tag.
            self.tag, self.segments.room = b"", min(link.mtu, 1024)

    def open(self):
        self.send(self.opening.message)
        self.channel = self.opening.channel(self.receive())
        self.hello, sealed = self.channel.request(protocol.HELLO, protocol.VERSIONS, 0)
        self.send(sealed)
        return self

    def send(self, message, segments=None):
        """Sends the message. If `segments` is given, sends only that number of its segments and never the rest."""
        for segment in self.segments.cut(message)[:segments]:
            self.link.write(self.tag + segment)

    def receive(self):
        while not self.messages:
            value = self.link.notification()
            if not value.startswith(self.tag):
                continue
            whole, back = self.segments.arrived(value[len(self.tag):])
            self.messages += whole
            for segment in back:
                self.link.write(self.tag + segment)
        return self.messages.pop(0)

    def ask(self, kind, *fields):
        """Sends a request and returns the box's messages up to and including the result."""
        request, sealed = self.channel.request(kind, *fields)
        self.send(sealed)
        heard = []
        while not (heard and heard[-1][0] in ENDS and heard[-1][1] == request):
            message = self.channel.open(self.receive())
            if message is None:
                raise LinkLost("the box closed the channel")
            if message[0] != protocol.HELLO_ANSWER:
                heard.append(message)
        return heard

    def enrol(self, label):
        """Enrols: commits to a nonce, gets the box's nonce, reveals its own. Returns the box's last answer."""
        nonce = os.urandom(32)
        answer = self.ask(protocol.ENROL, label, self.channel.commitment(nonce))[-1]
        return self.ask(protocol.REVEAL, nonce)[-1] if answer[0] == protocol.ENROL_NONCE else answer

    def result(self, kind, *fields):
        return protocol.RESULT_CODES[self.ask(kind, *fields)[-1][2]]

    def close(self):
        self.send(self.channel.seal_close())
        # docs/reference/protocol.md requires this pause: an immediate disconnect can crash bluetoothd.
        select.select([], [], [], CLOSING_SECONDS)


class Keys:
    """The keys and box ID that a phone stores at its enrolment."""

    def __init__(self, code):
        self.key = protocol.KeyPair.new()
        self.authority, self.box_key, self.box_id = code.authority, code.box_key, code.box_id


def order(box, user="alice", *words):
    """Starts the administrator's command. Returns (command, the code that it shows)."""
    command = box.command("enrol", user, "--yes", *words)
    return command, protocol.EnrolmentCode(command.wait_for_code())


def ready_link(box_address, controller, att_mtu=517):
    """Connects, discovers, reads the identity and subscribes. Returns (link, identity)."""
    # Connecting sometimes fails, and a phone retries. bluetoothd may also still need two seconds to close the previous connection.
    end = time.monotonic() + 10
    while True:
        link = None
        try:
            link = Link(box_address, controller, att_mtu)
            identity = link.discover().read(IDENTITY)
            return link.subscribe(), identity
        except LinkLost as error:
            if link:
                link.cut()
            if time.monotonic() > end:
                raise Failed(f"the box cannot be reached: {error}") from error
            select.select([], [], [], 0.5)


def enrolled(box, box_address, controller, user="alice"):
    """Enrols a phone that works without bluetoothd. Returns its keys."""
    command, code = order(box, user)
    keys = Keys(code)
    link, identity = ready_link(box_address, controller)
    conversation = Conversation(link, keys, identity, code).open()
    answer = conversation.enrol("written from the document")
    conversation.close()
    link.cut()
    if answer[0] != protocol.ENROLLED:
        raise Failed(f"not enrolled: {answer}")
    command.ok()
    return keys
