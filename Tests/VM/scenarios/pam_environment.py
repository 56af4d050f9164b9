"""A user's variables in the PAM environment, as Debian 12's sshd reads them from ~/.pam_environment. A program that they name must not
run as root, and consoles must still have their helper."""

import os
import pathlib
import platform
import pwd
import re

import console
from greeter import alice, greet_on
from installed import PASSWORD
from machine import note, run, wait_until
from scenario import scenario
from sessions import hint, logged_in, logged_out

BOTH = ("bluez", "loopback")
CONTROLLERS = 2
HOME = pathlib.Path("/home/alice")
EVIL, SEEN, KEY = HOME / "evil.so", HOME / "preloaded", pathlib.Path("/run/ssh-key")
SESSION = pathlib.Path("/etc/pam.d/common-session")
VARIABLES = {"LD_PRELOAD": EVIL, "LD_AUDIT": EVIL, "PAM_USER": "root", "PAM_TTY": "tty1", "PAM_TYPE": "open_session",
             "XDG_SESSION_ID": "1", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/home/alice/bus", "SWIFT_BACKTRACE": "enable=yes"}
OLD_LINE = "session [default=ignore] pam_exec.so quiet %s --open-session\n"


def prepare():
    """Prepares alice's files, and sshd, login(1) and su(1) that read her file, as only Debian 12's sshd does by itself."""
    run("cp", "/usr/lib/rig/preload-spy.so", EVIL)
    SEEN.write_text("")
    SEEN.chmod(0o666)
    (HOME / ".pam_environment").write_text("".join(f"{name} DEFAULT={value}\n" for name, value in VARIABLES.items()))
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", KEY)
    (HOME / ".ssh").mkdir(mode=0o700)
    (HOME / ".ssh/authorized_keys").write_text(KEY.with_suffix(".pub").read_text())
    run("chown", "-R", "alice:", HOME)
    is_12 = platform.freedesktop_os_release()["VERSION_ID"] == "12"
    assert is_12 == ("user_readenv=1" in pathlib.Path("/etc/pam.d/sshd").read_text()), "whether Debian's sshd reads the user's file"
    for service, line in (("login", "readenv=1"), ("su", "readenv=1"), *([] if is_12 else [("sshd", "envfile=/etc/default/locale")])):
        path = pathlib.Path("/etc/pam.d") / service
        text, count = re.subn(rf"(pam_env\.so {line})$", r"\1 user_readenv=1", path.read_text(), flags=re.M)
        assert count == 1, path.read_text()
        path.write_text(text)
    run("systemctl", "start", "ssh")


def ssh(command):
    """Logs in by ssh, runs the command and logs out. Returns its output when sshd has closed the session."""
    done = run("ssh", "-i", KEY, "-o", "StrictHostKeyChecking=accept-new", "-o", "BatchMode=yes", "alice@127.0.0.1", command)
    # OpenSSH since 9.8 calls the process sshd-session.
    wait_until(lambda: run("pgrep", "-f", "^sshd(-session)?: alice", check=False).returncode != 0, of="sshd closes the session")
    return done.stdout


def loaded():
    """Returns the users and programs into which alice's preloaded library was loaded since the last call."""
    found = [line.split() for line in SEEN.read_text().splitlines()]
    SEEN.write_text("")
    return [(uid, euid, program) for uid, euid, program in found]


def roots(found):
    return [one for one in found if "0" in one[:2]]


def helpers():
    return run("pgrep", "-u", "alice", "-f", "^/usr/bin/boxagent-session", check=False).stdout.split()


@scenario("The attack's own means: a line of pam_exec runs what a user's file preloads as root, when sshd closes the session",
          BOTH)
def attack(context):
    prepare()
    before = SESSION.read_text()
    SESSION.write_text(before + OLD_LINE % "/usr/bin/true")
    assert "LD_PRELOAD" in ssh("env")
    SESSION.write_text(before)
    found = roots(loaded())
    assert found, "without the attack working, the scenarios after this one show nothing"
    note("as root: " + " ".join(found[0]))


@scenario("Login and logout by ssh with LD_PRELOAD in ~/.pam_environment: as root nothing is run with it", BOTH)
def by_ssh(context):
    loaded()
    assert f"LD_PRELOAD={EVIL}" in ssh("env")
    found = loaded()
    assert found and not roots(found), found
    uid = str(pwd.getpwnam("alice").pw_uid)
    assert {one[0] for one in found} == {uid}
    note(f"{len(found)} programs of alice's loaded it, none of root's")
    assert not helpers()


@scenario("A line of an earlier version that somebody has copied by hand runs nothing either, and doctor shows it", BOTH)
def old_line(context):
    before = SESSION.read_text()
    SESSION.write_text(before + OLD_LINE % "/usr/libexec/boxagent/boxagent-session")
    loaded()
    ssh("true")
    assert not roots(loaded())
    code, findings = context.box.findings()
    SESSION.write_text(before)
    fault, = [one for one in findings if one["name"] == "session line"]
    assert code == 1 and fault["level"] == "fault" and str(SESSION) in fault["text"], fault
    note(f"doctor: {fault['text']}")


@scenario("A console session gets its helper, as the user, with nothing of the file; lock and unlock work", BOTH)
def on_console(context):
    alice(context)
    greet_on("tty1")
    loaded()
    session = logged_in(context)
    processes = wait_until(helpers, of="the helper")
    for process in processes:
        words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[:-1]
        environment = pathlib.Path(f"/proc/{process}/environ").read_bytes()
        assert words[:4] == [b"/usr/bin/boxagent-session", b"--session", session["id"].encode(), b"--console"], words
        assert words[4].decode() == run("loginctl", "show-session", session["id"], "-p", "Leader", "--value").stdout.strip()
        assert b"evil" not in environment and b"XDG_" not in environment and b"PAM_" not in environment, environment
        assert os.readlink(f"/proc/{process}/cwd") == "/"
        assert os.stat(f"/proc/{process}/environ").st_uid == 0, "alice's other programs cannot look into it"
        assert f"session-{session['id']}.scope" in pathlib.Path(f"/proc/{process}/cgroup").read_text()
    alice(context).command("lock").ok()
    assert hint(session["id"]) == "yes"
    console.wait_for("tty1", "This session of alice is locked")
    alice(context).command("unlock").ok()
    assert hint(session["id"]) == "no"
    assert not roots(loaded())


@scenario("su on that console starts no second helper, and the first one still locks", BOTH)
def su(context):
    session, before = logged_in(context), helpers()
    console.type_keys("tty1", "\nclear; su - alice\n")
    console.wait_for("tty1", "Password:")
    console.type_keys("tty1", PASSWORD.decode() + "\n")
    wait_until(lambda: run("pgrep", "-x", "su", check=False).returncode == 0, of="su")
    console.type_keys("tty1", "\nclear; echo in $((40+2))\n")
    console.wait_for("tty1", "^in 42$")
    console.type_keys("tty1", "exit\n")
    wait_until(lambda: run("pgrep", "-x", "su", check=False).returncode != 0, of="su has ended")
    wait_until(lambda: helpers() == before, of="the one helper that was there")
    alice(context).command("lock").ok()
    assert hint(session["id"]) == "yes"
    alice(context).command("unlock").ok()


@scenario("When she logs out, the helper goes with her session, and nothing has run as root", BOTH)
def out(context):
    logged_in(context)
    console.type_keys("tty1", "\nexit\n")
    logged_out("tty1")
    wait_until(lambda: not helpers(), of="the helper has ended")
    assert not roots(loaded())
    # The module and session-hook must not have reported a failure.
    assert "was not run" not in run("journalctl", "-b", "-t", "session-hook", "-p", "warning", "-o", "cat").stdout
