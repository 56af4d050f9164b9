#!/usr/bin/env python3
"""Writes site.txt: the texts that a site signs, and the messages of its boxes and servers, with fixed keys. The layouts are those
of docs/reference/site-protocol.md. Python's `cryptography` signs them (OpenSSL's Ed25519 and X25519, not libsodium's).
site-protocol.md in this directory shows the same vectors.

    python3 generate_site.py [--check]       --check: compares, and writes nothing
"""
import base64
import hashlib
import pathlib
import struct
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import site_noise

DAY = 86_400
# 2027-01-15 08:00:00 UTC
START = 1_800_000_000


class Signer:
    def __init__(self, name, fill):
        self.name, self.seed = name, bytes([fill]) * 32
        self.key = Ed25519PrivateKey.from_private_bytes(self.seed)
        self.public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key_id = hashlib.sha256(self.public).digest()[:8]

    def sign(self, context, content):
        return content + self.key.sign(bytes([len(context)]) + context + SITE + content)


def x25519(fill):
    private = X25519PrivateKey.from_private_bytes(bytes([fill]) * 32)
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


ROOT, NEXT_ROOT, LAST_ROOT = Signer("root", 1), Signer("next root", 2), Signer("root after that", 3)
BOXES, PHONES, REVOCATIONS, SERVERS = (
    Signer("issuer of boxes", 11), Signer("issuer of phones", 12), Signer("issuer of revocations", 13),
    Signer("issuer of servers", 14))
SITE = hashlib.sha256(ROOT.public).digest()[:16]
PHONE, BOX, SERVER = x25519(21), x25519(22), x25519(31)
LINK_KEYS = {"box_private": 22, "server_private": 31, "box_ephemeral": 51, "server_ephemeral": 52}
CODE_ID, JOIN_SECRET = bytes(range(0xC0, 0xC8)), b"\x5a" * 32
ENROL_KEYS = {"phone_private": 21, "phone_ephemeral": 53, "site_ephemeral": 54}
SITE_SECRET = b"\x29" * 32
PHONE_NONCE, SITE_NONCE = bytes(range(0x50, 0x70)), bytes(range(0x70, 0x90))
USER = bytes(range(0x10, 0x20))


def u64(number):
    return struct.pack(">Q", number)


def ordinal(root, count):
    return struct.pack(">II", root, count)


def groups(numbers):
    return b"".join(struct.pack(">H", number) for number in numbers)


def document(root, following, version, generation):
    issuers = [(1, BOXES), (2, PHONES), (3, REVOCATIONS), (4, SERVERS)]
    listed = b"".join(bytes([role]) + issuer.public + u64(START + 400 * DAY) for role, issuer in issuers)
    return root.sign(b"boxlink-site-document-1", b"\x01" + SITE + version + generation + root.public
                     + hashlib.sha256(following.public).digest() + bytes([len(issuers)]) + listed)


def box_certificate():
    content = (b"\x01" + SITE[:6] + BOXES.key_id + b"004711" + BOX + groups([1, 7]).ljust(16, b"\0")
               + u64(START + DAY))
    return BOXES.sign(b"boxlink-site-box-1", content)


def grant(user, numbers, mode):
    content = (b"\x01" + PHONES.key_id + PHONE + USER + bytes([mode]) + ordinal(1, 1) + u64(41) + u64(START + 30 * DAY)
               + bytes([len(numbers)]) + groups(numbers) + bytes([len(user)]) + user)
    return PHONES.sign(b"boxlink-site-grant-1", content)


def revocation(kind, subject):
    content = b"\x01" + bytes([kind]) + subject + u64(START + 30 * DAY) + ordinal(1, 1) + REVOCATIONS.key_id
    return REVOCATIONS.sign(b"boxlink-site-revocation-1", content)


def set_hash(entries):
    contents = sorted(entry[:-64] for entry in entries)
    return hashlib.sha256(b"boxlink-site-set-1" + struct.pack(">I", len(contents)) + b"".join(contents)).digest()


def head(entries):
    content = (b"\x01" + REVOCATIONS.key_id + ordinal(1, 1) + u64(43) + ordinal(1, 3) + set_hash(entries)
               + u64(START + 60))
    return REVOCATIONS.sign(b"boxlink-site-head-1", content)


def server_certificate():
    content = b"\x01" + SERVERS.key_id + SERVER + u64(START + 30 * DAY)
    return SERVERS.sign(b"boxlink-site-server-1", content)


def prologue(greeting, code_id=b""):
    return b"boxlink-site/1" + (b"\x02" if code_id else b"\x01") + struct.pack(">H", len(greeting)) + greeting + code_id


def join_code(servers):
    content = ROOT.public + CODE_ID + JOIN_SECRET + bytes([len(servers)])
    content += b"".join(bytes([len(server)]) + server for server in servers)
    return b"boxsite:1/" + base64.b32encode(content).rstrip(b"=")


def conversation(of_prologue, psk, first, hello, answer):
    keys = [bytes([fill]) * 32 for fill in LINK_KEYS.values()]
    message1, message2, from_box, from_server = site_noise.conversation(of_prologue, *keys, psk)
    return {
        "first_message": first + message1, "message_2": message2, "from_box": site_noise.seal(from_box, 0, b"\0" + hello),
        "from_server": site_noise.seal(from_server, 0, b"\0" + answer), "close": site_noise.seal(from_box, 1, b"\1")}


def link_cases(signed, entries):
    greeting = b"\x01" + signed["server certificate"] + signed["site document"]
    hello = b"\x01\x01" + ordinal(1, 3) + ordinal(1, 1) + u64(42) + u64(START) + b"boxagentd 2.0.0"
    said = {
        "greeting": greeting,
        "prologue of a link": prologue(greeting),
        "prologue of joining": prologue(greeting, CODE_ID),
        "to a site: hello": hello,
        "to a site: entries": b"\x02" + b"".join(entries),
        "to a site: end of entries": b"\x03",
        "to a site: differs": b"\x04" + u64(43),
        "to a site: took": b"\x05" + u64(43),
        "to a site: leaving": b"\x06",
        "to a site: head": b"\x07" + signed["head"],
        "from a site: certificate": b"\x01" + signed["box certificate"],
        "from a site: entries": b"\x02" + entries[0],
        "from a site: head": b"\x03" + signed["head"],
        "from a site: document": b"\x04" + signed["site document of the next root"],
        "from a site: servers": b"\x07\x02\x0f192.0.2.10:4711\x13[2001:db8::10]:4711",
        "from a site: want entries": b"\x05",
        "from a site: refused, its code was used": b"\x06\x04",
    }
    for name, made in said.items():
        yield name, {"bytes": made}
    yield "keys of a link", {name: bytes([fill]) * 32 for name, fill in LINK_KEYS.items()}
    yield "a link", conversation(said["prologue of a link"], None, b"\x01", hello, said["from a site: head"])
    yield "join code, in ASCII", {
        "code_id": CODE_ID, "secret": JOIN_SECRET, "bytes": join_code([b"192.0.2.10:4711", b"[2001:db8::10]:4711"])}
    yield "joining", conversation(
        said["prologue of joining"], JOIN_SECRET, b"\x02" + CODE_ID, hello, said["from a site: certificate"])


def derived(context, more=b""):
    return hashlib.blake2b(context + more, key=SITE_SECRET, digest_size=32).digest()


def cbor(head, number):
    """Encodes a CBOR head: major type and argument (RFC 8949, section 3)."""
    for limit, mark, size in ((24, None, 0), (1 << 8, 24, 1), (1 << 16, 25, 2)):
        if number < limit:
            return bytes([head << 5 | (number if mark is None else mark)]) + (number.to_bytes(size, "big") if size else b"")
    raise ValueError(number)


def message(kind, number, *fields):
    """Encodes a message of docs/reference/protocol.md, section 8: bytes as byte strings, text as text, lists as arrays."""
    def field(value):
        if isinstance(value, bytes):
            return cbor(2, len(value)) + value
        if isinstance(value, str):
            return cbor(3, len(value)) + value.encode()
        if isinstance(value, list):
            return cbor(4, len(value)) + b"".join(field(each) for each in value)
        return cbor(0, value)
    return cbor(4, 2 + len(fields)) + cbor(0, kind) + cbor(0, number) + b"".join(field(each) for each in fields)


def enrolment_cases(signed):
    private, psk = derived(b"boxlink-site-key-1"), derived(b"boxlink-site-enrol-1", CODE_ID)
    public = site_noise.public(private)
    content = ROOT.public + public + CODE_ID + psk + SITE
    yield "enrolment code, in ASCII", {
        "site_secret": SITE_SECRET, "site_private": private, "site_public": public, "code_id": CODE_ID, "secret": psk,
        "bytes": b"boxsite-enrol:1/" + base64.b32encode(content).rstrip(b"=")}
    of_prologue = b"boxlink-site-enrol/1" + SITE + CODE_ID
    keys = {name: bytes([fill]) * 32 for name, fill in ENROL_KEYS.items()}
    message1, message2, to_site, to_phone, of_channel = site_noise.hashed(
        of_prologue, keys["phone_private"], private, keys["phone_ephemeral"], keys["site_ephemeral"], psk)
    commitment = hashlib.sha256(b"boxlink-enrol-commit-2" + of_channel + PHONE_NONCE).digest()
    digits = hashlib.sha256(b"boxlink-six-digits-2" + of_channel + PHONE_NONCE + SITE_NONCE).digest()
    yield "keys of an enrolment", keys
    yield "an enrolment", {
        "prologue": of_prologue, "first_message": b"\x02" + CODE_ID + message1, "message_2": message2,
        "handshake_hash": of_channel,
        "hello": site_noise.seal(to_site, 0, b"\0" + message(1, 1, [2], 0)),
        "site_hello": site_noise.seal(to_phone, 0, b"\0" + message(16, 1, 2, 256)),
        "phone_nonce": PHONE_NONCE, "commitment": commitment,
        "enrol": site_noise.seal(to_site, 1, b"\0" + message(2, 2, "Ana's phone", commitment)),
        "site_nonce": SITE_NONCE, "enrol_nonce": site_noise.seal(to_phone, 1, b"\0" + message(35, 2, SITE_NONCE)),
        "reveal": site_noise.seal(to_site, 2, b"\0" + message(33, 3, PHONE_NONCE)),
        "six_digits_in_ascii": b"%06d" % (int.from_bytes(digits[:8], "big") % 1_000_000),
        "enrol_pending": site_noise.seal(to_phone, 2, b"\0" + message(18, 3)),
        "site_document": site_noise.seal(to_phone, 3, b"\0" + message(41, 3, signed["site document"])),
        "site_enrolled": site_noise.seal(to_phone, 4, b"\0" + message(42, 3, signed["grant"])),
        "close": site_noise.seal(to_phone, 5, b"\1")}
    yield "to a site: carry", {"bytes": b"\x09" + struct.pack(">I", 7) + b"\x02" + CODE_ID + message1}
    yield "to a site: end carry", {"bytes": b"\x0a" + struct.pack(">I", 7)}
    yield "from a site: carried", {"bytes": b"\x09" + struct.pack(">I", 7) + message2}
    yield "from a site: carry ended", {"bytes": b"\x0a" + struct.pack(">I", 7)}


def held_cases():
    """Section 19: what an enrolled phone seals for its site, over a box's link."""
    key = site_noise.public(derived(b"boxlink-site-key-1"))
    yield "site key statement", {
        "bytes": ROOT.sign(b"boxlink-site-key-statement-1", b"\1" + ordinal(1, 1) + key)}
    phone = bytes([ENROL_KEYS["phone_private"]]) * 32
    phone_public, box = site_noise.public(phone), site_noise.public(bytes([LINK_KEYS["box_private"]]) * 32)
    pin_hash, device_secret, channel, salt = b"\x31" * 32, b"\x32" * 32, b"\x33" * 32, b"\x34" * 16
    pin_key = hashlib.blake2b(b"boxlink-site-pin-key-1" + pin_hash, key=device_secret, digest_size=32).digest()
    of_prologue = b"boxlink-site-held/1" + SITE + box + channel
    request = b"\1\2" + u64(1_800_000_000) + pin_key
    sealed = site_noise.one_way(of_prologue, phone, key, bytes([56]) * 32, request)
    yield "a held request", {
        "phone_private": phone, "phone_ephemeral": bytes([56]) * 32, "box_key": box, "channel": channel,
        "pin_salt": hashlib.sha256(b"boxlink-site-pin-salt-1" + SITE + phone_public).digest()[:16],
        "pin_hash": pin_hash, "device_secret": device_secret, "pin_key": pin_key, "prologue": of_prologue, "request": request,
        "bytes": sealed}
    yield "wrapping key of a credential", {
        "salt": salt, "bytes": derived(b"boxlink-site-credential-1", salt + phone_public + pin_key)}
    head = struct.pack(">BI", 11, 7)
    yield "to a site: ask", {"bytes": head + channel + sealed}
    credential = b"correct horse"
    yield "from a site: held, opened", {
        "bytes": head + b"\1\x0a" + struct.pack(">H", len(credential)) + credential + bytes(511 - len(credential))}
    yield "from a site: held, wrong PIN", {"bytes": head + b"\2\x09"}


def cases():
    for signer in (ROOT, NEXT_ROOT, BOXES, PHONES, REVOCATIONS, SERVERS):
        yield signer.name, {"seed": signer.seed, "public": signer.public, "key_id": signer.key_id}
    yield "site", {"id": SITE, "phone_key": PHONE, "box_key": BOX, "server_key": SERVER, "user_id": USER}
    entries = [revocation(1, PHONE), revocation(2, USER + u64(41) + bytes(8)), revocation(3, BOX)]
    signed = {
        "site document": document(ROOT, NEXT_ROOT, ordinal(1, 3), ordinal(1, 1)),
        "site document of the next root": document(NEXT_ROOT, LAST_ROOT, ordinal(2, 1), ordinal(2, 1)),
        "box certificate": box_certificate(),
        "server certificate": server_certificate(),
        "grant": grant(b"ana", [1], 0),
        "longest grant": grant(b"u" * 64, range(1, 9), 2),
        "revocation of a phone": entries[0],
        "revocation of a user": entries[1],
        "revocation of a box": entries[2],
        "notice of an enrolment": revocation(4, USER + b"004711" + u64(1_800_000_000)[3:] + bytes(range(0xA0, 0xA5))),
        "head": head(entries),
    }
    for name, made in signed.items():
        fields = {"bytes": made}
        if "grant" in name:
            fields["hash"] = hashlib.sha256(b"boxlink-site-grant-hash-1" + made).digest()[:16]
        yield name, fields
    yield "empty set", {"hash": set_hash([])}
    yield "set of the three", {"hash": set_hash(entries)}
    yield from link_cases(signed, entries)
    yield from enrolment_cases(signed)
    yield from held_cases()


def main():
    lines = ["# What a site signs and says; written by generate_site.py, which says how."]
    for name, fields in cases():
        lines += ["", "[%s]" % name] + ["%s = %s" % (key, value.hex()) for key, value in fields.items()]
    path, text = pathlib.Path(__file__).parent / "site.txt", "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if path.read_text() == text else "site.txt is not what this script writes")
    path.write_text(text)


if __name__ == "__main__":
    main()
