"""A session hook for tests: a program that only root could change, and a journal that receives its output."""

import os
import pathlib
import pwd
import select
import shutil
import socket
import struct
import tempfile
import threading
import time

import pytest

from pam_agent import delivering
from pam_bench import ROOT

TOKEN = b"planted-7f3a-token"
PATIENCE_SECONDS = 20
USER = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def session_hook():
    path = pathlib.Path(os.environ.get("BOXAGENT_BIN", ROOT / "dist")) / "session-hook"
    if not path.exists():
        pytest.fail("%s is missing; run: make build" % path)
    return path


class Journal:
    """A fake of journald's stream socket. `streams` holds (user ID of the client, header, lines)."""

    def __init__(self, path):
        self.streams, self.changed = [], threading.Condition()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        os.chmod(path, 0o666)
        self.listener.listen(16)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream):
        raw = stream.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        with stream.makefile("r", encoding="utf-8", errors="replace") as file:
            header = [file.readline().rstrip("\n") for _ in range(7)]
            lines = []
            with self.changed:
                self.streams.append((struct.unpack("3i", raw)[1], header, lines))
            for line in file:
                with self.changed:
                    lines.append(line.rstrip("\n"))
                    self.changed.notify_all()

    @property
    def lines(self):
        return [line for _, _, lines in self.streams for line in lines]

    def wait_for(self, text):
        """Waits for a line that contains `text`. Returns the first one."""
        with self.changed:
            assert self.changed.wait_for(lambda: any(text in line for line in self.lines), PATIENCE_SECONDS), self.lines
            return next(line for line in self.lines if text in line)


class HookBench:
    """A bench whose services have a session hook. `report` returns what the hook's script writes to `$report`."""

    def __init__(self, bench):
        self.bench = bench
        os.chmod(bench.directory, 0o755)
        # /tmp does not work, because every user may write there.
        home = "/var/lib" if os.geteuid() == 0 else pathlib.Path.home()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-hook-", dir=home))
        self.directory.chmod(0o755)
        self.program = self.directory / "hook"
        self.report_path = bench.directory / "report"
        os.mkfifo(self.report_path)
        os.chmod(self.report_path, 0o666)
        self.report_end = os.open(self.report_path, os.O_RDONLY | os.O_NONBLOCK)
        self.journal_path, self.syslog_path = bench.directory / "journal", bench.directory / "syslog"
        self.journal = Journal(self.journal_path)
        # The helper starts without environment and arguments, so a script passes the sockets.
        self.helper = bench.directory / "helper"
        self.helper.write_text('#!/bin/sh\nexec "%s" --journal-socket "%s" --syslog-socket "%s"\n' % (
            session_hook(), self.journal_path, self.syslog_path))
        self.helper.chmod(0o755)

    def script(self, text):
        self.program.write_text('#!/bin/sh\nreport=%s\n%s\n' % (self.report_path, text))
        self.program.chmod(0o755)

    def stack(self, keep="keep", verdict=True, password=("auth required pam_permit.so",), more="", program=None,
              helper=None, account="account required pam_permit.so"):
        ours, bench = self.bench.ours, self.bench
        hook = "debug hook=%s helper=%s %s" % (program or self.program, helper or self.helper, more)
        bench.service("login", [
            ours(arguments=keep), *password, *([ours(arguments="verdict")] if verdict else []), ours(kind="account"),
            account, ours(kind="session", arguments=hook), "session required pam_permit.so",
            "password required pam_permit.so", ours(kind="password")])

    def run(self, *steps, token=TOKEN, script=None, user=USER, **settings):
        """Runs the steps against an agent that delivers."""
        self.bench.agent(script or delivering(token, user=user.encode()))
        result = self.bench.run(*steps, user=user, **settings)
        self.bench.finish()
        return result

    def login(self, **settings):
        return self.run("auth", "acct", "setcred", "open", "close", "end", **settings)

    def report(self):
        """Returns what the script wrote, after it has closed the report."""
        data, end = b"", time.monotonic() + PATIENCE_SECONDS
        poll = select.poll()
        poll.register(self.report_end, select.POLLIN)
        while True:
            events = poll.poll(max(0, (end - time.monotonic()) * 1000))
            assert events, "no report; journal: %s" % self.journal.lines
            if events[0][1] & select.POLLIN:
                data += os.read(self.report_end, 65536)
            elif data:
                return data

    def close(self):
        os.close(self.report_end)
        # Wakes the accepting thread.
        self.journal.listener.shutdown(socket.SHUT_RDWR)
        self.journal.listener.close()
        shutil.rmtree(self.directory, ignore_errors=True)
