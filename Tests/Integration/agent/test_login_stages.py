"""The phone learns each stage of a login, through the real libpam. A refused user is never reported as logged in."""
import os
import pathlib

import pytest

from box import LET_IN, MODULE

HERE = pathlib.Path(__file__).parent
TIMED_OUT, UNKNOWN, ACCOUNT_PROBLEM = 6, 7, 8
SESSION = ("/dev/tty2",)


def stack(box, before=(), after=(), account="account required pam_permit.so", session=(), password=()):
    socket = box.run / "pam.sock"
    box.pam_service(lines=[
        *before,
        f"auth [default=ignore] {MODULE} wait=20 socket={socket}",
        f"auth requisite pam_pwdfile.so use_first_pass pwdfile={box.directory}/passwords",
        f"auth [default=ignore] {MODULE} verdict", *after,
        f"account [default=ignore] {MODULE} socket={socket}", account,
        f"session [default=ignore] {MODULE} socket={socket}", *(session or ["session required pam_permit.so"]),
        *(password or ["password required pam_permit.so"]), f"password [default=ignore] {MODULE} socket={socket}"])


def program(box, end=None, **more):
    """Starts a program like login(1), LightDM (`end` "0") or greetd's worker ("none"). The program runs until its session ends."""
    environment = dict(os.environ, LD_PRELOAD="libpam_wrapper.so", PAM_WRAPPER="1",
                       PAM_WRAPPER_SERVICE_DIR=str(box.directory / "pam.d"), **({"END": end} if end else {}), **more)
    reader, writer = os.pipe()
    running = box.run_program(["/usr/bin/python3", HERE / "session_program.py", "demo", "alice", *SESSION], "session",
                              stdin=reader, env=environment)
    os.close(reader)
    box.wait_until(box.programs_waiting)
    return running, writer


def said(tap, words):
    assert tap.wait() == ACCOUNT_PROBLEM, tap.out + tap.err
    assert words in tap.err and "Logged in" not in tap.out, tap.out + tap.err


def log(box):
    return [entry["event"] for entry in box.json("audit") if entry["event"].startswith(("login-", "session-"))]


@pytest.fixture
def phone(box):
    return box.phone("a").enrol("alice", b"correct horse")


def test_a_session_that_is_open_is_a_login(box, phone):
    stack(box)
    login, standard_input = program(box)
    assert "Logged in" in phone.command("login").ok()
    assert log(box) == ["session-opened", "login-correct"]
    os.close(standard_input)
    login.ok()


@pytest.mark.parametrize("end", [None, "0", "none"])
@pytest.mark.parametrize("refused, words, known", [
    # Like a full tally of faillock, or a wrong second factor.
    ({"before": ["auth required pam_debug.so auth=auth_err"]}, "did not let you in", "did not let you in"),
    ({"account": "account required pam_debug.so acct=acct_expired"}, "did not let you in", "has expired"),
    ({"account": "account required pam_debug.so acct=perm_denied"}, "did not let you in", "may not log in here now"),
    ({"session": ["session required pam_debug.so open_session=session_err"]}, "did not open", "did not open"),
])
def test_a_right_password_that_something_else_refuses_logs_nobody_in(box, phone, end, refused, words, known):
    stack(box, **refused)
    login, standard_input = program(box, end)
    said(phone.command("login"), known if end is None else words)
    assert login.wait() != 0
    assert log(box) == ["login-refused"], "the log says no more than happened"
    os.close(standard_input)


def test_a_session_module_that_fails_before_ours_logs_nobody_in(box, phone):
    stack(box)
    service = box.directory / "pam.d" / "demo"
    service.write_text("session requisite pam_debug.so open_session=session_err\n" + service.read_text())
    login, standard_input = program(box)
    said(phone.command("login"), "did not open")
    assert login.wait() != 0 and log(box) == ["login-refused"]
    os.close(standard_input)


def test_a_program_that_asks_again_although_the_password_was_accepted_has_not_found_it_wrong(box, phone):
    stack(box)
    program = box.pam("alice", "authenticate", "authenticate")
    box.wait_until(box.programs_waiting)
    said(phone.command("login"), "did not let you in")
    program.stop()


def test_a_password_that_must_be_changed_is_told_while_it_is_asked_for(box, phone):
    stack(box, account="account required pam_debug.so acct=success",
          password=["password requisite pam_debug.so prechauthtok=success chauthtok=authtok_err"])
    program = box.pam("alice", "authenticate", "acct_mgmt", "chauthtok(PAM_CHANGE_EXPIRED_AUTHTOK)")
    box.wait_until(box.programs_waiting)
    tap = phone.command("login")
    said(tap, "you must change the password")
    assert "asks for a new password" in tap.err
    assert program.wait() != 0 and log(box) == ["login-refused"]


def test_a_screen_that_is_unlocked_is_a_login_without_a_session(box, phone):
    stack(box)
    program = box.pam("alice", *LET_IN)
    box.wait_until(box.programs_waiting)
    assert "Logged in" in phone.command("login").ok()
    program.ok()
    assert log(box) == ["login-correct"]


def test_a_module_that_refuses_new_credentials_behind_ours_unlocks_nothing(box, phone):
    stack(box, after=["auth required pam_debug.so auth=success cred=cred_err"])
    locker, standard_input = program(box, UNLOCK="1")
    said(phone.command("login"), "did not let you in")
    assert locker.wait() != 0 and log(box) == ["login-refused"]
    os.close(standard_input)


@pytest.mark.parametrize("refusal", ["pam_debug.so auth=perm_denied", "pam_debug.so auth=system_err", "pam_missing.so"])
def test_a_password_that_no_module_has_judged_is_not_called_wrong(box, phone, refusal):
    stack(box)
    service = box.directory / "pam.d" / "demo"
    lines = service.read_text().splitlines()
    lines.insert(1, "auth requisite " + refusal)
    service.write_text("\n".join(lines) + "\n")
    login, standard_input = program(box)
    tap = phone.command("login")
    assert tap.wait() == UNKNOWN and "result is not known" in tap.err
    assert login.wait() != 0
    os.close(standard_input)


def test_a_program_that_dies_after_it_took_the_password_leaves_the_outcome_unknown(box, phone):
    stack(box)
    service = box.directory / "pam.d" / "demo"
    lines = service.read_text().splitlines()
    # The program ends after the delivery, before the modules that check passwords.
    lines.insert(1, "auth required pam_exec.so quiet /bin/sh -c [kill -9 $PPID]")
    service.write_text("\n".join(lines) + "\n")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    tap = phone.command("login")
    assert tap.wait() == UNKNOWN and "result is not known" in tap.err
    assert program.wait() != 0 and log(box) == ["login-not-correct"]


def test_a_tap_that_waited_beside_another_users_prompt_says_so(box, phone):
    box.stop()
    box.write_config(**{"login.hold_seconds": 5})
    box.start()
    stack(box)
    tap = phone.command("login")
    box.wait_until(box.tap_held)
    assert box.pam("bob").wait() != 0, "there is nothing for bob"
    assert tap.wait() == TIMED_OUT
    assert "asked for another user's password" in tap.err, tap.err
