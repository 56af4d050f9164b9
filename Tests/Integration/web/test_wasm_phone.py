"""The core in WebAssembly against the real boxagentd: a page's work without a page."""

import pexpect
import pytest
from box import BIN, PATIENCE

OLD, NEW = b"4711", b"8642"


def enrol(box, phone, box_held=True, decide=None):
    """Enrols the phone with the administrator's code. Both sides show the same digits."""
    order = box.command("enrol", "alice", *(["--box-held"] if box_held else []), *(["--yes"] if decide is None else []))
    end = phone.run("enrol", order.wait_for_code().encode(), b"a page", None)
    return order, end


@pytest.fixture
def enrolled(box, phone):
    order, end = enrol(box, phone)
    order.ok()
    assert end[0] == "enrolled", end
    assert phone.run("storeCredential", phone.boxes(), b"correct horse", OLD)[:2] == ["answered", ["done"]]
    return phone


def test_a_phone_enrols_stores_its_password_at_the_box_and_logs_in(box, enrolled):
    program = box.pam("alice")
    box.wait_until(lambda: box.programs_waiting() == 1)
    enrolled.pins = [OLD]
    assert enrolled.run("login", enrolled.boxes(), True) == ["loggedIn", ["done"]]
    assert program.wait() == 0
    assert ["passwordAccepted"] in enrolled.shown
    # The number of tries left is known before the PIN is typed.
    assert enrolled.asked == [(box.id, 10, False)]


def test_nothing_is_enrolled_before_the_administrator_has_seen_the_phones_digits(box, phone):
    terminal = pexpect.spawn(
        str(BIN / "boxagent"), ["enrol", "alice", "--socket", str(box.run / "control.sock")], encoding="utf-8",
        timeout=PATIENCE, dimensions=(60, 700))
    terminal.expect(r"boxlink:\S+")
    code = terminal.after.encode()

    def compare(progress):
        if progress[0] == "compare":
            terminal.expect_exact("%s %s" % (progress[1][:3], progress[1][3:]))
            assert not any(row["confirmed"] for row in phone.rows.values())
            terminal.sendline("y")

    phone.on_shown = compare
    assert phone.run("enrol", code, b"a page", None)[0] == "enrolled"
    terminal.expect(pexpect.EOF)


def test_a_wrong_pin_says_how_many_tries_are_left_and_the_last_wipes(box, enrolled):
    for left in range(9, 0, -1):
        assert enrolled.run("logInWithPIN", enrolled.boxes(), b"0000")[1] == ["refused", 6, left, None], left
    assert enrolled.run("logInWithPIN", enrolled.boxes(), b"0000")[1][:2] == ["refused", 7]
    # The device secret on this phone is destroyed too.
    assert enrolled.rows and all(row["device_secret"] is None for row in enrolled.rows.values())
    assert enrolled.run("logInWithPIN", enrolled.boxes(), OLD) == ["failed", ["noDeviceSecret", box.id]]


def test_a_pin_is_changed_and_the_old_one_opens_nothing(box, enrolled):
    assert enrolled.run("changePIN", enrolled.boxes(), OLD, NEW)[1] == ["done"]
    assert enrolled.run("logInWithPIN", enrolled.boxes(), OLD)[1][:3] == ["refused", 6, 9]
    program = box.pam("alice")
    box.wait_until(lambda: box.programs_waiting() == 1)
    assert enrolled.run("logInWithPIN", enrolled.boxes(), NEW)[1] == ["done"]
    assert program.wait() == 0


def test_a_wrong_password_at_the_box_is_said_on_the_phone(box, enrolled):
    assert enrolled.run("storeCredential", enrolled.boxes(), b"wrong horse", OLD)[1] == ["done"]
    program = box.pam("alice")
    box.wait_until(lambda: box.programs_waiting() == 1)
    assert enrolled.run("logInWithPIN", enrolled.boxes(), OLD)[1][:2] == ["refused", 1]
    assert program.wait() != 0


def test_a_password_that_was_refused_is_not_sent_again_without_a_yes(box, enrolled):
    assert enrolled.run("storeCredential", enrolled.boxes(), b"wrong horse", OLD)[1] == ["done"]
    for asked in (0, 1):
        program = box.pam("alice")
        box.wait_until(lambda: box.programs_waiting() == 1)
        enrolled.sends_again = False
        for _ in range(2 * asked):
            assert enrolled.run("logInWithPIN", enrolled.boxes(), OLD) == ["loggedIn", ["notSentAgain"]]
            assert enrolled.run("login", enrolled.boxes(), True) == ["loggedIn", ["notSentAgain"]]
        enrolled.sends_again = True
        assert enrolled.run("logInWithPIN", enrolled.boxes(), OLD)[1][:2] == ["refused", 1]
        assert program.wait() != 0
    assert len(enrolled.asked) == 5
    assert [refused is not None for refused, _ in enrolled.histories.values()] == [True]
    assert enrolled.run("storeCredential", enrolled.boxes(), b"correct horse", OLD)[1] == ["done"]
    assert list(enrolled.histories.values()) == [(None, 0)]


def test_a_revoked_phone_destroys_what_it_kept(box, enrolled):
    (device,) = box.json("devices")
    enrolled.on_watched = lambda event: event[0] == "state" and box.command("revoke", device["id"], "--yes").ok()
    assert enrolled.run("watch", enrolled.boxes()) == ["failed", ["revoked", box.id]]
    assert enrolled.rows == {}


def test_a_phone_that_was_revoked_while_it_was_away_is_refused_and_says_so(box, enrolled):
    (device,) = box.json("devices")
    box.command("revoke", device["id"], "--yes").ok()
    assert enrolled.run("status", enrolled.boxes()) == ["failed", ["notAccepted", box.id]]


def test_a_lost_link_is_settled_and_a_login_is_never_sent_twice(box, enrolled):
    """The link breaks after the login's last segment. The phone sends a harmless request, and reports an unknown outcome."""
    program = box.pam("alice")
    box.wait_until(lambda: box.programs_waiting() == 1)
    sent = []

    def cut(segment):
        sent.append(segment)
        if len(sent) == 3:
            enrolled._close()

    enrolled.on_segment = cut
    end = enrolled.run("logInWithPIN", enrolled.boxes(), OLD)
    assert end == ["failed", ["linkLost", box.id]]
    assert list(enrolled.histories.values()) == [(None, 1)], "the outcome is unknown"
    enrolled.on_segment = lambda segment: None
    assert enrolled.run("status", enrolled.boxes())[0] == "answered"
    program.stop()


def test_every_key_is_kept_before_the_box_hears_of_it(box, phone):
    order_of_events = []
    phone.on_stored = lambda command: order_of_events.append(command)
    phone.on_segment = lambda segment: order_of_events.append("segment")
    order, end = enrol(box, phone)
    order.ok()
    assert end[0] == "enrolled"
    assert order_of_events.index("add") < order_of_events.index("segment")


def test_memory_keeps_neither_pin_nor_password_nor_keys_after_an_errand(box, enrolled):
    enrolled.run("storeCredential", enrolled.boxes(), b"correct horse", OLD)
    enrolled.run("logInWithPIN", enrolled.boxes(), b"90817263")
    memory = enrolled.core.everything()
    (row,) = enrolled.rows.values()
    for secret in (b"correct horse", b"90817263", row["device_key"], row["device_secret"]):
        assert secret not in memory


def test_the_core_asks_its_host_for_random_bytes_and_nothing_else(phone):
    assert phone.core.imports == [("env", "random_bytes")]
