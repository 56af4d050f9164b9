"""The example messages of docs/reference/protocol.md: the core in WebAssembly makes the phone's and understands the box's."""

import pytest
from independent_phone import HELLO, VERSIONS, KeyPair, Opening, Segments
from test_protocol_document import block, entries, keys
from test_wasm_vectors import row
from vector_phone import NO_CAPABILITIES, VectorPhone

PIN, PASSWORD, SECRET = b"4711", b"correct horse", bytes(range(0x80, 0xA0))
SEGMENT = 1_024
EXAMPLES = [(name, bytes.fromhex(text)) for name, text in (line.split() for line in block("hex examples").splitlines())]

# The phone's second request, and the order that causes it.
REQUESTS = {
    "login": ["logInWithPassword", PASSWORD], "login-with-pin": ["logInWithPIN", PIN],
    "store-credential": ["storeCredential", PASSWORD, PIN], "change-pin": ["changePIN", PIN, "café".encode()],
    "lock": ["lock"], "unlock": ["unlock"], "logout": ["logout"], "status": ["status"],
    "set-auto-logout": ["setAutoLogout", 900],
}
THRESHOLDS = {"840f02183e1851": ["setThresholds", -62, -81], "840f02f6f6": ["setThresholds", None]}
# The box's push messages, and what the core shows of them to a watching user.
PUSHES = {
    "8b150000f6190384183c197080f4f6f4f6": ["state", [0, None, 900, 60, 28_800, False, None, False, None]],
    "8b15000243616e61190384183c197080f4190383f50a": ["state", [2, b"ana", 900, 60, 28_800, False, 899, True, 10]],
    "8318190001": ["offer", 1],
    "85181a00183c03f5": ["warning", [60, 3, True]], "85181a00f6f6f6": ["warning", None],
    "87181c0007647375646f692f6465762f7474793243616e61181e": ["elevation", [7, b"sudo", b"/dev/tty2", b"ana", 30]],
    "83181d0007": ["elevation", None], "8318240002": ["sessionEnded", 2],
}
# The box's answers to the second request, which is a login, and the outcome that the core reports.
RESULTS = {
    "85140200f6f6": ["done"], "8514020601f6": ["refused", 6, 1, None], "8514020804183c": ["refused", 8, 4, 60],
}
NOT_SHOWN = {
    "hello": "the bit in it is a box's, which the core refuses to say; test_wasm_vectors.py compares one without",
    "enrol": "its commitment comes from a nonce; test_wasm_vectors.py compares one",
    "reveal": "the core's is its third request; test_wasm_vectors.py compares it",
    "enrolment": "the core asks for it behind a request, with a higher id",
    "site-login": "a page has no sites", "site-elevate": "a page has no sites", "site-ask": "a page has no sites",
    "cancel-login": "the core's follows a login, with a higher id",
    "extend": "the core asks for it behind status, with a higher id",
    "elevate": "as extend", "elevate-with-pin": "as extend", "decline-elevation": "as extend",
    "report-signal": "as extend", "ping": "the core chooses its bytes by chance, and greets with an empty one",
    "pong": "as ping",
    "enrolled": "an enrolment's, whose request is the third; test_wasm_vectors.py hands one in",
    "enrol-nonce": "the vectors' has another nonce; test_wasm_vectors.py hands one in",
    "enrol-pending": "test_wasm_vectors.py hands in the same bytes",
    "site-entry": "a page is a phone of no site", "site-grant": "as site-entry",
    "site-news-wanted": "as site-entry", "site-news": "as site-entry", "carry": "as site-entry", "carried": "as site-entry",
    "site-document": "as site-entry", "site-enrolled": "as site-entry",
}


def test_every_example_is_tried_or_has_a_reason():
    tried = set(REQUESTS) | {"set-thresholds", "hello-answer", "progress", "revoked"}
    for name, message in EXAMPLES:
        ways = [name in tried, message.hex() in THRESHOLDS or message.hex() in PUSHES or message.hex() in RESULTS, name in NOT_SHOWN]
        assert sum(ways) >= 1 and not (ways[2] and sum(ways) > 1), (name, message.hex())


def channel():
    """Returns the independent phone's channel with the keys of the vectors' login."""
    known, told = keys(), dict(entries("hex vectors-login"))
    opening = Opening(
        known["identity"], KeyPair(known["phone's static private key"]), known["box's static public key"], None,
        KeyPair(told["phone's ephemeral private key"]))
    return opening.channel(told["box: message 2"])


def phone_of(wasm, messages):
    """Returns a phone with the keys of the vectors' login, and its box. The box sends `messages` after the second request."""
    known, told = keys(), dict(entries("hex vectors-login"))
    box, sealing = Segments(185, SEGMENT), channel().receiving
    incoming = [(1, *box.cut(told["box: message 2"]))]
    incoming += [(3, *box.cut(sealing.seal(b"\x00" + message))) for message in messages]
    phone = VectorPhone(
        wasm, known["identity"], [told["phone's ephemeral private key"]],
        {"deviceKey": known["phone's static private key"], "deviceSecret": SECRET},
        ["carrier", b"\x01\x00\x00", SEGMENT, SEGMENT], incoming)
    return phone, box


def sent(wasm, word, *values, mode):
    """Returns the transport message of the core's second request."""
    phone, box = phone_of(wasm, [])
    phone.run(word, [row(keys(), mode)], *values, enough=3)
    return [message for segment in phone.written for message in box.arrived(segment)[0]][2]


def sealed(message):
    """Seals a message as the independent phone does after hello."""
    phone = channel()
    phone.request(HELLO, VERSIONS, NO_CAPABILITIES)
    return phone.seal(message)


@pytest.mark.parametrize("name, text", [(name, m.hex()) for name, m in EXAMPLES if name in REQUESTS or m.hex() in THRESHOLDS])
def test_the_core_asks_in_the_examples_bytes(wasm, name, text):
    order = REQUESTS.get(name) or THRESHOLDS[text]
    mode = "phoneHeld" if name == "login" else "boxHeld"
    assert sent(wasm, *order, mode=mode) == sealed(bytes.fromhex(text))


def first(name):
    return next(message for known, message in EXAMPLES if known == name)


def test_the_core_shows_what_the_examples_push_and_obeys_the_last(wasm):
    pushes = [bytes.fromhex(text) for text in PUSHES]
    answer = first("result")
    phone, _ = phone_of(wasm, [first("hello-answer"), answer, *pushes, first("revoked")])
    assert phone.run("watch", [row(keys())]) == ["failed", ["revoked", "4711"]]
    assert phone.watched == list(PUSHES.values())
    assert [command for command, *_ in phone.stored][-1] == "forget"


@pytest.mark.parametrize("text", RESULTS)
def test_the_core_tells_the_examples_results(wasm, text):
    phone, _ = phone_of(wasm, [first("hello-answer"), first("progress"), bytes.fromhex(text)])
    end = phone.run("logInWithPassword", [row(keys())], PASSWORD)
    assert end[:2] == ["answered", RESULTS[text]]
    assert ["delivered"] in phone.shown
