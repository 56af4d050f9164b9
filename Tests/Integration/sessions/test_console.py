"""boxagent-session locks a terminal, and must not report it as locked if it could not lock it. The user is not root, and /proc
hides processes if a test says so. Terminals and process groups are real."""

import json
import os
import pathlib
import pty
import pwd
import re
import select
import shutil
import signal
import subprocess
import sys
import termios

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from box import BIN, PATIENCE, Running  # noqa: E402
from bus_client import wait_for  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else at a terminal")
# A user that the bus knows and that the agent accepts.
USER = pwd.getpwnam("daemon").pw_uid
# Gives the helper its own /proc and the user's rights.
MOUNT = 'mount -t proc -o "$0" proc /proc && exec "$@"'
AS_USER = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]


class Console:
    def __init__(self, company):
        self.master, slave = pty.openpty()
        self.name, self.seen = os.ttyname(slave), ""
        os.chown(self.name, USER, -1)
        program = pathlib.Path(__file__).with_name("console_program.py")
        self.leader = subprocess.Popen([sys.executable, program, str(USER), company], stdin=slave, stdout=slave,
                                       stderr=slave, start_new_session=True)
        self.slave = slave

    def read(self):
        while select.select([self.master], [], [], 0)[0]:
            self.seen += os.read(self.master, 4096).decode(errors="replace")
        return self.seen

    def shows(self, pattern):
        return wait_for(lambda: re.search(pattern, self.read()), pattern, PATIENCE)

    def process(self, name):
        return int(self.shows(name + r" is (\d+)").group(1))

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        self.leader.kill()
        self.leader.wait(10)
        os.close(self.slave)
        os.close(self.master)


def stopped(process):
    return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"


@pytest.fixture
def at(directory, logind):
    """Makes a console with other processes at it, and the helper of its session. `proc` are mount options of /proc."""
    made = []
    directory.chmod(0o755)
    program = shutil.copy(BIN / "boxagent-session", directory)

    def make(company, proc=None):
        console = Console(company)
        made.append(console.end)
        logind.add("c1", uid=USER, terminal=console.name[5:], locker="helper", leader=console.leader.pid)
        logind.locked("c1", True)
        mounts = ["unshare", "--mount", "sh", "-c", MOUNT, proc] if proc else []
        helper = Running([*mounts, *AS_USER, program, "--session", "c1", "--bus", logind.address, "--socket",
                          directory / "box/run/control.sock"], directory, "helper")
        made.insert(0, helper.stop)
        wait_for(lambda: not logind.is_locked("c1"), "the helper")
        return console

    yield make
    for end in made:
        end()


def lock(logind):
    """Locks the session. Returns the LockedHint that the helper then sets."""
    before = len(logind.hints("c1"))
    logind.lock("c1")
    wait_for(lambda: len(logind.hints("c1")) > before, "the answer")
    return logind.hints("c1")[-1]


def unlock(logind):
    logind.unlock("c1")
    wait_for(lambda: not logind.is_locked("c1"), "the unlock")


@pytest.mark.parametrize("proc", [None, "hidepid=1", "hidepid=2", "hidepid=4"])
def test_roots_program_in_front_is_never_called_locked_whatever_proc_hides(logind, at, proc):
    console = at("root in front", proc)
    console.process("root")
    assert not lock(logind)
    console.shows("cannot be locked")
    console.type("for root\n")
    console.shows("root read for root")
    assert True not in logind.hints("c1")[1:]


def test_whoever_asked_hears_at_once_why_nothing_was_locked(box, logind, at):
    for path in (box.directory, box.run):
        path.chmod(0o755)
    console = at("root in front")
    console.process("root")
    wait_for(lambda: json.loads(box.command("sessions", "--json").ok())[0]["can_lock"], "the helper at the agent", 40)
    attempt = box.command("lock", "--session", "c1")
    assert attempt.wait() != 0
    # After ten seconds without a lock, another message would come.
    assert "cannot be locked while a program of another user uses it" in attempt.err + attempt.out


def test_where_proc_hides_processes_nothing_is_called_locked(logind, at):
    console = at("nobody else", "hidepid=2")
    console.process("leader")
    assert not lock(logind)
    console.shows("cannot be locked: /proc hides")
    assert not stopped(console.leader.pid)


def test_a_user_whom_proc_shows_everything_can_lock(logind, at):
    console = at("nobody else", f"hidepid=2,gid={USER}")
    console.process("leader")
    assert lock(logind) and stopped(console.leader.pid)


def test_roots_program_in_the_background_keeps_nobody_from_locking(logind, at):
    console = at("root behind")
    console.process("root")
    console.process("leader")
    assert lock(logind) and stopped(console.leader.pid)


def test_login_which_opened_the_session_stays_at_the_terminal_and_keeps_nobody_from_locking(logind, at):
    console = at("login")
    shell = console.process("shell")
    assert lock(logind) and stopped(shell)
    unlock(logind)
    console.type("mine\n")
    console.shows("shell read mine")


def test_root_who_waits_for_the_program_in_front_would_take_the_terminal(logind, at):
    console = at("root between")
    inner = console.process("inner")
    assert not lock(logind)
    assert not stopped(inner)
    console.type("still mine\n")
    console.shows("inner read still mine")


def test_root_who_comes_to_the_front_of_a_locked_console_ends_what_the_hint_says_until_it_goes(logind, at):
    console = at("root comes")
    root = console.process("root")
    console.process("leader")
    assert lock(logind)
    os.kill(root, signal.SIGUSR1)
    wait_for(lambda: not logind.is_locked("c1"), "not called locked any more", PATIENCE)
    console.shows("cannot be locked while a program of another user")
    assert stopped(console.leader.pid)
    os.kill(root, signal.SIGUSR2)
    wait_for(lambda: logind.is_locked("c1"), "locked as before", PATIENCE)
    unlock(logind)
    wait_for(lambda: not stopped(console.leader.pid), "the program goes on")


def test_a_program_of_the_users_own_that_may_not_be_dumped_is_locked_away(logind, at):
    console = at("hides")
    hidden = console.process("hidden")
    assert pathlib.Path(f"/proc/{hidden}/stat").stat().st_uid == 0
    assert lock(logind) and stopped(hidden)
    unlock(logind)
    console.type("mine\n")
    console.shows("hidden read mine")


def test_a_server_that_was_handed_the_terminal_is_stopped_as_well(logind, at):
    console = at("server")
    server = console.process("server")
    assert lock(logind) and stopped(server)
    console.type("not for the server\n")
    console.shows("The password is wrong.")
    unlock(logind)
    console.type("for the server\n")
    console.shows("server read for the server")
    assert "read not" not in console.read()


def test_a_terminal_that_was_stopped_shows_that_it_is_locked(logind, at):
    console = at("nobody else")
    console.process("leader")
    # Stops the output as Scroll Lock does. A stop by Control-S would end when the helper clears IXON.
    termios.tcflow(console.slave, termios.TCOOFF)
    assert lock(logind)
    console.shows("is locked")
