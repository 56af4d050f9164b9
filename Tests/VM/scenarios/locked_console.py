"""Programs that may run in front of a console, or next to it, when the phone locks it: real sudo, ping, tmux and screen. Also a
/proc that hides processes, and an X server's changes to its terminal."""

import os
import pathlib

import console
import vt_owner
from greeter import alice, greet_on
from machine import note, run, wait_until
from scenario import scenario
from sessions import LOCKED, hint, logged_in

CONTROLLERS = 2
SETTINGS = {"auto_logout.minimum_seconds": "10"}
ROOTS_SHELL = pathlib.Path("/tmp/roots-shell")


def on_console(context):
    greet_on("tty1")
    session = logged_in(context)
    pathlib.Path("/etc/sudoers.d/rig").write_text("alice ALL=(ALL) NOPASSWD: ALL\n")
    return session


def cannot_lock(context, session):
    attempt = alice(context).command("lock")
    assert attempt.wait() != 0, attempt.out
    assert "no program can lock the session" in attempt.err or "did not lock" in attempt.err, attempt.err
    note("boxphone: " + attempt.err.strip().splitlines()[-1])
    assert hint(session["id"]) == "no"


def locks(context, session):
    alice(context).command("lock").ok()
    assert hint(session["id"]) == "yes"
    console.wait_for("tty1", LOCKED)


def unlocks(context, session):
    alice(context).command("unlock").ok()
    assert hint(session["id"]) == "no"


def state(process):
    return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]


def number_in(path):
    path = pathlib.Path(path)
    return wait_until(lambda: path.exists() and path.read_text().strip() and int(path.read_text()), of=f"a number in {path}")


def roots_shell():
    """Puts `sudo -i` in front. Returns the shell that reads the console."""
    console.type_keys("tty1", f"clear; sudo -i\necho $$ > {ROOTS_SHELL}\n")
    return number_in(ROOTS_SHELL)


def leave_roots_shell():
    console.type_keys("tty1", "exit\n")
    ROOTS_SHELL.unlink()
    wait_until(lambda: run("pgrep", "-x", "sudo", check=False).returncode != 0, of="the end of root's shell")


@scenario("With root's shell in front (sudo -i) nothing is locked, and what is typed is root's as before")
def sudo_in_front(context):
    session = on_console(context)
    roots_shell()
    cannot_lock(context, session)
    leave_roots_shell()


@scenario("The same where /proc hides processes (hidepid=2): the phone hears that nothing was locked")
def sudo_hidden(context):
    session = on_console(context)
    run("mount", "-o", "remount,hidepid=2", "/proc")
    try:
        roots_shell()
        cannot_lock(context, session)
        console.wait_for("tty1", "cannot be locked")
        leave_roots_shell()
        # The lock fails even without root's shell, because a helper that cannot see other processes cannot rule them out.
        cannot_lock(context, session)
    finally:
        run("mount", "-o", "remount,hidepid=0", "/proc")
    locks(context, session)
    unlocks(context, session)


@scenario("With alice's own shell in root's (sudo -i, su alice) nothing is locked: root's would take the console back")
def su_in_roots_shell(context):
    session = on_console(context)
    roots_shell()
    console.type_keys("tty1", "su alice\necho $$ > /tmp/inner-shell\n")
    inner = number_in("/tmp/inner-shell")
    cannot_lock(context, session)
    assert state(inner) != "T"
    console.type_keys("tty1", "exit\n")
    leave_roots_shell()
    run("rm", "/tmp/inner-shell")


@scenario("A picture on the console, or a program that switches it, as startx leaves it: nothing is locked")
def picture(context):
    session = on_console(context)
    run("install", "-m", "644", vt_owner.__file__, "/tmp/vt_owner.py")
    for what in ("picture", "switching"):
        console.type_keys("tty1", f"clear; python3 /tmp/vt_owner.py {what}\n")
        owner = number_in(f"/tmp/{what}")
        cannot_lock(context, session)
        assert state(owner) != "T"
        run("kill", "-USR1", owner)
        wait_until(lambda: not os.path.exists(f"/tmp/{what}"), of="the console is as before")
    locks(context, session)
    unlocks(context, session)


@scenario("A picture that comes to a locked console takes the hint back until it goes; the shell stays stopped")
def picture_later(context):
    session = on_console(context)
    console.type_keys("tty1", "clear; echo $$ > /tmp/alices-shell\n")
    shell = number_in("/tmp/alices-shell")
    locks(context, session)
    descriptor = os.open("/dev/tty1", os.O_RDWR | os.O_NOCTTY)
    try:
        vt_owner.picture(descriptor, True)
        wait_until(lambda: hint(session["id"]) == "no", of="not called locked")
        assert state(shell) == "T"
        vt_owner.picture(descriptor, False)
        wait_until(lambda: hint(session["id"]) == "yes", of="locked again")
    finally:
        vt_owner.picture(descriptor, False)
        os.close(descriptor)
    unlocks(context, session)
    wait_until(lambda: state(shell) != "T", of="the shell goes on")


@scenario("ping in front, whose files in /proc are root's, is locked away like any program of alice's")
def ping(context):
    session = on_console(context)
    run("setcap", "cap_net_raw+ep", os.path.realpath("/usr/bin/ping"))
    console.type_keys("tty1", "clear; ping -i 60 127.0.0.1\n")
    process = int(wait_until(lambda: run("pgrep", "-u", "alice", "-x", "ping", check=False).stdout.strip(), of="ping"))
    wait_until(lambda: os.stat(f"/proc/{process}/stat").st_uid == 0, of="files that are root's")
    locks(context, session)
    assert state(process) == "T"
    unlocks(context, session)
    wait_until(lambda: state(process) != "T", of="ping goes on")
    console.type_keys("tty1", "\x03")
    wait_until(lambda: not os.path.exists(f"/proc/{process}"), of="ping's end")


@scenario("tmux and screen, whose servers read the console, get nothing of what is typed while it is locked")
def servers(context):
    session = on_console(context)
    for program in ("tmux new-session", "screen"):
        typed = pathlib.Path(f"/tmp/typed-in-{program.split()[0]}")
        console.type_keys("tty1", f"clear; {program}\n")
        wait_until(lambda: run("pgrep", "-u", "alice", "-f", "^(tmux new|SCREEN)", check=False).stdout, of=program)
        console.type_keys("tty1", " \n")
        console.type_keys("tty1", f"clear; cat > {typed}\n")
        wait_until(typed.exists, of="a program that reads in " + program)
        locks(context, session)
        # Each key goes to whichever reader is first, so the keys are typed one by one. Together, they make one wrong password.
        for _ in range(20):
            console.type_keys("tty1", "n")
        console.type_keys("tty1", "\n")
        console.wait_for("tty1", "The password is wrong.")
        unlocks(context, session)
        console.type_keys("tty1", "reaches cat\n\x04")
        wait_until(lambda: "reaches cat" in typed.read_text(), of="what was typed after the unlock")
        assert typed.read_text() == "reaches cat\n", typed.read_text()
        console.type_keys("tty1", "exit\n")
        wait_until(lambda: not run("pgrep", "-u", "alice", "-f", "^(tmux new|SCREEN)", check=False).stdout, of="its end")
