"""The session hook with a real logind and journal: it runs in the session's scope and ends with it."""

import json
import os
import pathlib
import pwd
import re

from installed import PASSWORD
from machine import SHARE, note, run, wait_until
from scenario import scenario

BOTH = ("bluez", "loopback")
HOOK = pathlib.Path("/etc/boxagent/hook")
SEEN = pathlib.Path("/home/alice/hook-seen")
SCRIPT = """#!/bin/sh
echo "the hook speaks"
{ cat; id -un; echo "$XDG_SESSION_ID"; cat /proc/self/cgroup; } >"$HOME/hook-new"
setsid -f sleep 987654 >/dev/null 2>&1
mv "$HOME/hook-new" "$HOME/hook-seen"
"""


def switch_on():
    """Adds the two options of docs/how-to/remote-desktops.md to the stacks that pam-auth-update made."""
    HOOK.write_text(SCRIPT)
    HOOK.chmod(0o755)
    auth, session = (pathlib.Path("/etc/pam.d/common-" + name) for name in ("auth", "session"))
    text, count = re.subn(r"(pam_boxagent\.so wait=30)$", r"\1 keep", auth.read_text(), flags=re.M)
    assert count == 1, text
    auth.write_text(text)
    session.write_text(session.read_text() + "session [default=ignore] pam_boxagent.so hook=%s\n" % HOOK)


@scenario("A session hook gets the tap's password as the user, in the session's scope, and ends with the session", BOTH)
def hook_in_scope(context):
    switch_on()
    box = context.box
    alice = box.phone("alice").enrol("alice", password=PASSWORD)
    reader, writer = os.pipe()
    program = box.run_program(
        box.on_console("/usr/bin/python3", SHARE / "integration" / "session_program.py", "login", "alice", "tty12"),
        "session", stdin=reader,
        env={**os.environ, "LD_PRELOAD": "libpam.so.0"})
    os.close(reader)
    box.waiting()
    alice.command("login").ok()
    program.wait_for("session is open")
    wait_until(SEEN.exists, of="the hook's file")
    name, password, user, session, cgroup = SEEN.read_bytes().split(b"\n", 4)
    assert (name, password, user) == (b"alice", PASSWORD, b"alice")
    scope = "session-%s.scope" % session.decode()
    assert scope in cgroup.decode(), cgroup
    note("it ran in " + cgroup.decode().strip())

    line = json.loads(wait_until(
        lambda: run("journalctl", "-b", "-t", "session-hook", "-g", "the hook speaks", "-o", "json", check=False).stdout,
        of="the journal has what it said").splitlines()[0])
    assert line["_UID"] == str(pwd.getpwnam("alice").pw_uid) and line["_SYSTEMD_UNIT"] == scope, line
    said = run("journalctl", "-b", "-t", "session-hook", "-o", "cat").stdout
    assert PASSWORD.decode() not in run("journalctl", "-b").stdout and "outside" not in said, said

    def left():
        return run("pgrep", "-f", "sleep 987654", check=False).stdout
    assert left()
    run("loginctl", "terminate-session", session.decode())
    wait_until(lambda: not left(), of="what the hook left behind has ended with the session")
    os.close(writer)
    program.wait()
