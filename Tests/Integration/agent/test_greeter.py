"""boxlogin on a pseudo-terminal, with a real agent, a real phone and the real libpam, behind a login program of the test."""

import contextlib
import os
import re
import select
import termios

import pexpect
import pytest

from box import BIN, PATIENCE

# Replaces login(1): it prints its arguments, then asks PAM as login does, with empty standard input.
LOGIN = """#!/bin/sh
echo "$*" >"$0.given"
echo "login was given: $*"
stty -a | grep -ow -- '-*isig\\|-*icanon\\|-*echo' | tr '\\n' ' '
[ "$1 $2" = "-p --" ] && PAM_WRAPPER=1 PAM_WRAPPER_SERVICE_DIR={services} LD_PRELOAD=libpam_wrapper.so \\
    pamtester login "$3" authenticate acct_mgmt 'setcred(PAM_REFRESH_CRED)'
[ $# = 1 ] && read -r name && echo "typed: $name"
"""


class Screen:
    """One boxlogin on its own terminal."""

    def __init__(self, box, rows=25, columns=80, **environment):
        box.counter += 1
        login = self.login = box.directory / f"login-{box.counter}"
        login.write_text(LOGIN.format(services=box.directory / "pam.d"))
        login.chmod(0o755)
        self.child = pexpect.spawn(
            str(BIN / "boxlogin"), ["--socket", str(box.run / "control.sock"), "--login", str(login)],
            dimensions=(rows, columns), timeout=PATIENCE, encoding="latin-1",
            env=dict(os.environ, TERM="dumb", **environment))

    def shows(self, text):
        self.child.expect_exact(text)
        return self

    def terminal(self):
        """Opens boxlogin's side of the terminal a second time."""
        return os.open(os.readlink(f"/proc/{self.child.pid}/fd/0"), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def ended(self):
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.before


@pytest.fixture
def screen(request):
    screens = []

    def make(box, **options):
        screens.append(Screen(box, **options))
        return screens[-1]

    yield make
    for one in screens:
        one.child.close(force=True)


@pytest.fixture
def login_box(box):
    lines = (box.directory / "pam.d" / "demo").read_text().replace("wait=20", "wait=0").splitlines()
    box.pam_service("login", lines=lines)
    return box


def test_a_tap_starts_a_login_of_the_user_whom_the_phone_named(login_box, screen):
    phone = login_box.phone("a").enrol("alice", b"correct horse")
    greeter = screen(login_box).shows("On your phone, choose box %s" % login_box.id)
    tap = phone.command("login")
    greeter.shows("login was given: -p -- alice\r\n").shows("isig icanon echo")
    assert "successfully authenticated" in greeter.ended()
    assert "logged in" in tap.ok().lower()


def test_any_key_leads_to_an_ordinary_login_which_reads_what_is_typed_next(login_box, screen):
    greeter = screen(login_box).shows("choose box")
    greeter.child.send("xalice\r")
    greeter.shows("login was given: -p\r\n").shows("typed: alice")


@pytest.mark.parametrize("key", ["\x1b[A", "\r", "\x03", "\x04", "\x1a", " ", "é"])
def test_every_kind_of_key_is_swallowed_whole(login_box, screen, key):
    greeter = screen(login_box).shows("choose box")
    greeter.child.send(key.encode().decode("latin-1"))
    greeter.shows("login was given: -p\r\n")
    greeter.child.send("bob\r")
    greeter.shows("typed: bob\r\n")


def test_control_s_stops_no_greeter_and_counts_as_no_key(login_box, screen):
    phone = login_box.phone("a").enrol("alice", b"correct horse")
    greeter = screen(login_box).shows("choose box")
    greeter.child.send("\x13")
    tap = phone.command("login")
    greeter.shows("login was given: -p -- alice\r\n").shows("isig icanon echo")
    tap.ok()


def test_a_terminal_that_scroll_lock_has_stopped_is_started_for_who_taps(login_box, screen):
    phone = login_box.phone("a").enrol("alice", b"correct horse")
    greeter = screen(login_box).shows("choose box")
    terminal = greeter.terminal()
    termios.tcflow(terminal, termios.TCOOFF)
    tap = phone.command("login")
    greeter.shows("login was given: -p -- alice\r\n")
    os.close(terminal)
    tap.ok()


def test_a_terminal_that_takes_nothing_does_not_keep_the_greeter_from_the_agent(login_box, screen):
    phone = login_box.phone("a").enrol("alice", b"correct horse")
    greeter = screen(login_box).shows("choose box")
    terminal = greeter.terminal()
    # Fills the terminal's output buffer, which the test does not read. The kernel may move bytes on a moment later and make room.
    while select.select([], [terminal], [], 0.3)[1]:
        for count in (4096, 1):
            with contextlib.suppress(BlockingIOError):
                os.write(terminal, b"x" * count)
    os.close(terminal)
    tap = phone.command("login")
    given = greeter.login.with_name(greeter.login.name + ".given")
    login_box.wait_until(lambda: given.exists() and given.read_text() == "-p -- alice\n")
    greeter.ended()
    tap.ok()


def test_without_an_agent_it_says_so_lets_people_type_and_finds_the_agent_again(make_box, screen):
    box = make_box(start=False)
    greeter = screen(box).shows("The agent does not answer").shows("Press any key")
    box.start()
    greeter.shows("choose box %s" % box.id)
    box.kill()
    greeter.shows("Logging in with a phone is not possible now")
    box.start()
    greeter.shows("choose box")
    box.kill()
    greeter.child.send("x")
    greeter.shows("login was given: -p\r\n")


def test_of_two_terminals_that_nobody_can_tell_apart_neither_is_logged_in(login_box, screen):
    phone = login_box.phone("a").enrol("alice", b"correct horse")
    one, two = screen(login_box).shows("choose box"), screen(login_box).shows("choose box")
    tap = phone.command("login")
    login_box.wait_until(login_box.tap_held)
    two.child.send("x")
    two.shows("login was given: -p\r\n")
    # Now only one terminal is left, and the box still holds the tap.
    one.shows("login was given: -p -- alice")
    assert "successfully authenticated" in one.ended()
    tap.ok()


def test_the_digits_are_drawn_of_plain_characters_and_grow_with_the_terminal(make_box, screen):
    box = make_box()
    small = screen(box).shows("choose box").child.before
    large = screen(box, rows=67, columns=240).shows("choose box").child.before
    assert len(re.findall("^|\x1b\\[[0-9]+;1H *#", small)) > 7
    assert large.count("#") > 8 * small.count("#")
    assert all(0x20 <= ord(c) < 0x7F or c == "\x1b" for c in small + large)


def test_nothing_secret_reaches_the_greeter(login_box, screen):
    phone = login_box.phone("a").enrol("alice", b"correct horse")
    greeter = screen(login_box).shows("choose box")
    tap = phone.command("login")
    said = greeter.ended()
    tap.ok()
    assert "correct horse" not in said + greeter.child.before
    assert not re.search("correct horse", login_box.agent.err + login_box.agent.out)


def test_agettys_greeting_has_the_box_id_while_the_agent_runs(make_box, directory):
    issue = directory / "boxagent.issue"
    issue.write_text("")
    box = make_box(**{"box.issue_file": f'"{issue}"'})
    assert issue.read_text() == (
        "Phone login: this is box %s. Tap on your phone, then type your user name.\n" % box.id)
    box.agent.stop()
    assert issue.read_text() == ""


def test_wrong_arguments_and_no_terminal_are_said_with_what_to_do(box):
    no_terminal = box.run_program([BIN / "boxlogin"], "no-terminal")
    assert no_terminal.wait() == 69 and "agetty" in no_terminal.err
    wrong = box.run_program([BIN / "boxlogin", "--sokcet", "x"], "wrong")
    assert wrong.wait() == 64 and "unknown argument '--sokcet'" in wrong.err and "usage:" in wrong.err
