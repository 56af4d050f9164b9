"""One tap logs a user in, through the real libpam."""
import os
import pathlib
import signal

import pytest


def test_one_tap_logs_in_and_the_phone_hears_that_the_password_was_right(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    assert "logged in" in phone.command("login").ok().lower()
    assert "successfully authenticated" in program.ok()


def test_a_tap_that_comes_before_the_prompt_is_held_for_it(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    tap = phone.command("login")
    box.wait_until(box.tap_held)
    assert "successfully authenticated" in box.pam("alice").ok()
    tap.ok()


def test_a_wrong_password_is_reported_to_the_phone_and_the_box_stays_locked(box):
    phone = box.phone("a").enrol("alice", b"wrong horse")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    tap = phone.command("login")
    assert tap.wait() == 1
    assert "was not accepted" in tap.out + tap.err
    assert program.wait() != 0


def test_a_person_can_type_a_password_when_nobody_taps(box):
    box.pam_service(lines=None)
    (box.directory / "pam.d" / "demo").write_text(
        (box.directory / "pam.d" / "demo").read_text().replace("wait=20", "wait=0"))
    program = box.pam("alice")
    assert program.wait() != 0, "no password was typed and none came from a phone"


def test_a_program_that_would_not_wait_asks_also_when_no_tap_waits(box):
    """Every user sees connections in /proc/net/unix. If programs connected only for a waiting tap, that would reveal the tap."""
    lines = box.pam_service(lines=None).directory / "pam.d" / "demo"
    lines.write_text(lines.read_text().replace("wait=20", "wait=0"))
    (box.run / "tap").write_bytes(b"0")

    def sockets():
        return pathlib.Path("/proc/net/unix").read_bytes().count(b" %s/" % os.fsencode(box.run))

    # The stopped agent accepts no connection, so the connection stays visible.
    before = sockets()
    box.agent.process.send_signal(signal.SIGSTOP)
    program = box.pam("alice")
    box.wait_until(lambda: sockets() > before or program.process.poll() is not None)
    hears = program.process.poll() is None
    box.agent.process.send_signal(signal.SIGCONT)
    program.wait()
    assert hears


def test_a_password_that_is_not_utf8_reaches_pam_unchanged(box):
    password = b"\xff\xfe caf\xe9"
    box.pam_service(users={"alice": password})
    phone = box.phone("a").enrol("alice", password)
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    program.ok()


def test_two_programs_waiting_for_one_tap_are_both_refused(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    one, two = box.pam("alice"), box.pam("alice")
    box.wait_until(lambda: box.programs_waiting() == 2)
    tap = phone.command("login")
    assert tap.wait() == 5
    assert one.wait() != 0 and two.wait() != 0


def test_a_service_that_the_policy_does_not_name_gets_nothing(box):
    box.pam_service("sudo")
    phone = box.phone("a").enrol("alice", b"correct horse")
    tap = phone.command("login")
    box.wait_until(box.tap_held)
    assert box.pam("alice", service="sudo").wait() != 0
    assert "no credential" in box.agent.err


def test_a_tap_is_served_only_to_the_user_of_the_phone(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    box.gives_nothing_to("bob", phone)


def test_the_agent_restarted_between_tap_and_prompt_leaves_an_ordinary_prompt(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    tap = phone.command("login")
    box.wait_until(box.tap_held)
    box.kill()
    box.start()
    assert tap.wait() != 0
    (box.directory / "pam.d" / "demo").write_text(
        (box.directory / "pam.d" / "demo").read_text().replace("wait=20", "wait=0"))
    assert box.pam("alice").wait() != 0


def test_without_an_agent_the_prompt_comes_at_once(box):
    box.kill()
    assert box.pam("alice").wait() != 0


def test_three_tries_on_one_handle_are_three_taps(box):
    phone = box.phone("a").enrol("alice", b"wrong horse")
    program = box.pam("alice", "authenticate", "authenticate", "authenticate")
    box.wait_until(box.programs_waiting)
    assert phone.command("login").wait() == 1
    program.stop()


def test_two_phones_log_in_one_after_the_other(box):
    alice = box.phone("a").enrol("alice", b"correct horse")
    bob = box.phone("b").enrol("bob", b"bob's own")
    first, second = box.pam("alice"), box.pam("bob")
    box.wait_until(lambda: box.programs_waiting() == 2)
    taps = [alice.command("login"), bob.command("login")]
    for running in (*taps, first, second):
        running.ok()


@pytest.mark.parametrize("user", ["o'brien", "ünïcödé", "a b", "domain\\user", "x" * 100])
def test_user_names_with_odd_characters_work(box, user):
    box.pam_service(users={user: b"correct horse"})
    phone = box.phone("a").enrol(user, b"correct horse")
    program = box.pam(user)
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    program.ok()


def test_a_trial_of_the_administrators_logs_nobody_in_and_the_phone_says_so(box):
    phone = box.phone("a").enrol("alice")
    trial = box.command("test-login", "alice", "--wait", "60")
    trial.wait_for("waiting for a tap")
    tap = phone.with_secrets("login", password=b"never checked")
    said = tap.ok()
    assert "your tap arrived" in said and "no one was logged in" in said
    assert "Logged in" not in said
    assert "the password was not checked" in trial.ok()
    assert "login-tested" in [entry["event"] for entry in box.json("audit")]
    # A password that was never checked is not stored.
    assert phone.command("login").wait() != 0
