"""After a refusal, or after two unknown outcomes, the phone asks before it sends a stored password again. Each try counts towards the
account's lock."""

import pexpect
import pytest

UNKNOWN = "not known whether this password was accepted the last two times"
ASKED = r"The box refused this password on \d+ [A-Z][a-z]{2}, \d\d:\d\d\. Send it again\? \[y/N\]"
NOT_SENT = 12


def prompt(box):
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    return program


def ended(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.before, child.exitstatus


@pytest.fixture
def refused(box):
    """A phone whose stored password the box has refused once."""
    phone = box.phone("a").enrol("alice", b"wrong horse")
    program = prompt(box)
    assert phone.command("login").wait() == 1
    assert program.wait() != 0
    return phone


def test_a_refused_password_is_not_sent_again_without_a_person(box, refused):
    program = prompt(box)
    for _ in range(3):
        again = refused.command("login")
        assert again.wait() == NOT_SENT
        assert "refused this password on" in again.err and "--send-again" in again.err
    assert box.programs_waiting() == 1, "the program was given no password"
    # With --send-again, the password is tried and refused once more.
    assert refused.command("login", "--send-again").wait() == 1
    assert program.wait() != 0
    assert refused.command("login").wait() == NOT_SENT


def test_the_phone_asks_and_takes_another_password(box, refused, on_terminal):
    program = prompt(box)
    child = on_terminal(refused, "login")
    child.expect(ASKED)
    child.sendline("n")
    child.expect("Password for box")
    child.sendline("correct horse")
    rest, status = ended(child)
    assert status == 0 and "Logged in" in rest
    assert program.wait() == 0
    program = prompt(box)
    refused.command("login").ok()
    program.ok()


def test_a_password_that_is_right_by_now_clears_the_mark(box, refused, on_terminal):
    box.pam_service(users={"alice": b"wrong horse"})
    program = prompt(box)
    child = on_terminal(refused, "login")
    child.expect(ASKED)
    child.sendline("y")
    rest, status = ended(child)
    assert status == 0 and "Logged in" in rest
    program.ok()
    program = prompt(box)
    refused.command("login").ok()
    program.ok()


def test_a_new_password_clears_the_mark(box, refused):
    refused.with_secrets("credentials", "set", password=b"correct horse").ok()
    program = prompt(box)
    refused.command("login").ok()
    program.ok()


def test_a_password_that_the_box_keeps_is_not_tried_again_either(box, on_terminal):
    phone = box.phone("a").enrol("alice", box_held=True)
    phone.with_secrets("credentials", "set", password=b"wrong horse", new_pin=b"2468").ok()
    program = prompt(box)
    assert phone.with_secrets("login", pin=b"2468").wait() == 1
    assert program.wait() != 0
    program = prompt(box)
    assert phone.with_secrets("login", pin=b"2468").wait() == NOT_SENT
    child = on_terminal(phone, "login")
    child.expect(ASKED)
    child.sendline("")
    rest, status = ended(child)
    assert status == NOT_SENT and "PIN" not in rest and "credentials set" in rest
    assert box.programs_waiting() == 1
    phone.with_secrets("credentials", "set", password=b"correct horse", new_pin=b"2468").ok()
    phone.with_secrets("login", pin=b"2468").ok()
    program.ok()


def test_a_tap_while_the_box_is_watched_asks_as_well(box, refused, on_terminal):
    program = prompt(box)
    child = on_terminal(refused, "watch")
    child.expect("no session")
    child.sendline("login")
    child.expect(ASKED)
    child.sendline("n")
    child.expect("Nothing was sent")
    assert box.programs_waiting() == 1
    child.sendline("login")
    child.expect(ASKED)
    child.sendline("y")
    child.expect("was not accepted")
    assert program.wait() != 0


@pytest.fixture
def killed(box):
    """Provides a function that logs in and kills the phone with SIGKILL between the delivery and the verdict."""
    service, gate = box.directory / "pam.d" / "demo", box.directory / "gate"
    lines = service.read_text().splitlines()
    waits = "auth [default=ignore] pam_exec.so quiet /bin/sh -c [mkfifo %s; cat %s; rm %s]" % (gate, gate, gate)

    def kill(phone, *words):
        service.write_text("\n".join([lines[0], waits, *lines[1:]]) + "\n")
        program = prompt(box)
        tap = phone.command("login", *words)
        box.wait_until(gate.exists)
        tap.process.kill()
        tap.process.wait()
        gate.open("w").close()
        program.wait()
        service.write_text("\n".join(lines) + "\n")

    return kill


def test_a_phone_that_is_killed_twice_before_the_verdict_asks_before_the_third_try(box, killed, on_terminal):
    phone = box.phone("a").enrol("alice", b"wrong horse")
    for _ in range(2):
        killed(phone)
    program = prompt(box)
    again = phone.command("login")
    assert again.wait() == NOT_SENT and UNKNOWN in again.err and "--send-again" in again.err
    child = on_terminal(phone, "login")
    child.expect(UNKNOWN)
    child.sendline("y")
    child.expect("was not accepted")
    assert program.wait() != 0


def test_a_phone_that_is_killed_after_a_right_password_costs_no_question_at_every_login(box, killed):
    phone = box.phone("a").enrol("alice", b"correct horse")
    for _ in range(2):
        killed(phone)
        program = prompt(box)
        phone.command("login").ok()
        program.ok()
    killed(phone)
    killed(phone)
    # The person's yes counts from the beginning.
    killed(phone, "--send-again")
    program = prompt(box)
    phone.command("login").ok()
    program.ok()
