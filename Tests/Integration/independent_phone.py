"""A phone written from docs/reference/protocol.md and docs/reference/segmentation.md alone. It uses other libraries than our code:
PyNaCl for the primitives, cbor2 for CBOR, and Noise by hand. This phone proves that the pages suffice. If you write a phone in
another language, you may read this file next to the pages. Section numbers in comments are those of docs/reference/protocol.md."""

import base64
import hashlib
import hmac
import io
import struct

import cbor2
from nacl import bindings, exceptions


class Refused(Exception):
    """Outside data violates the protocol, or is not what it claims to be."""


def sha256(data):
    return hashlib.sha256(data).digest()


def hkdf(chaining_key, material, outputs):
    """HKDF of Noise, section 4.3."""
    key = hmac.digest(chaining_key, material, "sha256")
    result, block = [], b""
    for number in range(1, outputs + 1):
        block = hmac.digest(key, block + bytes([number]), "sha256")
        result.append(block)
    return result


def agree(private_key, public_key):
    try:
        return bindings.crypto_scalarmult(private_key, public_key)
    except (exceptions.RuntimeError, RuntimeError) as error:
        # libsodium itself refuses an all-zero result.
        raise Refused("a public key of low order") from error


class KeyPair:
    def __init__(self, private):
        self.private, self.public = private, bindings.crypto_scalarmult_base(private)

    @classmethod
    def new(cls):
        return cls(bindings.randombytes(32))


class Cipher:
    """Noise's CipherState with XChaChaPoly. The nonce is 16 zero bytes and the little-endian counter (section 6)."""

    def __init__(self, key):
        self.key, self.counter = key, 0

    def _nonce(self):
        self.counter += 1
        return bytes(16) + struct.pack("<Q", self.counter - 1)

    def seal(self, plaintext, associated=b""):
        return bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, associated, self._nonce(), self.key)

    def open(self, sealed, associated=b""):
        try:
            return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, associated, self._nonce(), self.key)
        except (exceptions.CryptoError, exceptions.ValueError) as error:
            raise Refused("not authentic") from error


class Handshake:
    """The initiator of IK, or of IKpsk1 with a PSK (section 6), or of pattern X (docs/reference/site-protocol.md, 19)."""

    def __init__(self, prologue, static, box_key, psk=None, ephemeral=None, pattern=b"IK"):
        name = b"Noise_%s%s_25519_XChaChaPoly_SHA256" % (pattern, b"psk1" if psk else b"")
        # Noise, section 5.2: a name that is not longer than a hash is used unhashed.
        self.hash = self.chaining_key = sha256(name) if len(name) > 32 else name.ljust(32, b"\0")
        self.static, self.box_key, self.psk = static, box_key, psk
        self.ephemeral = ephemeral or KeyPair.new()
        self.cipher = None
        self._mix_hash(prologue)
        self._mix_hash(box_key)

    def message1(self, payload=b""):
        message = self._mix_ephemeral(self.ephemeral.public)
        self._mix_key(agree(self.ephemeral.private, self.box_key))
        message += self._encrypt(self.static.public)
        self._mix_key(agree(self.static.private, self.box_key))
        if self.psk:
            self.chaining_key, mixed, key = hkdf(self.chaining_key, self.psk, 3)
            self._mix_hash(mixed)
            self.cipher = Cipher(key)
        return message + self._encrypt(payload)

    def channel(self, message2):
        """Reads message 2, which authenticates the box. Returns the channel."""
        if len(message2) != 48:
            raise Refused("message 2 has another length")
        ephemeral = self._mix_ephemeral(message2[:32])
        self._mix_key(agree(self.ephemeral.private, ephemeral))
        self._mix_key(agree(self.static.private, ephemeral))
        self.cipher.open(message2[32:], self.hash)
        self._mix_hash(message2[32:])
        sending, receiving = hkdf(self.chaining_key, b"", 2)
        return Channel(Cipher(sending), Cipher(receiving), self.hash)

    def _mix_hash(self, data):
        self.hash = sha256(self.hash + data)

    def _mix_key(self, material):
        self.chaining_key, key = hkdf(self.chaining_key, material, 2)
        self.cipher = Cipher(key)

    def _mix_ephemeral(self, public):
        self._mix_hash(public)
        if self.psk:
            self._mix_key(public)
        return public

    def _encrypt(self, plaintext):
        sealed = self.cipher.seal(plaintext, self.hash)
        self._mix_hash(sealed)
        return sealed


class Channel:
    """The channel of section 7."""

    DATA, CLOSE = 0, 1

    def __init__(self, sending, receiving, handshake_hash):
        self.sending, self.receiving, self.hash = sending, receiving, handshake_hash
        self.next_id = 1

    def commitment(self, nonce):
        """Returns the commitment of section 9."""
        return sha256(b"boxlink-enrol-commit-2" + self.hash + nonce)

    def six_digits(self, nonce, box_nonce):
        """Returns the six digits of section 9."""
        digest = sha256(b"boxlink-six-digits-2" + self.hash + nonce + box_nonce)
        return "%06d" % (int.from_bytes(digest[:8], "big") % 1_000_000)

    def seal(self, body):
        return self.sending.seal(bytes([self.DATA]) + body)

    def seal_close(self):
        return self.sending.seal(bytes([self.CLOSE]))

    def request(self, kind, *fields):
        """Returns (ID, transport message) of a request (section 8)."""
        request_id, self.next_id = self.next_id, self.next_id + 1
        return request_id, self.seal(cbor2.dumps([kind, request_id, *fields], canonical=True))

    def open(self, sealed):
        """Decodes the box's next message. Returns None for close."""
        plaintext = self.receiving.open(sealed)
        if plaintext[0] == self.CLOSE and len(plaintext) == 1:
            return None
        if plaintext[0] != self.DATA:
            raise Refused("a transport message of another kind")
        return decoded(plaintext[1:])


# Section 8
HELLO, ENROL, LOGIN, LOGIN_WITH_PIN, STORE_CREDENTIAL, CHANGE_PIN = 1, 2, 3, 4, 5, 6
CANCEL_LOGIN, LOCK, UNLOCK, LOGOUT, STATUS, SET_AUTO_LOGOUT, PING = 7, 8, 9, 10, 11, 12, 13
REPORT_SIGNAL, SET_THRESHOLDS, EXTEND = 14, 15, 27
HELLO_ANSWER, ENROLLED, ENROL_PENDING, PROGRESS, RESULT, STATE, REVOKED = range(16, 23)
PONG, OFFER = 24, 25
LOGOUT_WARNING, ELEVATION, ELEVATION_OVER = 26, 28, 29
ELEVATE, ELEVATE_WITH_PIN, DECLINE_ELEVATION = 30, 31, 32
REVEAL, ENROLMENT, ENROL_NONCE, SESSION_ENDED = 33, 34, 35, 36
SITE_ENTRY, SITE_GRANT = 37, 38
PRESENCE, ELEVATIONS, LOGOUT_WARNINGS, SESSION_ENDS = 1 << 2, 1 << 3, 1 << 4, 1 << 5
SITE_GRANTS = 1 << 7
LOGOUT_CAUSES = ["away", "idle", "longest", "closing"]
AT_THE_BOX, BY_PHONE, BY_ADMINISTRATOR = 0, 1, 2
VERSIONS = [2]

# Section 12
RESULT_CODES = [
    "correct", "wrong-credentials", "outcome-unknown", "account-locked", "account-expired", "password-must-change",
    "pin-wrong", "wiped", "locked-out", "revoked", "busy", "not-allowed", "timed-out", "protocol-version",
    "bad-request", "no-credential", "no-session", "cannot-lock", "did-not-lock", "credential-stale", "box-fault",
    "cancelled", "not-due", "already-enrolled", "tested", "grant-wanted", "grant-not-accepted", "site-document-needed",
    "grant-expired", "not-at-this-box", "revoked-by-site", "box-cut-off", "site-away", "account-denied",
    "not-let-in", "session-failed", "other-user-asked", "prompt-not-served"]


def decoded(message):
    """Decodes a message of section 8, which has exactly one encoding."""
    try:
        value = cbor2.CBORDecoder(io.BytesIO(message)).decode()
    except (cbor2.CBORDecodeError, ValueError, OverflowError) as error:
        raise Refused("not CBOR") from error
    if not isinstance(value, list) or cbor2.dumps(value, canonical=True) != message:
        raise Refused("not the deterministic encoding of an array")
    return value


def box_id_of(field):
    """Section 3: decodes four to six digits, padded with zero bytes."""
    digits = field.rstrip(b"\0")
    if not 4 <= len(digits) <= 6 or any(digit not in b"0123456789" for digit in digits):
        raise Refused("no box ID")
    return digits.decode("ascii")


def additions(rest):
    """Section 3: decodes additions as {kind: value}. Returns nothing if the bytes are not valid additions."""
    found, last = {}, 0
    while rest:
        kind, length = rest[0], int.from_bytes(rest[1:3], "big")
        value, rest = rest[3:3 + length], rest[3 + length:]
        if kind <= last or len(value) != length:
            return {}
        found[kind], last = value, kind
    return found


class Identity:
    """Section 3: the identity characteristic, and a phone's checks of it. Extra bytes are bound into the handshake too."""

    def __init__(self, value):
        if not 121 <= len(value) <= 512 or value[0] < 2 or value[2] != 2:
            raise Refused("an identity of another version or length")
        self.bytes, self.certificate, self.authority_id = value, value[2:113], value[113:121]
        self.box_id = box_id_of(self.certificate[1:7])
        self.box_key = self.certificate[7:39]
        self.serial = int.from_bytes(self.certificate[39:47], "big")
        self.additions = additions(value[121:])

    def check(self, authority, box_key, box_id, lowest_serial=0):
        if self.authority_id != sha256(authority)[:8]:
            raise Refused("a certificate of another authority")
        signed = b"\x0eboxlink-cert-2" + self.certificate[:47]
        try:
            bindings.crypto_sign_open(self.certificate[47:] + signed, authority)
        except exceptions.BadSignatureError as error:
            raise Refused("a signature that is not the authority's") from error
        if self.box_key != box_key:
            raise Refused("another box")
        if self.serial < lowest_serial:
            raise Refused("an older certificate than was seen")
        # Only a newer certificate may give the box other digits.
        if self.box_id != box_id and not 0 < lowest_serial < self.serial:
            raise Refused("other digits")


class EnrolmentCode:
    """The enrolment code of section 4."""

    PREFIX = "boxlink:2/"

    def __init__(self, text):
        text = text.strip()
        if not text.startswith(self.PREFIX):
            raise Refused("not an enrolment code")
        characters = text[len(self.PREFIX):]
        try:
            content = base64.b32decode(characters + "=" * (-len(characters) % 8))
        except ValueError as error:
            raise Refused("not base 32") from error
        if base64.b32encode(content).decode().rstrip("=") != characters or len(content) < 112:
            raise Refused("a damaged code")
        self.authority, self.box_key = content[:32], content[32:64]
        self.code_id, self.psk = content[64:72], content[72:104]
        self.box_id = box_id_of(content[104:110])
        self.user = content[111:]
        if len(self.user) != content[110] + 1:
            raise Refused("a damaged code")


def prologue(purpose, identity, code_id=b"", psm=0):
    """Returns the prologue of section 6. PSM 0 means GATT."""
    bearer = 2 if psm else 1
    return (b"boxlink/2" + bytes([purpose, bearer]) + struct.pack(">H", len(identity)) + identity
            + struct.pack(">H", psm) + code_id)


class Opening:
    """The first message of a link (section 6), and the channel that the answer opens."""

    def __init__(self, identity, static, box_key, code=None, ephemeral=None, psm=0):
        if code:
            agreed = prologue(2, identity, code.code_id, psm)
            handshake = Handshake(agreed, static, box_key, code.psk, ephemeral)
            self.message = b"\x02" + code.code_id + handshake.message1()
        else:
            handshake = Handshake(prologue(1, identity, psm=psm), static, box_key, None, ephemeral)
            self.message = b"\x01" + handshake.message1()
        self.channel = handshake.channel


class Segments:
    """Both directions of one link, as docs/reference/segmentation.md defines them. There are no timers: tests time their links."""

    FIRST, LAST, ACKNOWLEDGES, CONTROL, ASKS = 0x80, 0x40, 0x20, 0x10, 0x08
    WINDOW, OWN_ACKNOWLEDGEMENT = 32, 16

    def __init__(self, att_mtu, sdu=None):
        self.room = sdu or min(att_mtu - 3, 244) - 2  # a value also has the tag, of 2 bytes
        self.sent = self.acknowledged = 0
        self.taken = self.told = 0
        self.waiting = {}
        self.message = None

    def cut(self, message):
        """Returns the segments of a message. All messages here fit into the window, so this phone never waits for credit."""
        segments, offset = [], 0
        while offset == 0 or offset < len(message):
            head = bytes([self.sent % 256])
            flags = 0
            if self.taken > self.told and offset == 0:
                flags |= self.ACKNOWLEDGES
                head += struct.pack(">H", self.taken % 65_536)
                self.told = self.taken
            if offset == 0:
                flags |= self.FIRST
                head += struct.pack(">H", len(message) % 65_536)
            piece = message[offset:offset + self.room - 1 - len(head)]
            offset += len(piece)
            if offset == len(message):
                flags |= self.LAST
            segments.append(bytes([flags]) + head + piece)
            self.sent += 1
            if not message:
                break
        if self.sent - self.acknowledged > self.WINDOW:
            raise Refused("more than the window lets through")
        return segments

    def arrived(self, segment):
        """Returns (complete messages, segments to send back)."""
        flags = segment[0]
        if flags & self.CONTROL:
            self._acknowledge(struct.unpack(">H", segment[1:3])[0])
            return [], [self._control()] if flags & self.ASKS else []
        number = self.taken + (segment[1] - self.taken + 128) % 256 - 128
        position = 2
        if flags & self.ACKNOWLEDGES:
            self._acknowledge(struct.unpack(">H", segment[2:4])[0])
            position = 4
        total = None
        if flags & self.FIRST:
            total = struct.unpack(">H", segment[position:position + 2])[0]
            position += 2
        if number < self.taken:
            return [], []
        if number >= self.taken + self.WINDOW:
            raise Refused("a segment outside the window")
        self.waiting[number] = (total, bool(flags & self.LAST), segment[position:])
        messages = []
        while self.taken in self.waiting:
            messages += self._take(*self.waiting.pop(self.taken))
            self.taken += 1
        return messages, [self._control()] if self.taken - self.told >= self.OWN_ACKNOWLEDGEMENT else []

    def _take(self, total, last, piece):
        if total is not None:
            if self.message is not None:
                raise Refused("a message inside a message")
            self.message, self.total = b"", total or (0 if last else 65_536)
        if self.message is None:
            raise Refused("a piece of no message")
        self.message += piece
        if last != (len(self.message) == self.total):
            raise Refused("a message of another length than it said")
        if not last:
            return []
        whole, self.message = self.message, None
        return [whole]

    def _acknowledge(self, number):
        distance = (number - self.acknowledged + 32_768) % 65_536 - 32_768
        if self.acknowledged + distance > self.sent:
            raise Refused("an acknowledgement of what was never sent")
        self.acknowledged = max(self.acknowledged, self.acknowledged + distance)

    def _control(self):
        self.told = self.taken
        return bytes([self.CONTROL]) + struct.pack(">H", self.taken % 65_536)
