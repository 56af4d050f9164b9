"""A box's end of a link to a server of its site, written from docs/reference/site-protocol.md, section 14, alone. It uses the
checks of independent_site.py and the Noise of independent_phone.py, which share no code with the box.

    box = SiteBox(KeyPair.new(), code=JoinCode(text))
    box.connect(*box.code.servers[0])       # reads the greeting, and trusts it or raises Refused
    box.join()                              # or box.link(), once it has joined
    box.hello()
    said = box.receive()                    # Said(kind, value); None for close; waits until a deadline
"""

import base64
import collections
import ipaddress
import re
import socket
import struct
import time

import independent_phone
from independent_phone import Channel, Handshake
from held_credentials import HeldAnswer
from independent_site import SERVERS, Certificate, Document, Fields, Grant, Head, Newer, Refused, Revocation, check_signature, need

HANDSHAKE, SILENCE = 15, 150
SHORT, LONG = 1_024, 8_192
MOST_ENTRIES = 64
# The types of a box's messages, and of a site's.
HELLO, ENTRIES, END_OF_ENTRIES, DIFFERS, TOOK, LEAVING, OWN_HEAD, RENEW, ASK, ENROL_SELF = 1, 2, 3, 4, 5, 6, 7, 8, 11, 12
CERTIFICATE, SITE_ENTRIES, HEAD, DOCUMENT, WANT_ENTRIES, REFUSED, SITE_SERVERS, GRANT, HELD, SELF_ENROLMENT = (
    1, 2, 3, 4, 5, 6, 7, 8, 11, 12)
UNKNOWN_BOX, REMOVED, SUSPENDED, CODE_USED, CODE_EXPIRED, ALREADY_JOINED, NOT_NOW = 1, 2, 3, 4, 5, 6, 7

Said = collections.namedtuple("Said", "kind value")


class Ended(Refused):
    """The other side ended the connection, or was silent for too long."""


class ServerCertificate:
    def __init__(self, data):
        fields = Fields(data)
        self.bytes, self.issuer, self.key, self.expiry = data, fields.take(8), fields.take(32), fields.seconds()
        fields.end()

    def check(self, document, now=None):
        """Checks the certificate. `now` is the box's time, or None if the box does not know it."""
        key, expiry = document.issuer(self.issuer, SERVERS)
        need(now is None or now < expiry, "issuer expired")
        need(now is None or now < self.expiry, "expired")
        check_signature(b"boxlink-site-server-1", document.site, key, self.bytes)


class Greeting:
    def __init__(self, data):
        if data[:1] != b"\1":
            raise Newer("a link of version %r" % data[:1])
        self.bytes, self.certificate, self.document = data, ServerCertificate(data[1:114]), Document(data[114:])


def prologue(greeting, code_id=b""):
    return b"boxlink-site/1" + (b"\2" if code_id else b"\1") + struct.pack(">H", len(greeting)) + greeting + code_id


def address(text):
    """Returns (host, port) of an address."""
    match = re.fullmatch(r"(?:(\d+\.\d+\.\d+\.\d+)|\[([0-9A-Fa-f:.]+)\]):([1-9]\d{0,4})", text, re.ASCII)
    need(match, "no address")
    host, port = match[1] or match[2], int(match[3])
    try:
        (ipaddress.IPv4Address if match[1] else ipaddress.IPv6Address)(host)
    except ValueError as error:
        raise Refused("no address") from error
    need(port <= 65_535, "no port")
    return host, port


def read_addresses(data):
    """Reads 1 to 4 addresses, each with its length in front."""
    need(data and 1 <= data[0] <= 4, "no servers, or too many")
    found, rest = [], data[1:]
    for _ in range(data[0]):
        need(0 < len(rest) and rest[0] <= 64 and len(rest) > rest[0], "an address that was cut short")
        found.append(address(rest[1:1 + rest[0]].decode("ascii", "replace")))
        rest = rest[1 + rest[0]:]
    need(not rest, "bytes behind the last address")
    return found


class JoinCode:
    PREFIX = "boxsite:1/"

    def __init__(self, text):
        text = text.strip(" \t\n\v\f\r")
        need(text.startswith(self.PREFIX), "no join code")
        text = text[len(self.PREFIX):]
        try:
            data = base64.b32decode(text + "=" * (-len(text) % 8))
        except ValueError as error:
            raise Refused("a damaged join code") from error
        need(base64.b32encode(data).decode().rstrip("=") == text, "bits behind the last byte")
        self.root, self.code_id, self.secret = data[:32], data[32:40], data[40:72]
        self.servers = read_addresses(data[72:])


def hello(document, number=0, head_time=0, program=b"site_box"):
    numbers = struct.pack(">QQQQ", document.version, document.generation, number, head_time)
    return bytes([HELLO, 1]) + numbers + program


def entries(some):
    """Returns the message with 1 to 64 revocations."""
    return bytes([ENTRIES]) + b"".join(each.bytes for each in some)


def differs(number):
    return struct.pack(">BQ", DIFFERS, number)


def took(number):
    return struct.pack(">BQ", TOOK, number)


def read_entries(content):
    need(len(content) % 122 == 0 and 1 <= len(content) // 122 <= MOST_ENTRIES, "entries of another count")
    return [Revocation(content[start:start + 122]) for start in range(0, len(content), 122)]


SelfEnrolment = collections.namedtuple("SelfEnrolment", "number stage code digits reason text")
CODE_BYTES = 208


def read_self_enrolment(content):
    need(len(content) >= 5, "a message that is too short")
    number, stage, rest = int.from_bytes(content[:4], "big"), content[4], content[5:]
    code = digits = reason = text = None
    if stage == 1:
        need(len(rest) == 2 + CODE_BYTES, "a code of another length")
        code = rest[2:].decode("ascii")
    elif stage == 2:
        need(6 <= len(rest) <= 70 and rest[:6].isdigit(), "no digits")
        digits = rest[:6].decode("ascii")
    elif stage in (3, 4):
        need(len(rest) == 16, "a device id of another length")
    else:
        need(stage == 5 and 1 <= len(rest) <= 256 and 1 <= rest[0] <= 11, "an unknown stage")
        reason, text = rest[0], rest[1:].decode()
    return SelfEnrolment(number, stage, code, digits, reason, text)


def read_message(message):
    """Decodes a message of a site."""
    need(message, "an empty message")
    kind, content = message[0], message[1:]
    readers = {CERTIFICATE: Certificate, SITE_ENTRIES: read_entries, HEAD: Head, DOCUMENT: Document, GRANT: Grant}
    if kind in readers:
        return Said(kind, readers[kind](content))
    if kind == WANT_ENTRIES:
        need(not content, "a message that is too long")
        return Said(kind, None)
    if kind == SITE_SERVERS:
        return Said(kind, read_addresses(content))
    if kind == HELD:
        return Said(kind, HeldAnswer(content))
    if kind == SELF_ENROLMENT:
        return Said(kind, read_self_enrolment(content))
    need(kind == REFUSED and len(content) == 1 and 1 <= content[0] <= 8, "an unknown message")
    return Said(kind, content[0])


class SiteBox:
    """`static` is an independent_phone.KeyPair. `pin` is the newest Document that the box has. A box without one needs a code."""

    def __init__(self, static, pin=None, code=None, now=None, handshake=HANDSHAKE, silence=SILENCE):
        need(pin or code, "neither a pin nor a join code")
        self.static, self.pin, self.code, self.now = static, pin, code, now
        self.handshake_limit, self.silence = handshake, silence
        self.socket = self.greeting = self.channel = self.deadline = None
        self.longest = SHORT

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.drop()

    def connect(self, host, port):
        self.deadline = time.monotonic() + self.handshake_limit
        self.attach(socket.create_connection((host, port), timeout=self.handshake_limit))

    def attach(self, connection):
        """Reads the greeting from a connected socket. Trusts it or raises Refused."""
        self.socket, self.channel, self.longest = connection, None, SHORT
        self.deadline = self.deadline or time.monotonic() + self.handshake_limit
        self.greeting = Greeting(self.receive_frame())
        shown = self.greeting.document
        if self.pin is None:
            need(shown.root == self.code.root, "other root")
            shown.check()
            self.pin = shown
        elif shown.version > self.pin.version:
            try:
                self.pin = self.pin.followed_by(shown)
            except Refused:
                pass  # the document changes nothing
        self.greeting.certificate.check(self.pin, self.now)

    def link(self, ephemeral=None):
        """Runs the handshake of a box that has joined."""
        self._shake(prologue(self.greeting.bytes), b"\1", None, ephemeral)

    def join(self, ephemeral=None):
        """Runs the handshake with the join code."""
        code = self.code
        self._shake(prologue(self.greeting.bytes, code.code_id), b"\2" + code.code_id, code.secret, ephemeral)

    def _shake(self, bound, first, psk, ephemeral):
        try:
            handshake = Handshake(bound, self.static, self.greeting.certificate.key, psk, ephemeral)
            self.send_frame(first + handshake.message1())
            self.channel = handshake.channel(self.receive_frame())
        except independent_phone.Refused as error:
            raise Refused("the server has not the certified key") from error
        self.longest, self.deadline = LONG, time.monotonic() + self.silence

    def hello(self, number=0, head_time=0, program=b"site_box"):
        self.send(hello(self.pin, number, head_time, program))

    def took(self, number):
        self.send(took(number))

    def differs(self, number):
        self.send(differs(number))

    def renew(self, grant):
        """Requests another grant for an admitted phone."""
        self.send(bytes([RENEW]) + grant.bytes)

    def ask(self, number, channel, sealed):
        """Carries a message that a phone has sealed for its site."""
        self.send(struct.pack(">BI", ASK, number) + channel + sealed)

    def enrol_self(self, number, step, fields=b""):
        """Sends a step of a self-enrolment: a user at the box wants to enrol a phone (section 20)."""
        self.send(struct.pack(">BIB", ENROL_SELF, number, step) + fields)

    def leave(self):
        self.send(bytes([LEAVING]))

    def upload(self, some, head=None):
        """Sends all entries after the site has requested them, and the newest signed status of the box."""
        for start in range(0, len(some), MOST_ENTRIES):
            self.send(entries(some[start:start + MOST_ENTRIES]))
        if head is not None:
            self.send(bytes([OWN_HEAD]) + head.bytes)
        self.send(bytes([END_OF_ENTRIES]))

    def receive(self):
        """Returns the site's next message, or None for close. Raises Ended if the connection ends or the deadline passes."""
        sealed = self.receive_frame()
        try:
            plaintext = self.channel.receiving.open(sealed)
        except independent_phone.Refused as error:
            raise Refused("a message that does not decrypt") from error
        if plaintext == bytes([Channel.CLOSE]):
            return None
        need(plaintext[0] == Channel.DATA, "a transport message of another kind")
        said = read_message(plaintext[1:])
        self.deadline = time.monotonic() + self.silence
        return said

    def expect(self, kind):
        """Returns the value of the next message, which must be of that kind. Skips a list of servers before it."""
        said = self.receive()
        while said is not None and said.kind == SITE_SERVERS != kind:
            said = self.receive()
        need(said is not None and said.kind == kind, "another message: %r" % (said,))
        return said.value

    def close(self):
        """Closes the channel properly."""
        if self.channel:
            self.send_frame(self.channel.seal_close())
        self.drop()

    def drop(self):
        """Ends the connection as a box does that loses its power."""
        if self.socket:
            self.socket.close()
        self.socket = self.channel = self.deadline = None

    def send(self, message):
        self.send_frame(self.channel.seal(message))

    def send_frame(self, message):
        self.send_bytes(struct.pack(">H", len(message)) + message)

    def send_bytes(self, data):
        self._patience()
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Ended("the connection ended") from error

    def receive_frame(self):
        length = struct.unpack(">H", self._read(2))[0]
        need(1 <= length <= self.longest, "a frame of another length")
        return self._read(length)

    def _read(self, count):
        data = b""
        while len(data) < count:
            self._patience()
            try:
                piece = self.socket.recv(count - len(data))
            except TimeoutError as error:
                raise Ended("the server is silent") from error
            except OSError as error:
                raise Ended("the connection ended") from error
            if not piece:
                raise Ended("the server ended the connection")
            data += piece
        return data

    def _patience(self):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Ended("the server is silent")
        self.socket.settimeout(left)
