"""The examples of docs/reference/protocol.md and the vectors of Tests/Vectors/protocol.md, by a phone without the box's code."""

import pathlib
import re

import cddl_verifier
import pytest

from independent_phone import (
    ENROL, HELLO, LOGIN, RESULT_CODES, REVEAL, VERSIONS, EnrolmentCode, Identity, KeyPair, Opening, Refused, Segments, decoded,
    prologue)

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs/reference/protocol.md").read_text(encoding="utf-8")
VECTORS = (ROOT / "Tests/Vectors/protocol.md").read_text(encoding="utf-8")


def block(info):
    """Returns the lines of the only block of that name on either page."""
    found, = re.findall(r"^```%s\n(.*?)^```$" % re.escape(info), DOCUMENT + VECTORS, re.MULTILINE | re.DOTALL)
    return found


def entries(info):
    """Returns (name, bytes) of a block of vectors, in order."""
    found = re.findall(r"^(\S.*):\n((?:  [0-9a-f]+\n)+)", block(info), re.MULTILINE)
    return [(name, bytes.fromhex("".join(lines.split()))) for name, lines in found]


def keys():
    return dict(entries("hex vectors-keys"))


def code():
    return EnrolmentCode(block("text vectors-code"))


def test_the_identity_is_that_of_the_box_and_of_no_other():
    known = keys()
    identity = Identity(known["identity"])
    box_key, authority = known["box's static public key"], known["authority's public key"]
    assert KeyPair(known["box's static private key"]).public == box_key
    identity.check(authority, box_key, "4711", lowest_serial=1)
    # A longer identity is valid. Only a newer certificate under the pinned key may have other digits.
    longer = Identity(known["identity"] + bytes(100))
    longer.check(authority, box_key, "4711", lowest_serial=1)
    assert longer.bytes[121:] == bytes(100)
    for changed in ((box_key, box_key, "4711", 0), (authority, authority, "4711", 0), (authority, box_key, "4712", 0),
                    (authority, box_key, "4712", 1), (authority, box_key, "4711", 2)):
        with pytest.raises(Refused):
            identity.check(*changed)
    for position in range(len(identity.bytes)):
        damaged = bytearray(identity.bytes)
        damaged[position] ^= 1
        if position < 2:
            continue  # newer versions and flags are allowed; the handshake binds these bytes
        with pytest.raises(Refused):
            Identity(bytes(damaged)).check(authority, box_key, "4711", lowest_serial=1)


def test_the_code_says_what_the_keys_are():
    known, read = keys(), code()
    assert (read.authority, read.box_key) == (known["authority's public key"], known["box's static public key"])
    assert (read.psk, read.code_id) == (known["PSK"], known["code id"])
    assert (read.box_id, read.user) == ("4711", b"ana")


CASES = ["enrolment", "login", "login-l2cap"]
PSM = {"login-l2cap": 0x80}


def requests(case, channel, vectors):
    """Returns the phone's messages after hello, as this phone builds them."""
    if case != "enrolment":
        return [("login", LOGIN, b"correct horse battery staple 32b")]
    nonce = vectors["phone's nonce"]
    assert channel.commitment(nonce) == vectors["commitment"]
    assert channel.six_digits(nonce, vectors["box's nonce"]) == vectors["six digits, in ASCII"].decode()
    return [("enrol", ENROL, "Ana's phone", channel.commitment(nonce)), ("reveal", REVEAL, nonce)]


@pytest.mark.parametrize("case", CASES)
def test_every_byte_of_the_phone_is_made_again_and_every_byte_of_the_box_is_understood(case):
    known, told = keys(), entries("hex vectors-" + case)
    vectors = dict(told)
    enrolment = code() if case == "enrolment" else None
    static = KeyPair(known["phone's static private key"])
    assert static.public == known["phone's static public key"]
    purpose = 2 if enrolment else 1
    assert prologue(purpose, known["identity"], enrolment.code_id if enrolment else b"", PSM.get(case, 0)) == vectors["prologue"]

    opening = Opening(
        known["identity"], static, known["box's static public key"], enrolment,
        KeyPair(vectors["phone's ephemeral private key"]), PSM.get(case, 0))
    assert opening.message == vectors["phone: first message"]
    channel = opening.channel(vectors["box: message 2"])
    assert channel.hash == vectors["handshake hash"]
    assert channel.request(HELLO, VERSIONS, 0) == (1, vectors["phone: hello, sealed"])
    for number, (name, kind, *fields) in enumerate(requests(case, channel, vectors), start=2):
        assert channel.request(kind, *fields) == (number, vectors["phone: %s, sealed" % name])
    for name, sealed in told:
        if name.startswith("box:") and name.endswith(", sealed"):
            message = channel.open(sealed)
            assert message == decoded(vectors[name.replace(", sealed", ", CBOR")])
    assert channel.seal_close() == vectors["phone: close, sealed"]


@pytest.mark.parametrize("case", CASES)
def test_segments_carry_the_messages(case):
    told = entries("hex vectors-" + case)
    phone, box = (Segments(185, 2_048 if case in PSM else None) for _ in range(2))
    whole = None
    for name, value in told:
        if name.endswith("message") or name.endswith("message 2") or name.endswith(", sealed"):
            whole = value
        elif name.endswith(", segment"):
            sender, receiver = (phone, box) if name.startswith("phone") else (box, phone)
            assert sender.cut(whole) == [value], name
            assert receiver.arrived(value) == ([whole], []), name


def test_the_smallest_segments_carry_the_same_login():
    messages = [value for name, value in entries("hex vectors-login")
                if name.endswith(("message", "message 2", ", sealed"))]
    ends = {"phone": Segments(23), "box": Segments(23)}
    carried, segments = [], [line.split() for line in block("hex vectors-login-23").splitlines()]
    for sender, segment in segments:
        arrived, back = ends["box" if sender == "phone" else "phone"].arrived(bytes.fromhex(segment))
        ends[sender].sent += 1
        carried += arrived
        assert back == []
    assert carried == messages


def test_segments_that_arrive_out_of_order_are_put_in_order():
    sender, receiver = Segments(23), Segments(23)
    message = bytes(range(200))
    segments = sender.cut(message)
    assert len(segments) > 8
    messages = []
    for segment in reversed(segments):
        messages += receiver.arrived(segment)[0]
    assert messages == [message]


def test_every_example_is_deterministic_cbor_and_no_code_is_missing():
    for line in block("hex examples").splitlines():
        decoded(bytes.fromhex(line.split()[1]))
    section = DOCUMENT[DOCUMENT.index("## 12. Result codes"):DOCUMENT.index("## 13. ")]
    listed = re.findall(r"^\| (\d+) \| ([a-z-]+) \|", section, re.MULTILINE)
    assert [(str(number), name) for number, name in enumerate(RESULT_CODES)] == listed


def test_every_example_is_what_the_cddl_says_and_no_more_than_that():
    schema = block("cddl")
    kinds = set()
    for line in block("hex examples").splitlines():
        name, text = line.split()
        message = bytes.fromhex(text)
        kinds.add(name)
        for rule in (name, "message"):
            result = cddl_verifier.validate(schema, message, root_type=rule)
            assert result.valid, (line, [str(diagnostic) for diagnostic in result.diagnostics])
        longer = bytes([message[0] + 1]) + message[1:] + b"\xf6"
        assert not cddl_verifier.validate(schema, longer, root_type="message").valid, line
    rules = re.search(r"phone-message =(.*?)\n\n.*box-message =(.*?)\n\n", schema, re.DOTALL)
    assert kinds == set(re.findall(r"[a-z][a-z-]*", rules.group(1) + rules.group(2)))
