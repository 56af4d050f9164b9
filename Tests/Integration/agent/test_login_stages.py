"""The phone learns each stage of a login, through the real libpam. A refused user is never reported as logged in."""
import os
import pathlib
import re

import pytest

from box import LET_IN, MODULE, ROOT

HERE = pathlib.Path(__file__).parent
GUIDE = ROOT / "docs" / "how-to" / "greeters.md"
TIMED_OUT, UNKNOWN, ACCOUNT_PROBLEM = 6, 7, 8
SESSION = ("/dev/tty2",)


def stack(box, before=(), after=(), account="account required pam_permit.so", before_session=(), session=(), password=(), users=None):
    socket = box.run / "pam.sock"
    box.pam_service(users=users, lines=[
        *before,
        f"auth [default=ignore] {MODULE} wait=20 socket={socket}",
        f"auth [success=2 default=ignore] pam_pwdfile.so use_first_pass pwdfile={box.directory}/passwords",
        f"auth [default=ignore] {MODULE} refused", "auth requisite pam_deny.so",
        f"auth [default=ignore] {MODULE} verdict", *(after or ["auth required pam_permit.so"]),
        f"account [default=ignore] {MODULE} socket={socket}", account,
        *before_session, f"session [default=ignore] {MODULE} socket={socket}", *(session or ["session required pam_permit.so"]),
        *(password or ["password required pam_permit.so"]), f"password [default=ignore] {MODULE} socket={socket}"])


def program(box, name="login"):
    """Starts a program that makes the calls of this one. It runs until its session ends."""
    environment = dict(os.environ, LD_PRELOAD="libpam_wrapper.so", PAM_WRAPPER="1",
                       PAM_WRAPPER_SERVICE_DIR=str(box.directory / "pam.d"), PROGRAM=name)
    reader, writer = os.pipe()
    box.counter += 1
    running = box.run_program(["/usr/bin/python3", HERE / "session_program.py", "demo", "alice", *SESSION],
                              f"session-{box.counter}", stdin=reader, env=environment)
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


EXPIRED = {"account": "account required pam_debug.so acct=acct_expired"}
# The rows of the table in docs/how-to/greeters.md that end without a login, by their first cell, and what the PAM service has then.
REFUSALS = {
    # pam_deny ends Debian's account line with this status, whatever the reason.
    "the account has expired or is locked": {"account": "account required pam_debug.so acct=auth_err"},
    # As with a full tally of pam_faillock, the password's module is reached, and PAM refuses at the end.
    "a second factor or `pam_faillock` refuses": {"before": ["auth required pam_debug.so auth=auth_err"]},
    "a session module fails": {"before_session": ["session requisite pam_debug.so open_session=session_err"]},
    "the password is wrong": {"users": {"alice": b"another"}},
}


def table():
    """The table's rows: the first cell, then the phone's words by program, and the event in the audit log."""
    text = GUIDE.read_text().split("## What does the phone say", 1)[1].split("\n## ", 1)[0]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    words = {}
    for first, *cells in rows:
        for index, cell in enumerate(cells):
            cells[index] = cells[index - 1] if cell == "the same" else cell
        words[first] = {name: cell for names, cell in zip(header[1:], cells) for name in names.split(", ")}
    return words


def events(row, column):
    """The events of the row's last cell for this program: `A`, `B`; PROGRAM: `C`."""
    cases = row["audit log"].split("; ")
    own = [case for case in cases if case.startswith(column + ": ")]
    return re.findall("`(.+?)`", (own or cases)[0])


@pytest.mark.parametrize("column, name", [
    ("login(1)", "login"), ("greetd", "greetd"), ("LightDM", "lightdm"), ("GDM", "gdm"), ("SDDM", "sddm")])
def test_phone_and_log_say_of_each_program_what_the_guide_says(box, phone, column, name):
    rows = table()
    assert set(rows) == {"a session opens", "a locked session is unlocked", *REFUSALS}
    unlocks = {"a locked session is unlocked": name + "-unlock"} if name in ("lightdm", "gdm", "sddm") else {}
    for row, calls in {"a session opens": name, **unlocks}.items():
        stack(box)
        running, standard_input = program(box, calls)
        before = len(log(box))
        tap = phone.command("login")
        tap.wait()
        assert rows[row][column] in tap.out + tap.err, (row, tap.out, tap.err)
        assert log(box)[before:] == events(rows[row], column), (row, log(box))
        os.close(standard_input)
        running.ok()
    for row, refusal in REFUSALS.items():
        stack(box, **refusal)
        before = len(log(box))
        running, standard_input = program(box, name)
        tap = phone.command("login")
        assert tap.wait() != 0 and rows[row][column] in tap.err and "Logged in" not in tap.out, (row, tap.out, tap.err)
        assert running.wait() != 0
        assert log(box)[before:] == events(rows[row], column), (row, log(box))
        os.close(standard_input)


@pytest.mark.parametrize("name, words", [
    ("login", "has expired"), ("gdm", "has expired"), ("sddm", "has expired"), ("lightdm", "did not let you in")])
def test_the_reason_is_told_where_pam_and_the_program_tell_it(box, phone, name, words):
    stack(box, **EXPIRED)
    running, standard_input = program(box, name)
    said(phone.command("login"), words)
    assert running.wait() != 0 and log(box) == ["login-refused"]
    os.close(standard_input)


def test_an_account_that_may_not_log_in_now_is_told(box, phone):
    stack(box, account="account required pam_debug.so acct=perm_denied")
    running, standard_input = program(box)
    said(phone.command("login"), "may not log in here now")
    assert running.wait() != 0 and log(box) == ["login-refused"]
    os.close(standard_input)


@pytest.mark.parametrize("name", ["login", "greetd", "lightdm"])
def test_a_session_module_that_fails_behind_ours_logs_nobody_in(box, phone, name):
    stack(box, session=["session required pam_debug.so open_session=session_err"])
    login, standard_input = program(box, name)
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
    locker, standard_input = program(box, "locker")
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
    assert program.wait() != 0 and log(box) == ["login-unknown"]


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
