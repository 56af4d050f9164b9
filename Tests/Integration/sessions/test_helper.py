"""boxagent-session on a terminal of the test: what it stops, shows and restores, even if the bus fails."""

import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import termios

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from box import BIN, PATIENCE, Running  # noqa: E402
from bus_client import wait_for  # noqa: E402

# The program at the terminal: a session leader that reads lines, repeats them, and starts a job that it stops.
READER = """
import os, signal, sys
print("ready", flush=True)
for line in sys.stdin:
    if line == "job\\n":
        job = os.fork()
        if job == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            os._exit(0)
        os.waitpid(job, os.WUNTRACED)
    print("read " + line.strip(), flush=True)
"""


class Terminal:
    """A pseudo-terminal with a program on it."""

    def __init__(self):
        self.master, slave = pty.openpty()
        self.name = os.ttyname(slave)
        self.seen = ""
        self.program = subprocess.Popen(
            [sys.executable, "-c", "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n" + READER],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self.wait_for("ready")

    def read(self):
        while select.select([self.master], [], [], 0)[0]:
            self.seen += os.read(self.master, 4096).decode(errors="replace")
        return self.seen

    def wait_for(self, text):
        wait_for(lambda: text in self.read() or select.select([self.master], [], [], 0.05) and None, text, PATIENCE)

    def type(self, text):
        os.write(self.master, text.encode())

    def stopped(self, process=None):
        return pathlib.Path(f"/proc/{process or self.program.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"

    def end(self):
        self.program.send_signal(signal.SIGCONT)
        self.program.kill()
        self.program.wait(10)
        os.close(self.master)


@pytest.fixture
def terminal():
    terminal = Terminal()
    yield terminal
    terminal.end()


@pytest.fixture
def helper(directory, logind, terminal, request):
    """boxagent-session in session c1. The program on the terminal leads that session."""
    logind.add("c1", terminal=terminal.name[5:], locker="helper", leader=terminal.program.pid)
    # An earlier helper may have left this hint. The new helper clears the hint when it is ready.
    logind.locked("c1", True)
    words = [word.replace("DIRECTORY", str(directory)) for word in getattr(request, "param", [])]
    running = Running(
        [BIN / "boxagent-session", "--session", "c1", "--bus", logind.address, "--socket",
         directory / "box/run/control.sock", *words], directory, "helper")
    wait_for(lambda: not logind.is_locked("c1"), "the helper")
    yield running
    running.stop()


def children(process):
    return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def worker(helper):
    """Returns the ID of the worker: the process that the test started runs it, and restarts it after its end."""
    return next(iter(children(helper.process.pid)), None)


def kill(helper):
    """Kills the worker as the kernel does when memory is short. Waits for the next one."""
    killed = worker(helper)
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: worker(helper) not in (None, killed), "the next helper")


def lock(logind):
    logind.lock("c1")
    wait_for(lambda: logind.is_locked("c1"), "LockedHint")


def test_a_lock_stops_what_runs_there_and_an_unlock_gives_it_back(logind, terminal, helper):
    lock(logind)
    terminal.wait_for("is locked")
    assert terminal.stopped()
    terminal.type("not for the program\n")
    terminal.wait_for("The password is wrong.")
    logind.unlock("c1")
    wait_for(lambda: not logind.is_locked("c1"), "the unlock")
    wait_for(lambda: not terminal.stopped(), "the program goes on")
    terminal.type("for the program\n")
    terminal.wait_for("read for the program")
    assert "read not" not in terminal.read()


def test_a_job_that_rested_before_the_lock_rests_after_it(logind, terminal, helper):
    terminal.type("job\n")
    terminal.wait_for("read job")
    job, = children(terminal.program.pid)
    for _ in range(2):
        lock(logind)
        logind.unlock("c1")
        wait_for(lambda: not logind.is_locked("c1"), "the unlock")
        wait_for(lambda: not terminal.stopped(), "the program goes on")
        assert terminal.stopped(job)
    os.kill(job, signal.SIGCONT)


def test_the_end_of_the_bus_unlocks_nothing(directory, logind, terminal, helper):
    lock(logind)
    logind.end_bus()
    terminal.type("still locked?\n")
    terminal.wait_for("The password is wrong.")
    assert terminal.stopped()
    logind.begin_bus()
    logind.add("c1", terminal=terminal.name[5:], locker="helper", leader=terminal.program.pid)
    wait_for(lambda: logind.is_locked("c1"), "the hint after the restart")
    assert terminal.stopped()
    logind.unlock("c1")
    wait_for(lambda: not terminal.stopped(), "the program goes on")


def test_a_helper_that_is_killed_at_a_locked_console_goes_on_where_it_was(logind, terminal, helper):
    before = termios.tcgetattr(terminal.master)
    for _ in range(2):
        lock(logind)
        terminal.wait_for("is locked")
        terminal.seen = ""
        kill(helper)
        terminal.wait_for("is locked")
        terminal.type("not for the program\n")
        terminal.wait_for("The password is wrong.")
        assert terminal.stopped() and logind.is_locked("c1")
        logind.unlock("c1")
        wait_for(lambda: not terminal.stopped(), "the program goes on")
        wait_for(lambda: not logind.is_locked("c1"), "the unlock")
        assert termios.tcgetattr(terminal.master) == before
    terminal.type("for the program\n")
    terminal.wait_for("read for the program")
    assert "read not" not in terminal.read()


def test_a_helper_that_is_killed_without_a_bus_locks_again_when_there_is_one(logind, terminal, helper):
    lock(logind)
    logind.end_bus()
    kill(helper)
    assert terminal.stopped()
    logind.begin_bus()
    logind.add("c1", terminal=terminal.name[5:], locker="helper", leader=terminal.program.pid)
    wait_for(lambda: logind.is_locked("c1"), "the hint after the restart")
    logind.unlock("c1")
    wait_for(lambda: not terminal.stopped(), "the program goes on")


def test_a_helper_that_is_killed_while_nothing_is_locked_locks_nothing_and_is_there_again(logind, terminal, helper):
    logind.locked("c1", True)
    kill(helper)
    wait_for(lambda: not logind.is_locked("c1"), "the next helper takes the hint back")
    assert not terminal.stopped()
    lock(logind)
    assert terminal.stopped()


def test_a_helper_that_is_killed_ends_with_its_session_all_the_same(logind, terminal, helper):
    lock(logind)
    logind.end_bus()
    kill(helper)
    terminal.program.kill()
    terminal.program.wait(10)
    assert helper.wait() == 0
    logind.begin_bus()


def test_a_helper_that_is_asked_to_end_leaves_nobody_behind(helper):
    process = worker(helper)
    helper.process.terminate()
    assert helper.wait() == -signal.SIGTERM
    assert not pathlib.Path(f"/proc/{process}").exists()


def test_the_helper_ends_with_its_session(logind, terminal, helper):
    lock(logind)
    terminal.program.kill()
    terminal.program.wait(10)
    assert helper.wait() == 0


@pytest.mark.parametrize("helper", [[], ["--", "/usr/bin/sleep", "600"]], indirect=True, ids=["console's", "desktop's"])
def test_a_session_that_becomes_a_desktop_keeps_its_own_helper_only(logind, terminal, helper, request):
    is_desktops = "desktop's" in request.node.callspec.id
    logind.become("c1", "wayland")
    if not is_desktops:
        assert helper.wait() == 0
    logind.locked("c1", True)
    logind.lock("c1")
    assert not terminal.stopped() and logind.is_locked("c1")
    assert (helper.process.poll() is None) == is_desktops


def test_the_agent_knows_that_the_session_can_be_locked_while_the_helper_is_there(box, logind, terminal, helper):
    def can_lock():
        found = json.loads(box.command("sessions", "--json").ok())
        return bool(found) and found[0]["can_lock"]
    wait_for(can_lock, "the helper at the agent", 40)
    helper.stop()
    wait_for(lambda: not can_lock(), "the helper has gone")


def program(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""  # the process has ended meanwhile


@pytest.mark.parametrize("helper", [["--", "/usr/bin/sleep", "600"]], indirect=True)
def test_a_desktops_locker_runs_while_it_is_locked(logind, terminal, helper):
    def lockers():
        return [child for child in children(worker(helper)) if "sleep" in program(child)]
    lock(logind)
    assert len(lockers()) == 1
    logind.unlock("c1")
    wait_for(lambda: not lockers() and not logind.is_locked("c1"), "the locker's end")
    lock(logind)
    os.kill(lockers()[0], signal.SIGTERM)
    wait_for(lambda: not logind.is_locked("c1"), "the person has unlocked it at the screen")


@pytest.mark.parametrize("helper", [["--", "/usr/bin/sleep", "600"]], indirect=True)
def test_a_lock_right_behind_an_unlock_holds(logind, terminal, helper):
    lock(logind)
    before = len(logind.hints("c1"))
    logind.unlock_and_lock("c1")
    wait_for(lambda: len(logind.hints("c1")) == before + 2, "both are carried out")
    assert logind.hints("c1")[before:] == [False, True]


@pytest.mark.parametrize("helper", [["--", "/usr/bin/false"]], indirect=True)
def test_a_locker_that_ends_at_once_has_locked_nothing(logind, terminal, helper):
    before = len(logind.hints("c1"))
    logind.lock("c1")
    wait_for(lambda: len(logind.hints("c1")) > before, "the answer")
    assert True not in logind.hints("c1")[before:]


# A locker that ends on request and records that it was asked.
ASKED = "trap 'echo asked >DIRECTORY/said; kill $!; exit' USR1; sleep 600 & echo ready >DIRECTORY/said; wait"


@pytest.mark.parametrize("helper", [["--", "/bin/sh", "-c", ASKED]], indirect=True, ids=["asked"])
def test_a_desktops_locker_is_asked_to_end_at_an_unlock(directory, logind, helper):
    said = directory / "said"
    lock(logind)
    wait_for(lambda: said.exists() and said.read_text() == "ready\n", "the locker")
    logind.unlock("c1")
    wait_for(lambda: not logind.is_locked("c1"), "the unlock")
    assert said.read_text() == "asked\n"


@pytest.mark.parametrize(
    "helper", [["--", "/bin/sh", "-c", "trap '' USR1; echo ready >DIRECTORY/said; sleep 600"]], indirect=True, ids=["deaf"])
def test_a_desktops_locker_that_does_not_end_is_killed_at_an_unlock(directory, logind, helper):
    said = directory / "said"
    lock(logind)
    wait_for(lambda: said.exists() and said.read_text() == "ready\n", "the locker")
    locker, = children(worker(helper))
    logind.unlock("c1")
    wait_for(lambda: not logind.is_locked("c1"), "the unlock")
    assert not pathlib.Path(f"/proc/{locker}").exists()


def start_console_helper(directory, logind, opener, name="console's", session="c1"):
    """Starts the helper as session-hook does after a process has opened a session."""
    return Running([BIN / "boxagent-session", "--session", session, "--console", str(opener), "--bus", logind.address,
                    "--socket", directory / "box/run/control.sock"], directory, name)


def test_a_helper_stays_where_the_process_that_opened_the_session_leads_it_on_a_console(directory, logind, terminal):
    logind.add("c1", terminal="tty2", locker="helper", leader=terminal.program.pid)
    logind.locked("c1", True)
    helper = start_console_helper(directory, logind, terminal.program.pid)
    wait_for(lambda: not logind.is_locked("c1"), "the helper")
    assert helper.process.poll() is None
    terminal.program.kill()
    terminal.program.wait(10)
    assert helper.wait() == 0


@pytest.mark.parametrize("session, changes", [
    pytest.param({"leader": 1}, {}, id="another process leads it"),
    pytest.param({"terminal": "pts/7"}, {}, id="a pseudo-terminal"),
    pytest.param({"terminal": "ttyS0"}, {}, id="a serial line"),
    pytest.param({"terminal": "tty64"}, {}, id="no console"),
    pytest.param({"terminal": ""}, {}, id="no terminal"),
    pytest.param({"uid": 4711}, {}, id="another user's"),
    pytest.param({}, {"Class": "greeter"}, id="a greeter's"),
])
def test_a_helper_leaves_what_did_not_open_on_its_users_console(directory, logind, terminal, session, changes):
    logind.add("c1", **{"terminal": "tty2", "locker": "helper", "leader": terminal.program.pid, **session})
    for name, value in changes.items():
        logind.change("c1", name, value)
    logind.locked("c1", True)
    assert start_console_helper(directory, logind, terminal.program.pid).wait() == 0
    assert logind.is_locked("c1"), "it has touched nothing"


def test_su_on_a_console_does_not_take_the_place_of_the_consoles_own_helper(box, directory, logind, terminal, helper):
    def can_lock():
        found = json.loads(box.command("sessions", "--json").ok())
        return bool(found) and found[0]["can_lock"]
    wait_for(can_lock, "the helper at the agent", 40)
    assert start_console_helper(directory, logind, opener=os.getpid(), name="su's").wait() == 0
    assert can_lock()
    lock(logind)


@pytest.mark.parametrize("words", [
    ["--open-session"], ["--console"], ["--console", "0"], ["--console", "-1"], ["--console", "x"],
    ["--console", "7", "--", "/usr/bin/true"]])
def test_arguments_that_make_no_sense_end_it(words):
    done = subprocess.run([BIN / "boxagent-session", *words], capture_output=True, timeout=PATIENCE)
    assert done.returncode == 64 and b"usage: boxagent-session" in done.stderr
