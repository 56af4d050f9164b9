"""The core in WebAssembly survives any input from a host. A trap would cost a user the phone's page."""

import os
import random

import cbor2
import pytest
from wasm_core import MESSAGE_BYTES, Core, CoreError

ROUNDS = int(os.environ.get("WASM_ROUNDS", "6000"))
KEY, ID = bytes(32), bytes(16)


def row(digits=b"1128"):
    return [ID, digits, KEY, KEY, 1, b"alice", b"", "boxHeld", True, False, True]


def site():
    return [ID, KEY, bytes(162), bytes(151), None, None, [bytes(122)], [KEY]]


ORDERS = [
    ["status", [row()]], ["login", [row()], True], ["watch", [row(), row()]], ["join", 1, b"boxsite-enrol:1/AAAA", b"", None, [site()]],
    ["storeCredential", [row()], b"password", b"4711"], ["changePIN", [row()], b"4711", b"4712"],
    ["setThresholds", [row()], -50, -70], ["atSite", 1, site(), "112800", "logInWithPassword", b"password"],
    ["find", "1128", [row()]], ["setAutoLogout", [row()], 600], ["logInWithPIN", [row()], b"4711"],
    ["reconsider", [row()]],
]


def events(op):
    return [
        ["heard", op, b"Box 1128", "a", -50], ["scanOver", op, None], ["linked", op], ["identity", op, bytes(122)],
        ["opened", op, "GATT", b"\x01\x00\x00", 20, 20], ["segment", op, bytes(20)], ["written", op],
        ["linkDown", op, "closed"], ["linkDown", op, "radio", "off"], ["signal", op, -60], ["vault", op, "done"],
        ["vault", op, "box", row()], ["vault", op, "box", None], ["vault", op, "secret", KEY],
        ["vault", op, "siteKey", ID, KEY],
        ["vault", op, "failed", "full"], ["vault", op, "credential", "pinWrong", 3, 3], ["pin", b"4711"], ["pin", None],
        ["chosen", ID], ["tap", "lock"], ["tap", "logIn", b"4711", KEY], ["tap", "allow", 1, b"4711", KEY],
        ["vault", op, "passwordHistory", None, 2], ["vault", op, "passwordHistory", 7, 0], ["again", True],
        ["tap", "decline", 1], ["stop"], ["cancel"], ["time"]]


def broken(data, dice):
    """Returns the message with damage: a flipped bit, a missing or added piece, or a changed length."""
    data = bytearray(data)
    for _ in range(dice.randint(1, 3)):
        place = dice.randrange(len(data) + 1)
        kind = dice.randrange(4)
        if kind == 0 and place < len(data):
            data[place] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del data[place:place + dice.randint(1, 8)]
        elif kind == 2:
            data[place:place] = dice.randbytes(dice.randint(1, 8))
        elif place < len(data):
            data[place] = dice.choice([0x00, 0x17, 0x18, 0x1B, 0x3B, 0x5B, 0x7B, 0x9B, 0xF6, 0xFF])
        if not data:
            break
    return bytes(data)


def test_no_bytes_and_no_order_of_calls_make_it_trap(wasm):
    seed = int(os.environ.get("WASM_SEED", random.SystemRandom().randrange(1 << 32)))
    print("WASM_SEED=%d" % seed)
    dice, core = random.Random(seed), Core(wasm)
    handles, now, started = [], 1_000_000, 0
    for _ in range(ROUNDS):
        now += dice.choice([0, 1, 1_000, 1_000_000, 90_000_000])
        try:
            if not handles or dice.random() < 0.05:
                data = cbor2.dumps(dice.choice(ORDERS), canonical=True)
                handles.append(core.start_bytes(broken(data, dice) if dice.random() < 0.3 else data, now))
                started += 1
            handle = dice.choice(handles)
            while core.action(handle) is not None:
                pass
            core.deadline(handle)
            data = cbor2.dumps(dice.choice(events(dice.randint(1, 12))), canonical=True)
            core.event_bytes(handle, broken(data, dice) if dice.random() < 0.3 else data, now)
            if dice.random() < 0.04:
                core.end(handles.pop(dice.randrange(len(handles))))
        except CoreError as error:
            assert -7 <= error.number < 0
            if error.number == -3:
                core.end(handles.pop(0))
    assert started > ROUNDS / 50
    # The core still works, and nothing was lost on the way.
    for handle in handles:
        core.end(handle)
    handle = core.start_bytes(cbor2.dumps(ORDERS[0], canonical=True), now)
    assert {core.action(handle)[0] for _ in range(2)} == {"scan", "show"}


@pytest.mark.parametrize("count", [0, 1, MESSAGE_BYTES, MESSAGE_BYTES + 1, 2 ** 31, 2 ** 32 - 1])
def test_any_length_is_refused_without_reading_beyond_the_buffer(wasm, count):
    core = Core(wasm)
    assert core.exports["boxphone_start"](core.store, count - (count >> 31 << 32), 0) in (-1, -4)


def test_the_buffer_keeps_nothing_once_an_errand_has_ended(wasm):
    core = Core(wasm)
    handle = core.start("logInWithPIN", [row()], b"4711")
    while core.action(handle) is not None:
        pass
    core.event(handle, "cancel")
    while core.action(handle)[0] != "finished":
        pass
    core.end(handle)
    assert core.memory.read(core.store, core.buffer, core.buffer + MESSAGE_BYTES).count(0) == MESSAGE_BYTES


def test_memory_does_not_grow_with_the_errands_that_were(wasm):
    core = Core(wasm)

    def one():
        handle = core.start("login", [row()], True)
        while core.action(handle) is not None:
            pass
        core.event(handle, "cancel")
        core.end(handle)

    for _ in range(50):
        one()
    size = core.memory.data_len(core.store)
    for _ in range(2_000):
        one()
    assert core.memory.data_len(core.store) == size
