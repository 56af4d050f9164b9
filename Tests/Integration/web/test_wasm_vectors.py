"""The core in WebAssembly reproduces the phone's bytes of Tests/Vectors/protocol.md with the vectors' keys, and understands the
box's. The examples of docs/reference/segmentation.md are messages that no phone sends, so Tests/Links covers them. This file
compares segments of all sizes in the vectors."""

import pytest
from independent_phone import decoded
from test_protocol_document import block, entries, keys
from vector_phone import ROW, VectorPhone

LABEL = b"Ana's phone"
STATE = [1, b"ana", 900, 60, 28_800, False, None, False, None]
CASES = {"login": (b"\x01\x00\x00", 185 - 5), "login-l2cap": (b"\x02\x00\x80", 1_024)}

# Names that no call of the core shows, and why. The other names of the vectors are inputs, or are compared with outputs.
NOT_SHOWN = {
    "authority's seed": "a secret of the administrator",
    "box's static private key": "a secret of the box",
    "box's ephemeral private key": "a secret of the box",
    "prologue": "hashed: every sealed byte depends on it",
    "handshake hash": "hashed: commitment and digits depend on it",
    "phone's static public key": "sealed in the first message",
    "commitment": "sealed in enrol",
    "phone: hello, CBOR": "sealed", "phone: enrol, CBOR": "sealed", "phone: reveal, CBOR": "sealed",
    "box: hello, CBOR": "sealed: the requests behind it are answered only where it was understood",
    "box: enrol-nonce, CBOR": "sealed: the digits and reveal depend on it", "box: enrol-pending, CBOR": "sealed",
}
# Names of inputs, or of values that are compared. Sealed messages are left out: they are inside their segments.
SHOWN = {
    "authority's public key", "box's static public key", "box's nonce", "phone's static private key", "PSK", "code id",
    "box ID, in ASCII", "user, in ASCII", "identity", "phone's ephemeral private key", "phone's nonce",
    "six digits, in ASCII", "phone: login, CBOR", "box: progress, CBOR", "box: result, CBOR", "box: state, CBOR",
    "box: enrolled, CBOR", "phone: first message", "box: message 2",
}


def test_every_name_of_the_vectors_is_shown_or_has_a_reason():
    names = {name for case in ("keys", "enrolment", *CASES) for name, _ in entries("hex vectors-" + case)}
    carried = {name for name in names if name.endswith((", segment", ", sealed"))}
    assert SHOWN | set(NOT_SHOWN) == names - carried
    assert not SHOWN & set(NOT_SHOWN)


def row(known, mode="phoneHeld"):
    return [ROW, known["box ID, in ASCII"], known["box's static public key"], known["authority's public key"], 1,
            known["user, in ASCII"], LABEL, mode, True, True, True]


def conversation(told):
    """Returns the phone's segments, and the box's segments with the number of phone segments before each."""
    phone, box, whole = [], [], b""
    for name, value in told:
        if name.endswith((", sealed", " message", " message 2")):
            whole = value
        assert not name.endswith(", segment") or value.endswith(whole), name
        if name.startswith("phone: ") and name.endswith(", segment"):
            phone.append(value)
        elif name.startswith("box: ") and name.endswith(", segment"):
            box.append((len(phone), value))
    return phone, box


def log_in(wasm, case, incoming, binding, size):
    known, told = keys(), dict(entries("hex vectors-" + case))
    phone = VectorPhone(
        wasm, known["identity"], [told["phone's ephemeral private key"]], {"deviceKey": known["phone's static private key"]},
        ["carrier", binding, size, size], incoming)
    # Types the credential of the vectors' login message.
    credential = decoded(told["phone: login, CBOR"])[2]
    end = phone.run("logInWithPassword", [row(known)], credential)
    assert end == ["answered", ["done"], STATE, None]
    assert [progress[0] for progress in phone.shown][-1] == "delivered"
    assert phone.randoms == []
    return phone


@pytest.mark.parametrize("case", CASES)
def test_a_login_is_the_documents_byte_for_byte(wasm, case):
    told, (binding, size) = entries("hex vectors-" + case), CASES[case]
    phone = log_in(wasm, case, conversation(told)[1], binding, size)
    assert phone.written == conversation(told)[0]


def test_the_same_login_in_the_smallest_segments_is_the_documents(wasm):
    lines = [line.split() for line in block("hex vectors-login-23").splitlines()]
    phones = [bytes.fromhex(value) for sender, value in lines if sender == "phone"]
    incoming, count = [], 0
    for sender, value in lines:
        count += sender == "phone"
        if sender == "box":
            incoming.append((count, bytes.fromhex(value)))
    phone = log_in(wasm, "login", incoming, b"\x01\x00\x00", 23 - 5)
    assert phone.written == phones


def test_an_enrolment_is_the_documents_byte_for_byte_and_shows_its_digits(wasm):
    known, told = keys(), entries("hex vectors-enrolment")
    vectors = dict(told)
    secret = bytes(32)
    phone = VectorPhone(
        wasm, known["identity"],
        [known["phone's static private key"], secret, vectors["phone's ephemeral private key"], vectors["phone's nonce"]], {},
        ["carrier", b"\x01\x00\x00", 180, 180], conversation(told)[1])
    end = phone.run("enrol", block("text vectors-code").strip().encode(), LABEL, None)
    assert end == ["enrolled", phone.row]
    add = next(values for command, _, *values in phone.stored if command == "add")
    assert add == [
        known["box ID, in ASCII"], known["box's static public key"], known["authority's public key"], 1,
        known["user, in ASCII"], LABEL, known["phone's static private key"], secret]
    assert ["compare", vectors["six digits, in ASCII"].decode()] in phone.shown
    assert phone.written == conversation(told)[0]
    assert phone.randoms == []
