"""`boxagent setup` before a person at a pseudo-terminal, whom something takes away; and programs of the machine that interrupt
setup while it waits for them."""

import contextlib
import os
import pathlib
import shutil
import signal

import pexpect

from deadline import slowness
from machine import run

# How a person's terminal ends a program: Ctrl-C, from elsewhere, and its own end.
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP)
PROGRAMS = ("/usr/bin/systemctl", "/usr/sbin/pam-auth-update")
DIRECTORY = pathlib.Path("/run/interrupting")
AT = DIRECTORY / "at"
HELD = DIRECTORY / "held"
NOWHERE = "TERM nowhere\n"


class SetupAtTerminal:
    def __init__(self, box):
        # As wide as the code is long.
        self.screen = pexpect.spawn("/usr/bin/boxagent", ["setup"], encoding="utf-8", timeout=60 * slowness(),
                                    dimensions=(60, 700), env={**os.environ, "NO_COLOR": "1"})
        # It ends with its scenario.
        box.everything.append(self)

    def stop(self):
        if not self.screen.terminated:
            self.screen.kill(signal.SIGKILL)
            self.screen.wait()

    def is_asked(self, question, *answers):
        """Goes on to the question, answering those on the way: (question, answer)."""
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
            # The kernel tells who leads the terminal's session.
            self.screen.ptyproc.fileobj.close()
        else:
            self.screen.kill(ending)
        if ending != signal.SIGHUP:
            self.screen.expect(pexpect.EOF)
        self.screen.wait()
        assert self.screen.signalstatus == ending, (ending, self.screen.exitstatus, self.screen.signalstatus)

    def ends(self):
        """All that it said last, once it has ended well."""
        self.screen.expect(pexpect.EOF)
        self.screen.wait()
        assert self.screen.exitstatus == 0, (self.screen.exitstatus, self.screen.before)
        return self.screen.before


@contextlib.contextmanager
def programs():
    """Inside, `at` and `hold` have something happen, once, when a program is started whose name and arguments begin so. It does
    what it was started for, all the same."""
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
    """Its parent gets the signal before the program begins."""
    AT.write_text(f"{signal.Signals(number).name.removeprefix('SIG')} {words}\n")


def hold(words):
    """The program does its work and does not end; `is_held` says when."""
    AT.write_text(f"hold {words}\n")


def is_held():
    return HELD.exists()
