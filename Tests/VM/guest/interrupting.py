"""Runs `boxagent setup` at a pseudo-terminal and interrupts it there. Also replaces programs that setup calls, to interrupt setup
while it waits for them."""

import contextlib
import os
import pathlib
import shutil
import signal

import pexpect

from deadline import slowness
from machine import run

# The ways to end a program at a terminal: Ctrl-C, two signals from elsewhere, and closing the terminal.
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP)
PROGRAMS = ("/usr/bin/systemctl", "/usr/sbin/pam-auth-update")
DIRECTORY = pathlib.Path("/run/interrupting")
AT = DIRECTORY / "at"
HELD = DIRECTORY / "held"
NOWHERE = "TERM nowhere\n"


class SetupAtTerminal:
    def __init__(self, box):
        # The terminal is wide enough for the code on one line.
        self.screen = pexpect.spawn("/usr/bin/boxagent", ["setup"], encoding="utf-8", timeout=60 * slowness(),
                                    dimensions=(60, 700), env={**os.environ, "NO_COLOR": "1"})
        # The runner stops setup at the end of the scenario.
        box.everything.append(self)

    def stop(self):
        if not self.screen.terminated:
            self.screen.kill(signal.SIGKILL)
            self.screen.wait()

    def is_asked(self, question, *answers):
        """Answers the questions on the way, as (question, answer), until setup asks this question."""
        for asked, answer in answers:
            self.screen.expect_exact(asked)
            self.screen.sendline(answer)
        self.screen.expect_exact(question)
        return self

    def code(self):
        self.screen.expect(r"(boxlink:\S+)\s")
        return self.screen.match[1]

    def answer(self, text):
        self.screen.sendline(text)

    def is_ended_by(self, ending):
        if ending == signal.SIGINT:
            self.screen.sendintr()
        elif ending == signal.SIGHUP:
            # The kernel sends SIGHUP to the leader of the terminal's session.
            self.screen.ptyproc.fileobj.close()
        else:
            self.screen.kill(ending)
        if ending != signal.SIGHUP:
            self.screen.expect(pexpect.EOF)
        self.screen.wait()
        assert self.screen.signalstatus == ending, (ending, self.screen.exitstatus, self.screen.signalstatus)

    def ends(self):
        """Waits until setup ends successfully. Returns its remaining output."""
        self.screen.expect(pexpect.EOF)
        self.screen.wait()
        assert self.screen.exitstatus == 0, (self.screen.exitstatus, self.screen.before)
        return self.screen.before


@contextlib.contextmanager
def programs():
    """Inside this context, `at` and `hold` arm one event. It happens when a program starts whose name and arguments begin with the
    given words. The program still does its work."""
    real = DIRECTORY / "real"
    real.mkdir(parents=True)
    AT.write_text(NOWHERE)
    script = DIRECTORY / "program"
    script.write_text(f"""#!/bin/sh
read -r signal words <{AT}
case "${{0##*/}} $*" in
"$words"*)
    echo {NOWHERE.strip()} >{AT}
    if [ "$signal" = hold ]; then
        {real}/"${{0##*/}}" "$@"
        : >{HELD}
        exec sleep infinity
    fi
    kill -s "$signal" "$PPID"
    ;;
esac
exec {real}/"${{0##*/}}" "$@"
""")
    script.chmod(0o755)
    mounted = []
    try:
        for path in PROGRAMS:
            shutil.copy2(path, real)
            run("mount", "--bind", script, path)
            mounted.append(path)
        yield
    finally:
        for path in mounted:
            run("umount", path)
        shutil.rmtree(DIRECTORY)


def at(words, number):
    """Sends the signal to the program's parent before the program starts its work."""
    AT.write_text(f"{signal.Signals(number).name.removeprefix('SIG')} {words}\n")


def hold(words):
    """Lets the program do its work but not end. `is_held` tells when it has done the work."""
    AT.write_text(f"hold {words}\n")


def is_held():
    return HELD.exists()
