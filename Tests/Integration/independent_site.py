"""Reads and verifies a site's signed texts as docs/reference/site-protocol.md says. It is written from that page alone with another
library than our code: Python's `cryptography` (OpenSSL). This file proves that the page suffices. If you write a phone in another
language, you may read this file next to the page. Section numbers in comments are those of the page."""

import base64
import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

BOXES, PHONES, REVOCATIONS, SERVERS = 1, 2, 3, 4
PHONE, USER, BOX, NOTICE = 1, 2, 3, 4
LONGEST_CERTIFICATE = 504 * 3_600
LARGEST_SET, LARGEST_BOX_SET = 16_384, 1_024
LATE = 600
PRIME = 2**255 - 19
# The y coordinates of the points of small order. Those of order 8 have no short form.
SMALL_ORDER = {0, 1, PRIME - 1} | {int.from_bytes(bytes.fromhex(text), "little") for text in (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")}


class Refused(Exception):
    """Data is damaged or not trusted. `reason` is the reason of section 13, if it has one."""

    def __init__(self, what, reason=None):
        super().__init__(what)
        self.what, self.reason = what, reason


class Newer(Refused):
    """A layout version that this side does not know."""


def need(holds, what, reason=None):
    if not holds:
        raise Refused(what, reason)


def sha256(data):
    return hashlib.sha256(data).digest()


def key_id(key):
    return sha256(key)[:8]


def site_id(first_root):
    return sha256(first_root)[:16]


def check_signature(context, site, key, signed, refusal="not signed"):
    """Checks a signature as section 1 says. The library itself checks S, and compares R as bytes."""
    try:
        for point in (key, signed[-64:-32]):
            height = int.from_bytes(point, "little") & (1 << 255) - 1
            need(height < PRIME and height not in SMALL_ORDER, refusal, 1)
        content = bytes([len(context)]) + context + site + signed[:-64]
        Ed25519PublicKey.from_public_bytes(key).verify(signed[-64:], content)
    except (InvalidSignature, ValueError) as error:
        raise Refused(refusal, 1) from error


class Fields:
    """Reads a layout from its start. The signature is the last 64 bytes."""

    def __init__(self, data):
        self.data, self.position = data, 0
        need(len(data) > 0, "empty")
        if data[0] != 1:
            raise Newer("layout %d" % data[0])
        self.position = 1

    def take(self, count):
        need(len(self.data) - self.position >= count, "too short")
        self.position += count
        return self.data[self.position - count:self.position]

    def number(self, count):
        return int.from_bytes(self.take(count), "big")

    def seconds(self):
        found = self.number(8)
        need(found < 1 << 40, "a time out of range")
        return found

    def ordinal(self):
        """Reads a version or a generation (section 2)."""
        found = self.number(8)
        need(found >> 32 and found & 0xFFFF_FFFF, "a version or generation of 0")
        return found

    def groups(self, count):
        found = [self.number(2) for _ in range(count)]
        check_groups(found)
        return found

    def end(self):
        self.take(64)
        need(self.position == len(self.data), "too long")


def check_groups(found):
    need(1 <= len(found) <= 8, "no groups, or too many")
    need(found[0] > 0 and all(low < high for low, high in zip(found, found[1:])), "groups out of order")


class Document:
    """The site document of section 3."""

    def __init__(self, data):
        fields = Fields(data)
        self.bytes, self.site = data, fields.take(16)
        self.version, self.generation = fields.ordinal(), fields.ordinal()
        need(self.version >> 32 == self.generation >> 32, "a generation of another root")
        self.root, self.next_root_hash = fields.take(32), fields.take(32)
        count = fields.number(1)
        need(count <= 16, "too many issuers")
        issuers = [(fields.number(1), fields.take(32), fields.seconds()) for _ in range(count)]
        fields.end()
        need(all(1 <= role <= 4 for role, _, _ in issuers), "an unknown role")
        order = [issuer[:2] for issuer in issuers]
        need(order == sorted(order), "issuers out of order")
        self.issuers = {key_id(key): (role, key, expiry) for role, key, expiry in issuers}
        need(len(self.issuers) == count and self.root not in [key for _, key, _ in issuers], "a key twice")
        need(self.version >> 32 > 1 or self.site == site_id(self.root), "a site id of another root")

    @property
    def tag(self):
        return self.site[:6]

    def check(self):
        check_signature(b"boxlink-site-document-1", self.site, self.root, self.bytes)

    def issuer(self, wanted, role):
        need(wanted in self.issuers, "unknown issuer", 2)
        found, key, expiry = self.issuers[wanted]
        need(found == role, "wrong role", 1)
        return key, expiry

    def followed_by(self, newer):
        """Section 4: returns the pinned document after `newer` was seen."""
        if newer.bytes == self.bytes:
            return self
        need(newer.site == self.site, "other site")
        if newer.root == self.root:
            need(newer.version >> 32 == self.version >> 32, "another number of the same root")
            need(newer.version != self.version, "contradicts the pinned one")
            need(newer.version > self.version and newer.generation >= self.generation, "older")
            need(newer.next_root_hash == self.next_root_hash, "names another next root")
        else:
            need(sha256(newer.root) == self.next_root_hash, "other root")
            need(newer.version >> 32 == (self.version >> 32) + 1, "a root is missing")
        newer.check()
        return newer


class Certificate:
    """The box certificate of section 5."""

    def __init__(self, data):
        fields = Fields(data)
        self.bytes, self.tag, self.issuer = data, fields.take(6), fields.take(8)
        self.box_id, self.key = fields.take(6), fields.take(32)
        slots = [fields.number(2) for _ in range(8)]
        self.expiry = fields.seconds()
        fields.end()
        need(all(0x30 <= digit <= 0x39 for digit in self.box_id), "a box ID that is no digits")
        while slots and slots[-1] == 0:
            slots.pop()
        check_groups(slots)
        self.groups = slots


class Grant:
    """The grant of section 6."""

    def __init__(self, data):
        fields = Fields(data)
        self.bytes, self.issuer, self.key = data, fields.take(8), fields.take(32)
        self.user_id, self.mode = fields.take(16), fields.number(1)
        need(self.mode in (0, 2), "an unknown mode")
        self.generation, self.number, self.expiry = fields.ordinal(), fields.number(8), fields.seconds()
        self.groups = fields.groups(fields.number(1))
        self.user = fields.take(fields.number(1))
        fields.end()
        need(1 <= len(self.user) <= 64, "a user name of another length")
        need(all(byte >= 0x20 and byte not in b"/:\x7f" for byte in self.user), "a forbidden character")
        need(not self.user.startswith(b"-") and self.user not in (b".", b".."), "a forbidden user name")

    @property
    def hash(self):
        return sha256(b"boxlink-site-grant-hash-1" + self.bytes)[:16]

    def check(self, document):
        """Checks that an issuer of phones signed the grant. `lets_in` decides whether it is valid now."""
        key, _ = document.issuer(self.issuer, PHONES)
        check_signature(b"boxlink-site-grant-1", document.site, key, self.bytes)


class Revocation:
    """The revocation of section 7."""

    def __init__(self, data):
        fields = Fields(data)
        self.bytes, self.kind, self.subject = data, fields.number(1), fields.take(32)
        self.expiry, self.generation, self.issuer = fields.seconds(), fields.ordinal(), fields.take(8)
        fields.end()
        need(self.kind in (PHONE, USER, BOX, NOTICE), "an unknown kind")
        need(self.kind != NOTICE or self.subject[16:22].isdigit(), "a box ID that is none")
        need(self.kind != USER or self.subject[24:] == bytes(8), "a subject that is too long")

    @property
    def entry(self):
        return self.bytes[:-64]

    def takes_back(self, grant):
        if self.kind == USER and self.subject[:16] == grant.user_id:
            number = int.from_bytes(self.subject[16:24], "big")
            return grant.generation < self.generation or grant.generation == self.generation and grant.number <= number
        return self.kind == PHONE and self.subject == grant.key


class Head:
    """The signed status of section 8."""

    def __init__(self, data):
        fields = Fields(data)
        self.bytes, self.issuer = data, fields.take(8)
        self.generation, self.number, self.version = fields.ordinal(), fields.number(8), fields.ordinal()
        self.set_hash, self.time = fields.take(32), fields.seconds()
        fields.end()

    def check(self, document, previous=None):
        """Checks points 1 to 4 of section 8."""
        need(self.generation >= document.generation, "an older generation")
        need(self.generation == document.generation and self.version <= document.version, "needs the document", 2)
        if previous:
            need(self.number >= previous.number and self.time >= previous.time, "an older head")
            need((self.number, self.time) != (previous.number, previous.time), "an older head")
        key, expiry = document.issuer(self.issuer, REVOCATIONS)
        need(self.time < expiry, "issuer expired", 3)
        check_signature(b"boxlink-site-head-1", document.site, key, self.bytes)


class RevocationSet:
    """The revocation set of section 7, for one generation."""

    def __init__(self, largest=LARGEST_SET):
        self.entries, self.largest = {}, largest

    def add(self, revocation, document):
        need(revocation.generation >= document.generation, "an older generation")
        need(revocation.generation == document.generation, "needs the document", 2)
        key, _ = document.issuer(revocation.issuer, REVOCATIONS)
        need(revocation.entry in self.entries or len(self.entries) < self.largest, "full")
        check_signature(b"boxlink-site-revocation-1", document.site, key, revocation.bytes)
        self.entries.setdefault(revocation.entry, revocation)

    def hash(self, time, document):
        counted = sorted(
            entry for entry, revocation in self.entries.items()
            if revocation.expiry > time and document.issuers.get(revocation.issuer, (0,))[0] == REVOCATIONS)
        return sha256(b"boxlink-site-set-1" + len(counted).to_bytes(4, "big") + b"".join(counted))

    def forget(self, time):
        self.entries = {entry: revocation for entry, revocation in self.entries.items() if revocation.expiry > time}

    def check(self, grant):
        found = self.entries.values()
        need(not any(each.kind == PHONE and each.takes_back(grant) for each in found), "phone revoked", 5)
        need(not any(each.takes_back(grant) for each in found), "user revoked", 5)

    def check_box(self, key):
        need(not any(each.kind == BOX and each.subject == key for each in self.entries.values()), "box revoked", 5)


class BoxTime:
    """The time of section 9. `boot` is the boot ID and `clock` is CLOCK_BOOTTIME, in whole seconds."""

    def __init__(self, base, boot, clock, head_time=0):
        self.base, self.boot, self.clock, self.head_time = base, boot, clock, head_time

    def at(self, clock):
        elapsed = clock - self.clock
        return max(self.base + elapsed - elapsed // 1_024, self.head_time)

    def restarted(self, boot, clock):
        """Returns the time after the box has started with this boot ID and clock. This object stands for the stored time."""
        return self if boot == self.boot else BoxTime(self.base, boot, clock, self.head_time)

    def take(self, head_time, clock):
        """Takes the time of a signed status. Returns whether that status is fresh."""
        known = self.at(clock)
        if head_time >= known:
            self.base, self.clock = head_time, clock
        self.head_time = head_time
        return head_time + LATE >= known


class Allowance:
    """The offline allowance of section 10. An hour is (hours spent, boot ID, end on the boot's clock)."""

    def __init__(self, limit=24, written=None):
        self.limit, self.hour = limit, written

    def is_paid(self, boot, clock):
        return self.hour is not None and boot == self.hour[1] and clock < self.hour[2]

    def due(self, boot, clock):
        """Returns the next hour. The box must store the hour and pass it to `wrote` before it counts."""
        if self.hour is None or self.is_paid(boot, clock) or self.hour[0] >= self.limit:
            return None
        return self.hour[0] + 1, boot, clock + 3_600

    def wrote(self, hour):
        self.hour = hour

    def fresh(self, boot, clock):
        self.hour = 1, boot, clock + 3_600

    def check(self, boot, clock):
        need(self.is_paid(boot, clock) or self.due(boot, clock), "allowance used up", 6)
        need(self.is_paid(boot, clock), "hour not written down", 6)


def write_text(scheme, data):
    """Encodes a text as section 11, "Handing over a grant", says."""
    return scheme + base64.b32encode(data).decode().rstrip("=")


def read_text(scheme, text):
    text = text.strip(" \t\n\v\f\r")
    need(text.startswith(scheme), "another text")
    text = text[len(scheme):]
    try:
        data = base64.b32decode(text + "=" * (-len(text) % 8))
    except ValueError as error:
        raise Refused("a damaged text") from error
    need(base64.b32encode(data).decode().rstrip("=") == text, "bits behind the last byte")
    return data


def phone_check(key):
    return sha256(b"boxlink-site-phone-1" + key)[:4]


def phone_text(key):
    """Returns the text that a phone shows its administrator."""
    return write_text("boxsite-phone:1/", key + phone_check(key))


def read_phone_text(text):
    data = read_text("boxsite-phone:1/", text)
    need(len(data) == 36 and data[32:] == phone_check(data[:32]), "a damaged text")
    return data[:32]


class SiteKeyStatement:
    """The site key statement of section 19."""

    def __init__(self, data):
        fields = Fields(data)
        self.bytes, self.number, self.key = data, fields.ordinal(), fields.take(32)
        fields.end()

    def check(self, document):
        need(self.number >> 32 == document.version >> 32, "of another root")
        check_signature(b"boxlink-site-key-statement-1", document.site, document.root, self.bytes)


class GrantText:
    """The grant's text for a phone: the site document and the grant."""

    def __init__(self, text):
        data = read_text("boxsite-grant:1/", text)
        need(len(data) > 2, "too short")
        end = 2 + int.from_bytes(data[:2], "big")
        # The site key statement follows a grant whose credential the site holds.
        is_held = data[end + 57:end + 58] == b"\2"
        grant, statement = (data[end:-105], data[-105:]) if is_held else (data[end:], None)
        self.document, self.grant = Document(data[2:end]), Grant(grant)
        self.site_key = SiteKeyStatement(statement) if is_held else None

    def check(self, phone_key):
        """Checks the text as a phone without a pinned document does."""
        if self.site_key:
            self.site_key.check(self.document)
        self.document.check()
        need(self.grant.key == phone_key, "for another phone")
        self.grant.check(self.document)


def lets_in(document, certificate, grant, phone_key, time, check_hour, revoked):
    """Section 11: decides whether a box admits the phone."""
    need(grant.key == phone_key, "other phone", 1)
    key, expiry = document.issuer(grant.issuer, PHONES)
    need(set(grant.groups) & set(certificate.groups), "other groups", 4)
    need(time is not None, "no time", 6)
    need(time < expiry, "issuer expired", 3)
    need(time < grant.expiry, "expired", 3)
    check_hour()
    check_signature(b"boxlink-site-grant-1", document.site, key, grant.bytes)
    revoked.check(grant)


def believes(document, certificate, box_key, box_id, grant, time, revoked):
    """Section 12: decides whether a phone trusts the box."""
    need(certificate.tag == document.tag, "other site", 1)
    need(certificate.key == box_key, "other key", 1)
    need(box_id is None or certificate.box_id == box_id, "other box ID", 1)
    key, expiry = document.issuer(certificate.issuer, BOXES)
    need(time < expiry, "issuer expired", 6)
    need(time < certificate.expiry, "expired", 6)
    need(set(grant.groups) & set(certificate.groups), "other groups", 4)
    check_signature(b"boxlink-site-box-1", document.site, key, certificate.bytes)
    revoked.check_box(certificate.key)
