"""sudo and polkit on a real console: the phone asks its user, who answers. A typed password is never delayed."""

import pathlib
import re
import time

import console
import pexpect
from greeter import alice, default_module, greet_on, tap
from deadline import slowness
from installed import PASSWORD
from machine import note, picture, run, wait_until
from scenario import scenario

SETTINGS = {"elevation.services": '["sudo", "polkit-1"]'}
LINE = "auth [default=ignore] pam_boxagent.so wait=30 prompt\n"
ALLOW = r"allow this on your phone"


def let_ask(service):
    """Adds our line before the lines that check passwords, as docs/how-to/sudo-and-polkit.md says."""
    path = pathlib.Path("/etc/pam.d") / service
    if not path.exists():
        path.write_text((pathlib.Path("/usr/lib/pam.d") / service).read_text())
    path.write_text(re.sub(r"^(@include common-auth)", LINE + r"\1", path.read_text(), count=1, flags=re.M))
    assert LINE in path.read_text(), path.read_text()


def watching(context):
    """Returns alice's phone as she watches it, at a pseudo-terminal."""
    if not hasattr(context, "screen"):
        context.screen = pexpect.spawn(
            "/usr/bin/boxphone", ["watch", "--directory", str(alice(context).directory),
                                  *context.box.radio.words("hci1")], encoding="utf-8", timeout=60 * slowness())
        context.screen.expect("your session is open")
    return context.screen


def on_console(line):
    """Types the line at the shell's prompt. sudo discards earlier input when it returns the terminal (tcsetattr(3), TCSAFLUSH)."""
    console.wait_for("tty1", r"alice@rig:~\$ *\n*\Z")
    console.type_keys("tty1", f"clear; sudo -k; {line}\n")


@scenario("Doctor names services that the policy lets ask and that have no line to ask with")
def doctor(context):
    default_module()
    run("usermod", "--append", "--groups", "sudo", "alice")
    finding, = [one for one in context.box.findings()[1] if one["name"] == "elevation"]
    assert finding["level"] == "warning" and "sudo" in finding["text"], finding
    let_ask("sudo")
    let_ask("polkit-1")
    finding, = [one for one in context.box.findings()[1] if one["name"] == "elevation"]
    assert finding["level"] == "good", finding


@scenario("Without a phone in reach sudo asks for the password at once")
def no_phone(context):
    greet_on("tty1")
    alice(context)
    console.bring_to_front("tty1")
    console.wait_for("tty1", "choose box")
    tap(context).ok()
    wait_until(lambda: console.user_on("tty1") == "alice", of="alice's session")
    console.wait_for("tty1", r"alice@rig")
    wait_until(lambda: context.box.status()["links_open"] == 0, of="the phone has gone")
    start = time.monotonic()
    on_console("sudo id -un")
    console.wait_for("tty1", r"password for alice: *$")
    note("%.1f s to sudo's prompt, typing by keyboard included" % (time.monotonic() - start))
    console.type_keys("tty1", PASSWORD.decode() + "\n")
    console.wait_for("tty1", r"^root$")


@scenario("sudo on the console asks the phone by name and terminal; allow runs the command")
def allowed(context):
    screen = watching(context)
    on_console("sudo id -un")
    console.wait_for("tty1", ALLOW)
    # boxphone wraps the line at words, at the width of the terminal.
    asked = "sudo on /dev/tty1 in the session of alice asks for your password. Type allow or deny within"
    screen.expect(r"\s+".join(map(re.escape, asked.split())))
    picture("sudo-asks-the-phone")
    screen.sendline("allow")
    screen.expect(": allowed")
    text = console.wait_for("tty1", r"^root$")
    assert "password for alice" not in text


@scenario("deny brings sudo's own prompt at once, the typed password counts, and the phone is left in peace")
def denied(context):
    screen = watching(context)
    on_console("sudo id -un")
    screen.expect("asks for your password")
    screen.sendline("deny")
    context.denied_at = time.monotonic()
    screen.expect(": denied")
    console.wait_for("tty1", r"password for alice: *$")
    console.type_keys("tty1", PASSWORD.decode() + "\n")
    console.wait_for("tty1", r"^root$")
    on_console("echo again; sudo id -un")
    text = console.wait_for("tty1", r"^again\n(.*\n)*.*password for alice: *$")
    assert not re.search(ALLOW, text)
    console.type_keys("tty1", "\x03")
    console.wait_for("tty1", r"alice@rig")


@scenario("Who is not in a session at the seat asks no phone: alice's own shell from elsewhere gets sudo's prompt")
def elsewhere(context):
    screen = watching(context)
    start = time.monotonic()
    done = run("su", "-l", "alice", "-c", "sudo -S id -un </dev/null", check=False)
    assert done.returncode != 0 and not re.search(ALLOW, done.stdout + done.stderr), done.stderr
    note("%.1f s to sudo's end" % (time.monotonic() - start))
    assert screen.expect(["asks for your password", pexpect.TIMEOUT], timeout=2) == 1
    refused = run("journalctl", "-b", "-o", "cat", "-u", "boxagentd").stdout
    assert "elevation of alice for sudo is refused: it does not run in an unlocked session" in refused, refused[-2000:]


@scenario("polkit asks the phone as well: alice starts a unit on the console, by polkit's text agent")
def polkit(context):
    screen = watching(context)
    # The box does not ask the phone for half a minute after the denial.
    wait_until(lambda: time.monotonic() > context.denied_at + 31, 40, of="the half minute")
    # pkexec does not work here. On a text console, its own agent ends with "No session for cookie" after any answer (polkit 122).
    on_console("systemctl start systemd-tmpfiles-clean && echo it has run")
    console.wait_for("tty1", r"AUTHENTICATING FOR org.freedesktop.systemd1.manage-units")
    screen.expect("polkit-1 in the session of alice asks for your password")
    screen.sendline("allow")
    screen.expect(": allowed")
    console.wait_for("tty1", r"^it has run$")
    events = [entry["event"] for entry in context.box.json("audit")]
    assert events.count("elevation-correct") == 2 and events.count("elevation-declined") == 1, events
    screen.sendintr()
    screen.expect(pexpect.EOF)
