"""A tap serves a program only at a seat. The kernel and logind decide that, not the program's own claims."""

import os
import pathlib
import subprocess
import sys

import cbor2
import pexpect
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from box import LET_IN, PATIENCE, Box  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture
def seated(directory, logind):
    """A box that serves seats, as a site's box does, and a phone of alice, who has a session that can be unlocked."""
    logind.add("c0", "alice", terminal="tty9")
    box = Box(directory / "box", directory / "air", **{
        "sessions.bus": '"%s"' % logind.address, "login.serve": '"seat"'})
    box.pam_service(users={"alice": b"correct horse"}).start()
    box.alice = box.phone("a").enrol("alice", b"correct horse")
    yield box
    box.stop()


class DisplayManager:
    """A login screen in a logind session, and a worker that asks PAM for alice."""

    def __init__(self, box, logind, session="c1", seat="seat1", display=":1", name=None):
        box.counter += 1
        self.box = box
        environment = dict(os.environ, LD_PRELOAD="libpam_wrapper.so", PAM_WRAPPER="1",
                           PAM_WRAPPER_SERVICE_DIR=str(box.directory / "pam.d"))
        reader, self.writer = os.pipe()
        self.worker = box.run_program(
            [sys.executable, HERE / "display_manager_double.py", "pamtester", "-I", "tty=%s" % (name or display), "demo",
             "alice", *LET_IN], f"display-manager-{box.counter}", stdin=reader, env=environment)
        os.close(reader)
        box.wait_until(lambda: self.worker.out.endswith("\n"))
        logind.add(session, "lightdm", uid=117, seat=seat, terminal="", type="x11", leader=int(self.worker.out))
        logind.change(session, "Class", "greeter")
        logind.change(session, "Display", display)

    def ask(self):
        os.close(self.writer)
        return self.worker


def refusal(box, reason):
    box.agent.wait_for("gets no credential: " + reason)


def test_a_login_screen_of_a_seat_is_served(seated, logind):
    manager = DisplayManager(seated, logind)
    worker = manager.ask()
    seated.wait_until(seated.programs_waiting)
    seated.alice.command("login").ok()
    assert "successfully authenticated" in worker.ok()


def test_a_login_that_its_login_screen_drops_is_not_told_as_one(seated, logind):
    """LightDM renews credentials, as for an unlocked session, also for a user whose login its greeter drops."""
    logind.remove("c0")
    worker = DisplayManager(seated, logind).ask()
    seated.wait_until(seated.programs_waiting)
    tap = seated.alice.command("login")
    assert tap.wait() == 7 and "result is not known" in tap.err, tap.out + tap.err
    worker.ok()
    assert "login-unknown" in [entry["event"] for entry in seated.json("audit")]


def test_a_login_screen_that_logind_has_not_told_of_yet_is_served(seated, logind):
    logind.hush()
    worker = DisplayManager(seated, logind).ask()
    seated.wait_until(seated.programs_waiting)
    seated.alice.command("login").ok()
    assert "successfully authenticated" in worker.ok()


def test_a_greeter_on_a_display_that_anybody_has_made_is_refused(seated, logind):
    """LightDM's AddLocalXSeat with an Xvfb: a greeter's session without a seat of logind."""
    DisplayManager(seated, logind, "c1")
    worker = DisplayManager(seated, logind, "c2", seat="", display=":50").ask()
    assert worker.wait() != 0
    refusal(seated, "the login screen is not at a seat")


def test_a_worker_that_names_the_display_of_another_program_is_refused(seated, logind):
    DisplayManager(seated, logind, "c1", display=":1")
    worker = DisplayManager(seated, logind, "c2", seat="", display=":50", name=":1").ask()
    assert worker.wait() != 0
    refusal(seated, "it has no terminal, and its display manager has no login screen there")


def test_a_login_on_a_pseudo_terminal_is_refused(seated):
    """`machinectl login .host` opens such a terminal. So does any program that a user can make root run."""
    environment = dict(os.environ, LD_PRELOAD="libpam_wrapper.so", PAM_WRAPPER="1",
                       PAM_WRAPPER_SERVICE_DIR=str(seated.directory / "pam.d"))
    tap = seated.alice.command("login")
    seated.wait_until(seated.tap_held)
    terminal = pexpect.spawn("pamtester", ["-I", "tty=/dev/tty1", "demo", "alice", *LET_IN],
                             env=environment, encoding="utf-8", timeout=PATIENCE)
    terminal.expect("assword")
    refusal(seated, "its terminal is not at a seat")
    assert seated.tap_held()
    terminal.close(force=True)
    tap.stop()


def test_a_login_screen_is_not_served_while_logind_does_not_tell_the_workers_session(seated, logind):
    """logind's error must not count as "in no session", or a worker that a user's session started would count as one at a seat."""
    manager = DisplayManager(seated, logind)
    logind.put_processes_in("secret")
    worker = manager.ask()
    assert worker.wait() != 0
    refusal(seated, "it has no terminal, and systemd-logind does not say which session it is in")


def test_a_program_without_a_terminal_is_refused_where_no_login_screen_is(seated, logind):
    assert seated.pam("alice").wait() != 0
    refusal(seated, "it has no terminal, and its display manager has no login screen")
    logind.add("c7", "alice", type="wayland")
    logind.put_processes_in("c7")
    assert seated.pam("alice").wait() != 0
    refusal(seated, "it has no terminal, and is in session c7")


def test_a_login_screen_that_went_to_the_background_does_not_get_the_tap_that_comes_then(seated, logind):
    worker = DisplayManager(seated, logind).ask()
    seated.wait_until(seated.programs_waiting)
    logind.change("c1", "Active", False)
    tap = seated.alice.command("login")
    assert worker.wait() != 0
    seated.agent.wait_for("stops waiting for a tap: the login screen is not in the foreground of seat1")
    seated.wait_until(seated.tap_held)
    tap.stop()


@pytest.mark.skipif(os.getuid() != 0, reason="becomes other users, which root alone can")
def test_whoever_is_neither_root_nor_a_greeter_does_not_see_that_a_tap_waits(seated):
    for path in (seated.directory.parent, seated.directory, seated.run):
        path.chmod(0o711)
    tap = seated.alice.command("login")
    seated.wait_until(seated.tap_held)
    program = ("import os, socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET);"
               "os.setgroups([]); os.setuid(65533); s.connect(sys.argv[1]); s.send(bytes.fromhex(sys.argv[2]));"
               "print(s.recv(8192).hex())")
    asked = cbor2.dumps({"type": "status", "version": 2}, canonical=True)
    said = subprocess.run([sys.executable, "-c", program, seated.run / "control.sock", asked.hex()], capture_output=True, text=True)
    reply = cbor2.loads(bytes.fromhex(said.stdout.strip()))
    assert reply["type"] == "status" and "activity" not in reply, reply
    tap.stop()


def test_a_trial_serves_its_own_user_anywhere_and_is_refused_sockets_of_systemds(box):
    box.pam_service(users={"alice": b"correct horse"})
    phone = box.phone("a").enrol("alice", b"correct horse")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    program.ok()
    box.agent.stop()
    done = subprocess.run(
        [sys.executable, "-c",
         "import os, socket, sys\n"
         "for n in (3, 4):\n"
         "    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind(sys.argv[1] + str(n)); s.listen()\n"
         "    d = s.detach()\n"
         "    if d != n: os.dup2(d, n, True)\n"
         "    os.set_inheritable(n, True)\n"
         "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='2', LISTEN_FDNAMES='pam:control')\n"
         "os.execv(sys.argv[2], sys.argv[2:])", box.run / "inherited", box.agent.argv[0], "--config", box.config],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 69 and 'login.serve = "own" is for trials' in done.stderr, done
