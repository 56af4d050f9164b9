"""A delayed logout survives a restart of the agent. Extensions count per session, not per process."""

import sqlite3

from independent_phone import EXTEND, LOGIN, LOGOUT_CAUSES, LOGOUT_WARNING, LOGOUT_WARNINGS, STATE
from test_independent_phone import code_of, enrolled
from test_logind import owned
from test_logout_warning import until
from test_sessions import Login


def logged_in(box, logind):
    """Logs alice in. Returns (phone, the login's program, a channel for warnings)."""
    phone = enrolled(box, "alice")
    logind.add("c42", "alice", type="wayland")
    login = Login(box, "alice", terminal="tty2", session="c42")
    logind.change("c42", "Leader", login.program.process.pid)
    box.wait_until(box.programs_waiting)
    # Taps on another channel: the session opens before the tap is answered, so a warning could come before that answer.
    assert code_of(phone.open().ask(LOGIN, b"correct horse")) == "correct"
    return phone, login, phone.open(capabilities=LOGOUT_WARNINGS)


def test_a_logout_that_was_put_off_stays_put_off_over_a_kill_and_no_tap_is_given_back(box, logind):
    box.stop()
    box.write_config(**{"auto_logout.longest_seconds": "12", "auto_logout.extension_seconds": "60",
                        "auto_logout.extension_limit": "1"})
    box.start()
    phone, login, conversation = logged_in(box, logind)
    assert until(conversation, LOGOUT_WARNING)[-1][4] is True
    assert code_of(conversation.ask(EXTEND)) == "correct"
    box.kill()
    box.start()
    box.wait_until(lambda: owned(box, "c42"))
    conversation = phone.open(capabilities=LOGOUT_WARNINGS)
    warning = until(conversation, LOGOUT_WARNING)[-1]
    assert warning[3:] == [LOGOUT_CAUSES.index("longest"), False] and 12 < warning[2] <= 60
    assert code_of(conversation.ask(EXTEND)) == "not-allowed"
    assert logind.calls() == []
    login.close()


def test_a_tap_that_cannot_be_written_down_puts_nothing_off_and_is_not_called_done(box, logind):
    box.stop()
    box.write_config(**{"auto_logout.longest_seconds": "30", "auto_logout.extension_limit": "1"})
    database = sqlite3.connect(box.state / "vault.sqlite3")
    database.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE OF extensions ON sessions BEGIN SELECT RAISE(ABORT, 'no room'); END")
    database.close()
    box.start()
    phone, login, conversation = logged_in(box, logind)
    until(conversation, LOGOUT_WARNING)
    answers = conversation.ask(EXTEND)
    assert code_of(answers) == "box-fault" and answers[-2][8] <= 30
    # The warning is still valid, and the tap was not spent.
    assert until(phone.open(capabilities=LOGOUT_WARNINGS), LOGOUT_WARNING)[-1][3:] == [2, True]
    login.close()


def test_an_idle_session_goes_on_by_a_tap(box, logind):
    box.stop()
    box.write_config(**{"auto_logout.idle_seconds": "300"})
    box.start()
    phone, login, conversation = logged_in(box, logind)
    # The session counts as idle since the machine's boot, so only the one-minute warning is left.
    logind.idle("c42", 1)
    warning = until(conversation, LOGOUT_WARNING)[-1]
    assert warning[3:] == [LOGOUT_CAUSES.index("idle"), True] and warning[2] <= 60
    answers = conversation.ask(EXTEND)
    assert code_of(answers) == "correct" and [answer for answer in answers if answer[0] == STATE][-1][8] > 60
    assert [LOGOUT_WARNING, 0, None, None, None] in answers
    assert code_of(conversation.ask(EXTEND)) == "not-due"
    login.close()


def test_a_session_ends_though_its_phone_never_stops_tapping(box, logind):
    box.stop()
    box.write_config(**{"auto_logout.longest_seconds": "12", "auto_logout.extension_seconds": "60",
                        "auto_logout.extension_limit": "0"})
    box.start()
    phone, login, conversation = logged_in(box, logind)
    other = enrolled(box, "alice").open(capabilities=LOGOUT_WARNINGS)
    until(conversation, LOGOUT_WARNING)
    said = set()

    def taps_and_is_over():
        # Extends from the session's own phone, and from another phone of the same user.
        for channel in (conversation, other):
            said.add(code_of(channel.ask(EXTEND)))
        return logind.calls()

    box.wait_until(taps_and_is_over)
    assert logind.calls()[0] == ["terminate", "c42"]
    assert "not-allowed" in said and "correct" not in said
    login.close()
