"""The phone that logged in owns the session: the phone locks, unlocks and ends the session, and ends it by staying away."""
import os
import pathlib
import stat
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent


class Login:
    """A session that stays open until the test closes it."""

    def __init__(self, box, user, terminal="tty7", session="c42"):
        reader, self.writer = os.pipe()
        env = dict(os.environ, LD_PRELOAD="libpam_wrapper.so", PAM_WRAPPER="1",
                   PAM_WRAPPER_SERVICE_DIR=str(box.directory / "pam.d"))
        box.counter += 1
        self.program = box.run_program(
            ["/usr/bin/python3", HERE / "session_program.py", "demo", user, terminal, session],
            f"session-{box.counter}", stdin=reader, env=env)
        os.close(reader)

    def close(self):
        os.close(self.writer)
        self.program.ok()


@pytest.fixture
def commands(directory):
    """A script for the lock, unlock and logout commands that records its arguments. The lock fails if a file `broken` exists."""
    script = directory / "session-command"
    script.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$*" >>"$(dirname "$0")/called"\n'
        '[ "$1" = lock ] && [ -e "$(dirname "$0")/broken" ] && exit 1\nexit 0\n')
    script.chmod(0o700)
    return script


@pytest.fixture
def ready(make_box, commands):
    words = '["%s", "%s", "{user}", "{session}", "{tty}"]'
    box = make_box(**{f"sessions.{name}_command": words % (commands, name) for name in ("lock", "unlock", "logout")},
                   **{"auto_logout.minimum_seconds": "10"})
    box.pam_service(users={"alice": b"correct horse"})
    box.called = lambda: (commands.parent / "called").read_text().splitlines() if (commands.parent / "called").exists() else []
    box.alice = box.phone("a").enrol("alice", b"correct horse")
    return box


def log_in(box):
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    box.alice.command("login").ok()
    login.program.wait_for("session is open")
    box.wait_until(lambda: box.json("status")["sessions_owned"] == 1)
    return login


def test_the_phone_locks_unlocks_and_ends_the_session_it_opened(ready):
    login = log_in(ready)
    for action in ("lock", "unlock", "logout"):
        ready.alice.command(action).ok()
    assert ready.called() == [f"{action} alice  tty7" for action in ("lock", "unlock", "logout")]
    login.close()


def test_without_a_session_there_is_nothing_to_lock_and_the_phone_says_so(ready):
    attempt = ready.alice.command("lock")
    assert attempt.wait() == 9
    assert "session" in attempt.out + attempt.err
    login = log_in(ready)
    login.close()
    ready.wait_until(lambda: ready.json("status")["sessions_owned"] == 0)
    assert ready.alice.command("lock").wait() == 9
    assert ready.called() == []


def test_a_lock_that_fails_is_not_called_done(ready, commands):
    login = log_in(ready)
    (commands.parent / "broken").touch()
    attempt = ready.alice.command("lock")
    assert attempt.wait() == 9
    assert "lock" in attempt.err
    login.close()


def test_a_box_without_a_lock_command_says_that_it_cannot(make_box):
    box = make_box().pam_service(users={"alice": b"correct horse"})
    box.alice = box.phone("a").enrol("alice", b"correct horse")
    login = log_in(box)
    assert box.alice.command("lock").wait() == 9
    login.close()


def test_the_administrator_locks_by_user_and_all(ready):
    login = log_in(ready)
    for words in (["--user", "alice"], ["--all"]):
        ready.command("lock", *words).ok()
    assert ready.called() == ["lock alice  tty7"] * 2
    assert ready.command("lock", "--user", "bob").wait() != 0
    login.close()


def test_staying_away_ends_the_session_after_the_time_that_the_phone_chose(ready):
    ready.alice.command("auto-logout", "10s").ok()
    login = log_in(ready)
    ready.wait_until(lambda: ready.called() == ["logout alice  tty7"])
    login.close()


def test_a_deadline_outlives_the_agent(ready):
    ready.alice.command("auto-logout", "10s").ok()
    login = log_in(ready)
    ready.wait_until(lambda: ready.json("status")["links_open"] == 0)
    ready.kill()
    ready.start()
    ready.wait_until(lambda: ready.called() == ["logout alice  "])
    login.close()


def test_a_time_outside_the_administrators_bounds_is_refused(ready):
    assert ready.alice.command("auto-logout", "1s").wait() == 77
    assert ready.alice.command("auto-logout", "200h").wait() in (64, 65, 77)


def test_a_changed_password_makes_what_the_box_holds_stale(ready):
    bob = ready.phone("b").enrol("bob", box_held=True)
    bob.with_secrets("credentials", "set", password=b"bob's own", new_pin=b"2468").ok()
    ready.pam("bob", "chauthtok").ok()
    ready.wait_until(lambda: any(device["credential_stale"] for device in ready.json("devices")))
    login = bob.with_secrets("login", pin=b"2468")
    assert login.wait() != 0
    assert "changed" in login.err or "store" in login.err
