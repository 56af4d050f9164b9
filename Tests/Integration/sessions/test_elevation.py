"""Passwords for sudo and polkit: the box asks the phone, its user allows it, and nothing happens without the user."""

import pathlib
import signal
import sys

import pexpect
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from box import BIN, MODULE  # noqa: E402
from test_independent_phone import PROGRESS, RESULT, code_of, enrolled  # noqa: E402
from independent_phone import (  # noqa: E402
    DECLINE_ELEVATION, ELEVATE, ELEVATE_WITH_PIN, ELEVATION, ELEVATION_OVER, ELEVATIONS, STATE, STATUS, STORE_CREDENTIAL)

SECRET = bytes(range(32))


@pytest.fixture
def sudo(box, logind):
    """A box that lets sudo ask, from a session at the seat."""
    box.write_config(**{"elevation.services": '["sudo"]'})
    box.agent.stop()
    lines = [
        f"auth [default=ignore] {MODULE} wait=30 prompt socket={box.run}/pam.sock",
        f"auth requisite pam_pwdfile.so use_first_pass pwdfile={box.directory}/passwords",
        f"auth [default=ignore] {MODULE} verdict",
        "account required pam_permit.so", "session required pam_permit.so"]
    box.pam_service("sudo", lines=lines)
    logind.add("c7", "alice", type="wayland")
    logind.put_processes_in("c7")
    box.start()
    box.sudo = lambda user="alice", *operations: box.pam(user, *operations, service="sudo")
    return box


def watching(phone):
    """Opens a channel over which the phone gets requests."""
    conversation = phone.open(capabilities=ELEVATIONS)
    assert code_of(conversation.ask(STATUS)) == "correct"
    assert conversation.capabilities & ELEVATIONS
    return conversation


def asked(conversation):
    """Returns the next request that the phone gets."""
    while True:
        message = conversation.next()
        if message[0] == ELEVATION:
            return message


def test_a_request_names_what_asks_and_its_answer_lets_the_program_go_on(sudo):
    phone = enrolled(sudo, "alice")
    conversation = watching(phone)
    program = sudo.sudo()
    kind, zero, elevation, service, terminal, requester, seconds = asked(conversation)
    assert (zero, service, terminal, requester) == (0, "sudo", "", b"alice")
    assert 25 <= seconds <= 30
    answers = conversation.ask(ELEVATE, elevation, b"correct horse")
    assert code_of(answers) == "correct"
    kinds = [answer[0] for answer in answers]
    assert kinds.index(ELEVATION_OVER) < kinds.index(PROGRESS) < kinds.index(RESULT)
    program.ok()
    said = [entry for entry in sudo.json("audit") if entry["event"] == "elevation-correct"]
    assert said and said[0]["detail"] == "sudo, in a session of alice: correct", said
    # The request opened no session, so the phone owns none.
    assert not [one for one in sudo.json("sessions") if one["device"]]


def test_a_decline_or_a_wrong_password_brings_the_prompt_at_once_and_peace(sudo):
    phone = enrolled(sudo, "alice")
    conversation = watching(phone)
    program = sudo.sudo()
    elevation = asked(conversation)[2]
    assert code_of(conversation.ask(DECLINE_ELEVATION, elevation)) == "correct"
    # No password is typed, so the program fails without the phone.
    assert program.wait() != 0
    assert sudo.sudo().wait() != 0
    assert code_of(conversation.ask(ELEVATE, elevation, b"correct horse")) == "timed-out"
    assert not [m for m in conversation.ask(STATUS) if m[0] == ELEVATION]


def test_a_wrong_password_is_called_wrong(sudo):
    phone = enrolled(sudo, "alice")
    conversation = watching(phone)
    program = sudo.sudo()
    assert code_of(conversation.ask(ELEVATE, asked(conversation)[2], b"incorrect")) == "wrong-credentials"
    assert program.wait() != 0
    assert [e for e in sudo.json("audit") if e["event"] == "elevation-not-correct"]


def test_an_answer_by_a_stale_id_another_phone_or_a_login_reaches_no_program(sudo):
    alice, bob = enrolled(sudo, "alice"), enrolled(sudo, "bob")
    hers, his = watching(alice), watching(bob)
    program = sudo.sudo()
    elevation = asked(hers)[2]
    assert code_of(his.ask(ELEVATE, elevation, b"bob's own")) == "timed-out"
    assert code_of(hers.ask(ELEVATE, elevation + 1, b"correct horse")) == "timed-out"
    # A login waits for a login program. sudo is not one, so its request stays open.
    request, sealed = hers.channel.request(3, b"correct horse")
    hers._send(sealed)
    assert hers.next() == [PROGRESS, request, 0]
    assert code_of(hers.ask(ELEVATE, elevation, b"correct horse")) == "correct"
    program.ok()


def test_a_password_that_the_box_holds_takes_a_pin_and_a_late_answer_spends_none(sudo):
    phone = enrolled(sudo, "alice", "--box-held")
    conversation = watching(phone)
    assert code_of(conversation.ask(STORE_CREDENTIAL, "2468", SECRET, b"correct horse")) == "correct"
    program = sudo.sudo()
    elevation = asked(conversation)[2]
    assert code_of(conversation.ask(ELEVATE_WITH_PIN, elevation, "1111", SECRET)) == "pin-wrong"
    assert code_of(conversation.ask(ELEVATE_WITH_PIN, elevation, "2468", SECRET)) == "correct"
    program.ok()
    late = conversation.ask(ELEVATE_WITH_PIN, elevation, "1111", SECRET)
    assert code_of(late) == "timed-out"
    state = conversation.ask(STATUS)
    assert [m for m in state if m[0] == 21][-1][-1] == 10


@pytest.mark.parametrize("what", ["remote", "inactive", "locked", "without a seat", "nobody's"])
def test_who_does_not_sit_there_asks_no_phone(sudo, logind, what):
    phone = enrolled(sudo, "alice")
    conversation = watching(phone)
    if what == "nobody's":
        logind.put_processes_in("")
    elif what == "without a seat":
        logind.change("c7", "Seat", ("", "/org/freedesktop/login1/seat/none"))
    else:
        logind.change("c7", {"remote": "Remote", "inactive": "Active", "locked": "LockedHint"}[what], what != "inactive")
    assert sudo.sudo().wait() != 0
    assert not [m for m in conversation.ask(STATUS) if m[0] == ELEVATION]


def test_a_program_of_the_users_service_manager_asks_by_polkit_alone_and_the_phone_says_so(sudo, logind):
    """From any login, `systemd-run --user --pty sudo` starts sudo outside the login's session, like a desktop's programs."""
    sudo.write_config(**{"elevation.services": '["sudo", "polkit-1"]'})
    sudo.agent.process.send_signal(signal.SIGHUP)
    sudo.agent.wait_for("configuration reloaded")
    sudo.pam_service("polkit-1", lines=(sudo.directory / "pam.d/sudo").read_text().splitlines())
    phone = enrolled(sudo, "alice")
    conversation = watching(phone)
    logind.put_processes_in("", display="c7")
    assert sudo.sudo().wait() != 0
    assert not [m for m in conversation.ask(STATUS) if m[0] == ELEVATION]
    program = sudo.pam("alice", service="polkit-1")
    message = asked(conversation)
    assert message[3] == "polkit-1 (in the background)", message
    assert code_of(conversation.ask(ELEVATE, message[2], b"correct horse")) == "correct"
    program.ok()


def test_a_session_that_the_sites_command_has_locked_asks_no_phone(sudo, logind):
    """A configured lock command need not tell logind. The agent remembers which sessions it has locked."""
    sudo.write_config(**{"sessions.lock_command": '["/bin/true"]', "sessions.unlock_command": '["/bin/true"]'})
    sudo.agent.stop()
    sudo.start()
    conversation = watching(enrolled(sudo, "alice"))
    # The agent reads logind's sessions after it is ready.
    sudo.wait_until(lambda: "c7" in sudo.command("sessions").ok())
    sudo.command("lock", "--session", "c7").ok()
    assert not logind.is_locked("c7")
    assert sudo.sudo().wait() != 0
    assert not [m for m in conversation.ask(STATUS) if m[0] == ELEVATION]
    sudo.command("unlock", "--session", "c7").ok()
    program = sudo.sudo()
    assert code_of(conversation.ask(ELEVATE, asked(conversation)[2], b"correct horse")) == "correct"
    program.ok()


def test_without_a_phone_or_when_it_goes_the_program_does_not_wait(sudo):
    phone = enrolled(sudo, "alice")
    assert sudo.sudo().wait(5) != 0
    conversation = watching(phone)
    program = sudo.sudo()
    asked(conversation)
    conversation.close()
    assert program.wait(5) != 0


def test_a_phone_that_comes_while_it_is_asked_is_shown_it_too_and_told_the_end(sudo):
    phone = enrolled(sudo, "alice")
    first = watching(phone)
    program = sudo.sudo()
    elevation = asked(first)[2]
    second = watching_late(phone)
    assert asked(second)[2] == elevation
    assert code_of(first.ask(ELEVATE, elevation, b"correct horse")) == "correct"
    while second.next() != [ELEVATION_OVER, 0, elevation]:
        pass
    program.ok()


def watching_late(phone):
    conversation = phone.open(capabilities=ELEVATIONS)
    request, sealed = conversation.channel.request(STATUS)
    conversation._send(sealed)
    return conversation


def test_off_by_default_until_the_administrator_names_services(box, logind):
    box.pam_service("sudo")
    logind.add("c7", "alice", type="wayland")
    logind.put_processes_in("c7")
    conversation = watching(enrolled(box, "alice"))
    assert box.pam("alice", service="sudo").wait(5) != 0
    assert "gets no credential: its service is in neither login.services nor elevation.services" in box.agent.err
    # Once services are configured, a phone that was already connected is asked, too.
    box.write_config(**{"elevation.services": '["sudo"]'})
    box.agent.process.send_signal(signal.SIGHUP)
    box.agent.wait_for("configuration reloaded")
    program = box.pam("alice", service="sudo")
    assert code_of(conversation.ask(ELEVATE, asked(conversation)[2], b"correct horse")) == "correct"
    program.ok()


def test_a_phone_that_does_not_know_of_it_is_not_asked(sudo):
    conversation = enrolled(sudo, "alice").open()
    conversation.ask(STATUS)
    assert sudo.sudo().wait(5) != 0
    assert [message[0] for message in conversation.ask(STATUS)] == [STATE, RESULT]


def test_declines_of_what_is_over_do_not_fill_the_log(sudo):
    conversation = watching(enrolled(sudo, "alice"))
    for _ in range(20):
        assert code_of(conversation.ask(DECLINE_ELEVATION, 1)) == "timed-out"
    assert not [entry for entry in sudo.json("audit") if entry["event"] == "elevation-declined"]


def test_a_person_answers_by_a_word_while_the_phone_watches(sudo):
    phone = sudo.phone("a").enrol("alice", b"correct horse")
    screen = pexpect.spawn(
        str(BIN / "boxphone"), ["watch", "--directory", str(phone.directory), "--air", str(sudo.air)],
        encoding="utf-8", timeout=30, dimensions=(24, 200))
    screen.expect("Keys: Enter logs in, .* allow or deny")
    screen.expect("no session")
    screen.sendline("allow")
    screen.expect("no open request")
    program = sudo.sudo()
    screen.expect("sudo in the session of alice asks for your password. Type allow or deny")
    screen.sendline("allow")
    screen.expect(": allowed")
    program.ok()
    program = sudo.sudo()
    screen.expect("asks for your password")
    screen.sendline("deny")
    screen.expect(": denied")
    assert program.wait() != 0
    screen.sendintr()
    screen.expect(pexpect.EOF)
