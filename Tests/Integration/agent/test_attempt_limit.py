"""The number of tries of a PIN, as the administrator sets it (pin.attempts), for credentials that the box holds."""
import signal

import pytest

from test_independent_phone import (
    ATTEMPTS, LOGIN_WITH_PIN, STATE, STATUS, STORE_CREDENTIAL, code_of, enrolled)

RIGHT, WRONG = b"2468", b"0000"


@pytest.fixture
def limited(make_box):
    """Provides a function that makes a box with a limit of tries, and a phone with a stored password."""
    def make(limit):
        box = make_box(**{"pin.attempts": str(limit)}).pam_service(users={"bob": b"bob's own"})
        phone = box.phone("b").enrol("bob", box_held=True)
        store(phone)
        return box, phone
    return make


def store(phone):
    phone.with_secrets("credentials", "set", password=b"bob's own", new_pin=RIGHT).ok()


def try_wrong(phone):
    """Logs in with a wrong PIN. Returns (exit status, boxphone's output)."""
    tap = phone.with_secrets("login", pin=WRONG)
    status = tap.wait()
    return status, tap.out + tap.err


def log_in(box, phone):
    program = box.pam("bob")
    box.wait_until(box.programs_waiting)
    phone.with_secrets("login", pin=RIGHT).ok()
    program.ok()


def set_limit(box, limit):
    reloads = box.agent.err.count("configuration reloaded")
    box.write_config(**{"pin.attempts": str(limit)})
    box.agent.process.send_signal(signal.SIGHUP)
    box.wait_until(lambda: box.agent.err.count("configuration reloaded") > reloads)
    assert "pin.attempts" not in box.agent.err, "no restart is asked for"


def left(box):
    device, = box.json("devices")
    return device["pin_attempts_left"]


def test_with_three_attempts_two_wrong_pins_leave_one_try_and_the_third_destroys(limited):
    box, phone = limited(3)
    assert left(box) == 3
    status, said = try_wrong(phone)
    assert status == 2 and "2 tries are left" in said
    status, said = try_wrong(phone)
    assert status == 2 and "ONE try is left" in said
    status, said = try_wrong(phone)
    assert status == 3 and "has destroyed the stored password" in said
    assert left(box) is None
    wiped, = [entry for entry in box.json("audit") if entry["event"] == "credential-wiped"]
    assert wiped["detail"] == "3 wrong PINs"
    assert phone.with_secrets("login", pin=RIGHT).wait() != 0
    store(phone)
    assert left(box) == 3, "a new credential has all of the tries"


def test_a_right_pin_gives_back_the_limit_of_the_box_not_ten(limited):
    box, phone = limited(4)
    for _ in range(3):
        assert try_wrong(phone)[0] == 2
    assert left(box) == 1
    log_in(box, phone)
    assert left(box) == 4


def test_a_limit_lowered_under_the_wrong_tries_destroys_nothing_and_leaves_one(limited):
    box, phone = limited(10)
    for _ in range(5):
        assert try_wrong(phone)[0] == 2
    set_limit(box, 3)
    assert left(box) == 1
    box.kill()
    box.start()
    assert left(box) == 1, "a start destroys nothing either"
    log_in(box, phone)
    assert left(box) == 3


def test_the_one_try_that_a_lowered_limit_leaves_is_the_last(limited):
    box, phone = limited(10)
    for _ in range(5):
        assert try_wrong(phone)[0] == 2
    set_limit(box, 3)
    assert try_wrong(phone)[0] == 3
    assert left(box) is None


def test_a_raised_limit_adds_the_difference_and_gives_no_used_try_back(limited):
    box, phone = limited(3)
    assert "2 tries are left" in try_wrong(phone)[1]
    set_limit(box, 5)
    assert left(box) == 4
    assert "3 tries are left" in try_wrong(phone)[1]
    set_limit(box, 3)
    assert left(box) == 1
    set_limit(box, 5)
    assert left(box) == 3, "to and fro, none is won"


def test_phones_that_are_connected_are_told_at_a_reload_what_a_changed_limit_leaves(make_box):
    box = make_box()
    secret = bytes(range(32))
    conversation = enrolled(box, "alice", "--box-held").open()
    assert code_of(conversation.ask(STORE_CREDENTIAL, "4711", secret, b"correct horse")) == "correct"
    for _ in range(4):
        assert code_of(conversation.ask(LOGIN_WITH_PIN, "0000", secret)) == "pin-wrong"
    assert conversation.ask(STATUS)[0][ATTEMPTS] == 6
    for limit, expected in [(7, 3), (3, 1), (10, 6)]:
        set_limit(box, limit)
        pushed = conversation.next()
        assert (pushed[0], pushed[ATTEMPTS]) == (STATE, expected)
