"""Our programs as a site has them: installed by Scripts/install, with the shipped unit, sockets, user and PAM profiles. The classes
that run and watch programs are those of the integration tests (Tests/Integration/agent/box.py)."""

import json
import os
import pathlib
import pwd
import re
import signal
import subprocess
import time

import box as programs
import console
from deadline import slowness
from machine import SHARE, Failed, journal, run, unit_pid, wait_until

PASSWORD = b"correct-horse"  # of alice and bob
PHONES = SHARE / "phones.tar"
# Programs ask on this terminal, because no getty runs there. The agent serves only programs on a terminal in the foreground.
TERMINAL = "tty12"
# The module logs this when the agent does not answer it in time. So many programs ask one after another on a machine that is
# this many times slower than a quiet one.
LATE, ASKING, SLOW = "boxagentd does not answer", 4, 2.0


def install():
    """Does what the package's maintainer scripts do, and what an administrator then configures."""
    run("cp", "-a", f"{SHARE}/root/.", "/")
    # The files in the share belong to the user who built them.
    for line in (SHARE / "root.list").read_text().splitlines():
        os.chown("/" + line, 0, 0, follow_symlinks=False)
    run("systemd-sysusers", "/usr/lib/sysusers.d/boxagent.conf")
    run("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/boxagent.conf")
    run("pam-auth-update", "--package", env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    stack = pathlib.Path("/etc/pam.d/common-auth")
    text, changed = re.subn(r"(pam_boxagent\.so)[ \t]*$", r"\1 wait=30", stack.read_text(), count=1, flags=re.M)
    if not changed:
        raise Failed("pam-auth-update has not taken our profile:\n" + text)
    stack.write_text(text)
    run("systemctl", "enable", "--quiet", "boxagentd")
    run("systemctl", "daemon-reload")
    run("systemctl", "start", "boxagentd-pam.socket", "boxagentd-control.socket")


def seat(user):
    """Logs the user in on a terminal in the background, unless the user has a session there."""
    terminal = "tty%d" % (20 + pwd.getpwnam(user).pw_uid % 40)
    if console.user_on(terminal) == user:
        return
    subprocess.Popen(Box.on_console("/bin/login", "-f", user, attach=True, terminal=terminal), stdin=subprocess.DEVNULL)
    wait_until(lambda: console.user_on(terminal) == user, of=f"a session of {user} on {terminal}")


class Loopback:
    """The loopback radio, to try the scenarios' own code."""
    name, settings = "loopback", {"radio.kind": '"loopback"'}

    @staticmethod
    def words(adapter):
        return ["--radio", "loopback"]


class BlueZ:
    name, settings = "bluez", {"radio.kind": '"bluez"', "radio.adapter": '"hci0"'}

    @staticmethod
    def words(adapter):
        return ["--radio", "bluez", "--adapter", adapter]


class Box(programs.Box):
    """The agent, run by its systemd unit."""

    def __init__(self, radio, directory=pathlib.Path("/run/scenarios")):
        directory.mkdir(exist_ok=True)
        self.radio, self.directory = radio, directory
        self.run = pathlib.Path("/run/boxagent")
        self.config = pathlib.Path("/etc/boxagent/boxagent.toml")
        self.counter, self.everything = 0, []
        self.settings = {}

    def write_config(self, **changes):
        self.settings.update(changes)
        set_ = {
            "pin.hash_milliseconds": "50",
            **self.radio.settings, **self.settings}
        tables = {}
        for key, value in set_.items():
            table, name = key.split(".")
            tables.setdefault(table, []).append(f"{name} = {value}")
        self.config.write_text("".join(
            f"[{table}]\n" + "\n".join(lines) + "\n\n" for table, lines in tables.items()))

    def start(self):
        run("systemctl", "start", "boxagentd")
        return self

    def restart(self):
        run("systemctl", "restart", "boxagentd")

    def halt(self):
        run("systemctl", "stop", "boxagentd")

    def kill(self):
        os.kill(unit_pid("boxagentd"), signal.SIGKILL)

    def status(self):
        return self.json("status")

    def radio_state(self):
        return self.status()["radio_state"]

    def findings(self):
        """Runs doctor. Returns (exit status, findings). The status is 1 if there is a fault."""
        command = self.command("doctor", "--json")
        code = command.wait()
        return code, json.loads(command.out)

    def phone(self, name, adapter="hci1"):
        return Phone(self, name, adapter)

    def put_phones_away(self):
        """Saves the phones' files in the share, because a power failure of the box does not affect phones."""
        phones = [path.name for path in self.directory.glob("phone-*")]
        run("tar", "-cf", PHONES, "-C", self.directory, *phones)

    def take_phones_out(self):
        run("tar", "-xpf", PHONES, "-C", self.directory)

    def pam(self, user, *operations, service="login", name=None):
        """Runs pamtester with empty standard input: no password is typed, and pam_unix decides. Without `operations`, it acts as a
        program that unlocks a session of the user."""
        self.counter += 1
        if not operations:
            seat(user)
        return self.run_program(
            self.on_console("pamtester", service, user, *(operations or programs.LET_IN)),
            name or f"pamtester-{self.counter}")

    @staticmethod
    def on_console(*argv, attach=False, terminal=TERMINAL):
        """Returns the command line that runs a program on a terminal in the foreground."""
        return ["/usr/bin/python3", SHARE / "guest" / "on_console.py", *(["--attach"] if attach else []), terminal, *argv]

    def waiting(self, programs_=1):
        wait_until(lambda: self.programs_waiting() == programs_, of=f"{programs_} programs wait for a tap")

    def asking(self, user="alice"):
        """Starts a program that asks for a tap, and returns it. The module gives the agent 0.95 s for its first answer, and then
        leaves the program to the keyboard. A slow machine may need longer: another program begins, as a person would."""
        for left in reversed(range(ASKING)):
            late = journal("-t", "pamtester").count(LATE)
            program = self.pam(user)
            wait_until(lambda: self.programs_waiting() == 1 or program.process.poll() is not None, of="a program waits for a tap")
            if program.process.poll() is None:
                return program
            if not left or slowness() < SLOW or journal("-t", "pamtester").count(LATE) == late:
                raise Failed(f"the program did not wait for a tap\nout: {program.out}\nerr: {program.err}")

    def login(self, phone, user="alice", *words, **secrets):
        """Logs in: a program asks, the phone answers, pam_unix checks. Returns (seconds that boxphone took, its output)."""
        program = self.asking(user)
        start = time.monotonic()
        out = phone.with_secrets("login", *words, **secrets).ok()
        seconds = time.monotonic() - start
        program.ok()
        return seconds, out


class Phone(programs.Phone):
    """A boxphone with its own vault and controller."""

    def __init__(self, box, name, adapter):
        super().__init__(box, name)
        self.adapter = adapter

    def command(self, *words, fds=(), extra=()):
        self.box.counter += 1
        argv = ["/usr/bin/boxphone", *words, "--directory", self.directory, *self.box.radio.words(self.adapter), *extra]
        return self.box.run_program(argv, f"boxphone-{self.name}-{self.box.counter}", fds)
