#!/usr/bin/python3
"""Runs a command, keeps its output in a log, and ends it only when it is stuck.

    Scripts/watched.py [--quiet SECONDS] [--until SECONDS] LOG COMMAND...

A command is stuck after 300 s (or --quiet) without output and with less than a second of processor time. A slow machine makes a
build or a test slower, but not stuck, so wall time is never counted. `--until` is the one exception, for what must be
over before something else ends it: the command is ended after so many seconds. The last line in the log says why.

Exit status: the command's own; 124 when the command was ended.
"""

import argparse
import contextlib
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import time

QUIET_SECONDS = 300
# Idle daemons use less than this in QUIET_SECONDS.
IDLE_CPU_SECONDS = 1
LOOK_SECONDS = 5
SHOWN_LINES = 40
# A compiler that fails for want of space leaves less than its largest file.
SPARE_BYTES = 100_000_000
TICKS = os.sysconf("SC_CLK_TCK")
# What Swift's build says of itself, `[12/345] Compiling ...`, and what apt says of a package.
STEPS = re.compile(rb"^\[(\d+)/(\d+)\]", re.M)


def processes():
    """{pid: (parent, session, CPU seconds with those of children that have ended)} of this machine."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = pathlib.Path("/proc", entry, "stat").read_bytes().rpartition(b")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            found[int(entry)] = (int(fields[1]), int(fields[3]), sum(map(int, fields[11:15])) / TICKS)
    return found


def family(root, known):
    """The processes that belong to the command: its descendants, and all in its session."""
    members = {pid for pid, (_, session, _) in known.items() if session == root} | {root}
    while more := {pid for pid, (parent, _, _) in known.items() if parent in members} - members:
        members |= more
    return members & known.keys()


class Watched:
    """One command in a session of its own, so that it can be ended whole."""

    # All that run. Set operations are whole, also for a signal's handler.
    under_way = set()

    @classmethod
    def end_every(cls):
        for command in list(cls.under_way):
            command.end()

    def __init__(self, command, log, environment=None):
        self.log = pathlib.Path(log)
        self.file = open(self.log, "wb")
        self.process = subprocess.Popen(
            command, shell=isinstance(command, str), stdin=subprocess.DEVNULL, stdout=self.file, stderr=subprocess.STDOUT,
            start_new_session=True, env=environment)
        Watched.under_way.add(self)
        self.last = (0, 0.0)
        self.active = time.monotonic()
        self.why = None

    def wait(self, every=LOOK_SECONDS, limit=None, quiet=QUIET_SECONDS, look=lambda: None):
        """(exit status, CPU seconds). `look` is called every so many seconds; after `limit` seconds the command is ended."""
        began, end = time.monotonic(), os.pidfd_open(self.process.pid)
        while not (ended := os.wait4(self.process.pid, os.WNOHANG))[0]:
            # The end of the command is heard at once.
            select.select([end], [], [], every)
            look()
            self.judge(quiet)
            if limit is not None and time.monotonic() - began > limit:
                self.why = "ended after %d s, to leave time for the rest" % limit
            if self.why:
                self.file.write(("\nwatched: %s\n" % self.why).encode())
                self.end()
                ended = os.wait4(self.process.pid, 0)
                break
        self.file.close()
        os.close(end)
        status, usage = os.waitstatus_to_exitcode(ended[1]), ended[2]
        self.process.returncode = status
        Watched.under_way.discard(self)
        if not self.why:
            self.end()
        return 124 if self.why else status, usage.ru_utime + usage.ru_stime

    def judge(self, quiet):
        known = processes()
        cpu = sum(known[pid][2] for pid in family(self.process.pid, known))
        size = self.log.stat().st_size
        # The sum falls when a process ends whose parent did not wait for it: that is activity, too.
        if size != self.last[0] or abs(cpu - self.last[1]) >= IDLE_CPU_SECONDS:
            self.last, self.active = (size, cpu), time.monotonic()
        elif time.monotonic() - self.active > quiet:
            self.why = "stuck: no output and no processor time for %d s" % quiet

    def end(self):
        """Kills what is left of the command, also what has a session of its own and is still its descendant."""
        for pid in family(self.process.pid, processes()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


@contextlib.contextmanager
def ended_by_signals():
    """Ends all commands with this program. They have sessions of their own, which its signals do not reach."""
    def end(number, _frame):
        Watched.end_every()
        os._exit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say_if_disk_is_full():
    """Explains a failure. A build that meets a full disk seldom says so."""
    free = shutil.disk_usage(pathlib.Path(__file__).parent).free
    if free <= SPARE_BYTES:
        print("the disk is full: %d MB are left here. Free some space, then run the same again" % (free // 1_000_000),
              file=sys.stderr)


class Progress:
    """How far a command is, by its log."""

    def __init__(self, log):
        self.log, self.began = pathlib.Path(log), time.monotonic()

    def how_far(self):
        spent = time.monotonic() - self.began
        with open(self.log, "rb") as file:
            file.seek(max(0, self.log.stat().st_size - 4096))
            steps = STEPS.findall(file.read().replace(b"\r", b"\n"))
        if not steps or not int(steps[-1][1]):
            return "%d s" % spent
        done, total = map(int, steps[-1])
        said = "%d %% (%d of %d), %d s" % (100 * done // total, done, total, spent)
        # The first steps say little about the rest.
        return said + (", about %d s left" % (spent * (total - done) / done) if 20 * done > total else "")


class Line:
    """A command's line of progress on a terminal. Elsewhere a plain one, begun at once."""

    def __init__(self, text, log):
        self.text, self.progress = text, Progress(log)
        self.is_terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        if not self.is_terminal:
            print("%s ..." % text, end="", flush=True)

    def draw(self):
        if self.is_terminal:
            columns = shutil.get_terminal_size().columns
            print("\r%s\033[K" % ("%s ... %s" % (self.text, self.progress.how_far()))[:columns - 1], end="", flush=True)

    def end(self, status):
        said = "%s, %d s" % ("done" if status == 0 else "failed", time.monotonic() - self.progress.began)
        print(("\r%s: %s\033[K" % (self.text, said)) if self.is_terminal else " " + said, flush=True)


def run_with_line(text, log, command, limit=None, quiet=QUIET_SECONDS):
    """Runs a command behind a line of progress, and shows the end of its log after a failure."""
    with ended_by_signals():
        watched, line = Watched(command, log), Line(text, log)
        status, _ = watched.wait(every=1, limit=limit, quiet=quiet, look=line.draw)
    line.end(status)
    if status:
        rows = pathlib.Path(log).read_text(errors="replace").splitlines()[-SHOWN_LINES:]
        print("\n".join("  | " + row.split("\r")[-1].rstrip() for row in rows), flush=True)
    return status


def run_shown(log, command, limit=None, quiet=QUIET_SECONDS):
    """Runs a command whose output is shown as it comes."""
    watched = Watched(command, log)
    with open(log, "rb") as shown:
        def copy():
            sys.stdout.buffer.write(shown.read())
            sys.stdout.buffer.flush()

        status, _ = watched.wait(every=1, limit=limit, quiet=quiet, look=copy)
        copy()
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quiet", type=float, metavar="SECONDS", default=QUIET_SECONDS)
    parser.add_argument("--until", type=float, metavar="SECONDS")
    parser.add_argument("log")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    with ended_by_signals():
        return run_shown(arguments.log, arguments.command, arguments.until, arguments.quiet)


if __name__ == "__main__":
    sys.exit(main())
