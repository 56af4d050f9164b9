"""The warning before an automatic logout reaches the phone. A tap there delays the logout, within the administrator's limits."""

import json
import signal

import pexpect
import pytest

from box import BIN
from independent_phone import (
    AT_THE_BOX, BY_ADMINISTRATOR, EXTEND, LOGIN, LOGOUT_CAUSES, LOGOUT_WARNING, LOGOUT_WARNINGS, RESULT, SESSION_ENDED,
    SESSION_ENDS, STATE, STATUS)
from test_independent_phone import code_of, enrolled
from test_sessions import Login, commands, log_in  # noqa: F401


@pytest.fixture
def ready(make_box, commands):  # noqa: F811
    """A box on which a session lasts 20 s, and one tap adds an hour."""
    words = '["%s", "%s", "{user}", "{session}", "{tty}"]'
    box = make_box(**{f"sessions.{name}_command": words % (commands, name) for name in ("lock", "unlock", "logout")},
                   **{"auto_logout.longest_seconds": "20", "auto_logout.extension_seconds": "3600",
                      "auto_logout.extension_limit": "1", "auto_logout.minimum_seconds": "10"})
    box.pam_service(users={"alice": b"correct horse", "bob": b"bob's own"})
    called = commands.parent / "called"
    box.called = lambda: called.read_text().splitlines() if called.exists() else []
    return box


def reconfigure(box, **settings):
    box.write_config(**settings)
    box.agent.process.send_signal(signal.SIGHUP)


def enrol(box):
    box.alice = box.phone("a").enrol("alice", b"correct horse")
    return box.alice


def until(conversation, kind):
    """Returns the box's next messages, up to a message of that kind."""
    heard = []
    while not heard or heard[-1][0] != kind:
        heard.append(conversation.next())
    return heard


def open_session(box, phone, **how):
    """Logs alice in with the independent phone. Returns (the program, another channel of the phone)."""
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    conversation = phone.open(**how)
    assert code_of(conversation.ask(STATUS)) == "correct"
    # Taps on another channel: the session opens before the tap is answered, so a warning could come before that answer.
    assert code_of(phone.open().ask(LOGIN, b"correct horse")) == "correct"
    login.program.wait_for("session is open")
    return login, conversation


def test_a_phone_written_from_the_document_is_warned_and_puts_the_logout_off_once(ready):
    phone = enrolled(ready, "alice")
    login, conversation = open_session(ready, phone, capabilities=LOGOUT_WARNINGS)
    assert conversation.capabilities & LOGOUT_WARNINGS
    *before, warning = until(conversation, LOGOUT_WARNING)
    seconds = warning[2]
    assert warning == [LOGOUT_WARNING, 0, seconds, LOGOUT_CAUSES.index("longest"), True] and seconds <= 20
    # The state that came with the warning has the same time.
    assert before[-1][0] == STATE and before[-1][8] - seconds in (0, 1)

    answers = conversation.ask(EXTEND)
    assert code_of(answers) == "correct"
    assert [LOGOUT_WARNING, 0, None, None, None] in answers
    assert [answer for answer in answers if answer[0] == STATE][-1][8] > 3_600
    assert code_of(conversation.ask(EXTEND)) == "not-due"
    assert "extend" in [entry["detail"] for entry in ready.json("audit")]

    # The new limits cancel the whole extension. The warning comes again, and no tap can delay the logout.
    reconfigure(ready, **{"auto_logout.extension_seconds": "60", "auto_logout.longest_seconds": "1"})
    warning = until(conversation, LOGOUT_WARNING)[-1]
    assert warning[3:] == [LOGOUT_CAUSES.index("longest"), False] and warning[2] <= 60
    answers = conversation.ask(EXTEND)
    assert code_of(answers) == "not-allowed" and answers[-2][0] == STATE
    login.close()
    assert until(conversation, LOGOUT_WARNING)[-1] == [LOGOUT_WARNING, 0, None, None, None]
    conversation.close()


def test_whoever_comes_while_a_warning_stands_hears_it_and_whoever_did_not_ask_for_warnings_hears_none(ready):
    phone = enrolled(ready, "alice")
    login, conversation = open_session(ready, phone)
    answers = conversation.ask(STATUS)
    assert [message[0] for message in answers if message[0] not in (STATE, RESULT)] == []
    late = phone.open(capabilities=LOGOUT_WARNINGS)
    answers = late.ask(STATUS)
    assert answers[0][0] == LOGOUT_WARNING and answers[0][4] is True
    assert answers[-2][0] == STATE and answers[-2][8] <= 20
    login.close()


def test_the_phone_of_somebody_else_cannot_put_a_logout_off_nor_hears_of_it(ready):
    phone, other = enrolled(ready, "alice"), enrolled(ready, "bob")
    second = enrolled(ready, "alice")
    login, conversation = open_session(ready, phone, capabilities=LOGOUT_WARNINGS)
    until(conversation, LOGOUT_WARNING)
    for stranger in (other, second):
        foreign = stranger.open(capabilities=LOGOUT_WARNINGS)
        answers = foreign.ask(EXTEND)
        assert code_of(answers) == "no-session"
        assert [message[0] for message in answers] == [STATE, RESULT]
    answers = conversation.ask(STATUS)
    assert LOGOUT_WARNING not in [message[0] for message in answers] and answers[-2][8] <= 20
    assert "extend" not in [entry["detail"] for entry in ready.json("audit")]
    login.close()


def test_boxphone_puts_it_off_and_says_why_where_it_does_not(ready):
    alice = enrol(ready)
    assert alice.command("extend").wait() == 9
    login = log_in(ready)
    said = alice.command("extend").ok()
    assert "continues; it ends in 6" in said, said
    nothing = alice.command("extend")
    assert nothing.wait() == 9 and "nothing to put off" in nothing.err
    reconfigure(ready, **{"auto_logout.extension_seconds": "60", "auto_logout.longest_seconds": "1"})
    # The session now ends 61 s after its login, so the warning comes soon.
    refused = ready.wait_until(lambda: next((tap for tap in [alice.command("extend")] if tap.wait() == 77), None))
    assert "cannot be put off again" in refused.err
    login.close()


def test_the_watch_says_why_the_session_ended(ready):
    alice = enrol(ready)
    watching = pexpect.spawn(
        str(BIN / "boxphone"), ["watch", "--directory", str(alice.directory), "--air", str(ready.air)],
        encoding="utf-8", timeout=30)
    watching.expect("no session of yours")
    reconfigure(ready, **{"auto_logout.longest_seconds": "1"})
    login = log_in(ready)
    ready.wait_until(lambda: ready.called())
    login.close()
    watching.expect("your session ended, because of its time limit")
    watching.expect("no session of yours")
    reconfigure(ready, **{"auto_logout.longest_seconds": "3600"})
    login = log_in(ready)
    watching.expect("your session is open")
    watching.send("logout\n")
    watching.expect("logged out")
    login.close()
    watching.expect("your session ended, because you logged out from this phone")
    login = log_in(ready)
    watching.expect("your session is open")
    ready.command("logout", "--user", "alice", "--yes").ok()
    login.close()
    watching.expect("your session ended, because an administrator ended it")
    login = log_in(ready)
    watching.expect("your session is open")
    login.close()
    watching.expect("your session ended, logged out at the box")
    watching.sendintr()
    watching.expect(pexpect.EOF)


def test_a_phone_written_from_the_document_hears_why_its_session_ended_and_only_where_it_asked_for_that(ready):
    reconfigure(ready, **{"auto_logout.longest_seconds": "0"})
    phone = enrolled(ready, "alice")
    for why in (AT_THE_BOX, BY_ADMINISTRATOR):
        login, conversation = open_session(ready, phone, capabilities=SESSION_ENDS)
        assert conversation.capabilities & SESSION_ENDS
        silent = phone.open()
        if why == BY_ADMINISTRATOR:
            ready.command("logout", "--user", "alice", "--yes").ok()
        login.close()
        heard = until(conversation, SESSION_ENDED)
        assert heard[-1] == [SESSION_ENDED, 0, why]
        following = until(conversation, STATE)
        assert following[-1][2] == 0, "the state that shows it comes behind"
        assert SESSION_ENDED not in [message[0] for message in silent.ask(STATUS)]
        for channel in (silent, conversation):
            channel.close()


def test_enter_goes_on_while_a_warning_stands_and_the_watch_says_what_changes(ready):
    alice = enrol(ready)
    watching = pexpect.spawn(
        str(BIN / "boxphone"), ["watch", "--directory", str(alice.directory), "--air", str(ready.air)],
        encoding="utf-8", timeout=30)
    events = alice.command("watch", "--json")
    watching.expect("no session of yours")
    login = log_in(ready)
    watching.expect("your session ends in .* because of its time limit:\\s+tap\\s+to\\s+put\\s+it\\s+off")
    # The second Enter of a double tap must not unlock.
    watching.send("\n\n")
    watching.expect("the logout is put off")
    watching.expect("nothing to put off")
    assert ready.called() == []
    reconfigure(ready, **{"auto_logout.maximum_seconds": "900", "auto_logout.may_be_off": "false",
                          "auto_logout.default_seconds": "600"})
    watching.expect(r"Automatic logout when you are away: 10m \(may be 10s to 15m\)")
    login.close()
    watching.expect("no session of yours")
    watching.sendintr()
    watching.expect(pexpect.EOF)
    assert "your session continues" not in watching.before
    events.stop()
    said = [json.loads(line) for line in events.out.splitlines()]
    warnings = [event for event in said if event["event"] == "logout_warning"]
    assert [(event["cause"], event["can_extend"]) for event in warnings] == [("longest", True), (None, None)]
    assert warnings[0]["seconds"] <= 20 and warnings[1]["seconds"] is None


def test_the_administrators_bounds_win_over_the_phones_wish_and_it_is_told(ready):
    alice = enrol(ready)
    alice.command("auto-logout", "2h").ok()
    refused = alice.command("auto-logout", "1s")
    assert refused.wait() == 77
    assert "does not allow 1s\n  choose 10s to 8h, or off. It stays 2h" in refused.err
    events = alice.command("watch", "--json")
    events.wait_for('"auto_logout_seconds":7200')
    reconfigure(ready, **{"auto_logout.maximum_seconds": "1800"})
    events.wait_for('"auto_logout_seconds":1800')
    reconfigure(ready, **{"auto_logout.maximum_seconds": "28800"})
    ready.wait_until(lambda: '"auto_logout_seconds":7200' in events.out.splitlines()[-1])


def test_bounds_that_were_lowered_hold_for_whom_is_away_already(ready):
    reconfigure(ready, **{"auto_logout.longest_seconds": "0"})
    alice = enrol(ready)
    alice.command("auto-logout", "2h").ok()
    login = log_in(ready)
    ready.wait_until(lambda: ready.json("status")["links_open"] == 0)
    reconfigure(ready, **{"auto_logout.maximum_seconds": "10"})
    # The logout does not come at once, because the one-minute warning precedes it.
    ready.agent.wait_for("warned alice's session: the phone that opened it is away")
    assert ready.called() == []
    login.close()
