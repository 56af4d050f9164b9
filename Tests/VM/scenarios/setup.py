"""From a bare Debian to the first tap, as the repository's README and docs/how-to/run-boxes.md describe: apt, `boxagent setup`, a
phone. Also what setup leaves unchanged, repeats and undoes."""

import fcntl
import hashlib
import os
import pathlib
import subprocess
import time

import console
import package
from installed import PASSWORD
from machine import Failed, note, run, wait_until
from scenario import scenario

INSTALLED = False
STOCK = True
BLUETOOTHD = pathlib.Path("/etc/systemd/system/bluetooth.service.d/boxagent.conf")
CONSOLE = pathlib.Path("/etc/systemd/system/getty@tty1.service.d/boxagent.conf")
RECORDS = pathlib.Path("/etc/boxagent/setup")
TAP_LINE = r"choose box (\d{4,6}) and tap"


def setup(*words, status=0):
    """Runs setup as an administrator's script does, without answering questions."""
    done = subprocess.run(["boxagent", "setup", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400)
    print(done.stdout, done.stderr, flush=True)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def stacks():
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in pathlib.Path("/etc/pam.d").glob("common-*")}


def command_line_of_bluetoothd():
    process = run("systemctl", "show", "-p", "MainPID", "--value", "bluetooth").stdout.strip()
    return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")


def as_bare():
    """Turns the image into a bare Debian that knows the repository."""
    # The image has display managers for other groups. A bare Debian has none and starts this getty by itself.
    pathlib.Path("/etc/systemd/system/display-manager.service").unlink(missing_ok=True)
    run("systemctl", "daemon-reload")
    console.bring_to_front("tty1")
    run("systemctl", "start", "getty@tty1")
    pathlib.Path("/etc/dpkg/dpkg.cfg.d/99mmdebstrap").unlink(missing_ok=True)
    for emptied in ("/var/lib/apt/lists/partial", "/var/cache/apt/archives/partial"):
        os.makedirs(emptied, exist_ok=True)
    package.use_repository("new")


def tap_on_console(context):
    """Taps at the greeter that setup installed. The greeter shows the box ID."""
    console.bring_to_front("tty1")
    assert context.box.id in console.wait_for("tty1", TAP_LINE)
    wait_until(context.bluetoothd.advertises, of="advertising")
    tap = context.phone.command("login")
    wait_until(lambda: console.user_on("tty1") == "alice", 60, of="alice's session on tty1")
    assert "Logged in" in tap.ok()
    console.type_keys("tty1", "exit\n")
    wait_until(lambda: console.user_on("tty1") is None, of="the session ends")
    wait_until(lambda: not [one for one in context.box.json("sessions") if one["device"]], of="logind has seen that")


@scenario("A bare Debian, three commands: apt, setup, enrol; then a tap logs alice in on the console", limit=300)
def first_tap(context):
    as_bare()
    start = time.monotonic()
    package.apt("install", "boxagent")
    context.installed = stacks()
    # This machine also runs the phone, which needs its own controller.
    run("boxagent", "config", "set", "radio.adapter", "hci0")
    run("systemctl", "restart", "boxagentd")
    said = setup("--yes")
    assert "enrol a phone with: boxagent enrol USER" in said and "FAULT" not in said, said
    assert any(word.startswith("--noplugin=battery") for word in command_line_of_bluetoothd())
    package.apt("install", "boxphone")
    context.phone = context.box.phone("alice").enrol("alice", password=PASSWORD)
    console.wait_for("tty1", TAP_LINE)
    note(f"{time.monotonic() - start:.0f} s from apt to the greeter, of an emulated machine")
    tap_on_console(context)
    code, findings = context.box.findings()
    assert code == 0 and not [finding for finding in findings if finding["level"] != "good"], findings


@scenario("A second setup finds nothing to do, one beside another waits for nobody, and nobody but root sets a machine up")
def twice(context):
    before = sorted(RECORDS.iterdir())
    assert "There is nothing to do on it." in setup("--yes")
    assert sorted(RECORDS.iterdir()) == before
    lock = os.open("/run/boxagent-setup.lock", os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another 'boxagent setup' is running" in setup("--yes", status=75)
    finally:
        os.close(lock)
    done = subprocess.run(["setpriv", "--reuid", "bob", "--regid", "bob", "--clear-groups", "boxagent", "setup", "--yes"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 77, done


@scenario("Bluetooth that is blocked by software is switched on")
def blocked(context):
    context.controllers.rfkill("hci0", True)
    said = setup("--yes")
    assert "unblock Bluetooth" in said, said
    wait_until(lambda: "advertising" in context.box.radio_state(), of="advertising")


@scenario("Stacks that were edited by hand are left alone, and setup says what to do; passwords work")
def edited(context):
    stack = pathlib.Path("/etc/pam.d/common-auth")
    kept = stack.read_text()
    # pam_unix's success=2 skips our line `refused`, too. Without that line, success=1 is right.
    mine = "".join("# Mine.\n" if "pam_boxagent.so" in line else line for line in kept.splitlines(True))
    assert "success=2" in mine
    stack.write_text(mine.replace("success=2", "success=1"))
    written = stack.read_text()
    said = setup("--yes")
    assert "edited by hand" in said and "pam-auth-update --enable" in said, said
    assert stack.read_text() == written
    assert package.password_alone(context) == 0
    stack.write_text(kept)


@scenario("Interrupted in its step, setup goes on where it was", limit=200)
def interrupted(context):
    (RECORDS / "console.unfinished").touch()
    CONSOLE.write_text("# Half of it.\n")
    said = setup("--yes")
    assert "show the box ID" in said and "boxlogin" in CONSOLE.read_text()
    assert not (RECORDS / "console.unfinished").exists()
    console.bring_to_front("tty1")
    console.wait_for("tty1", TAP_LINE)


@scenario("Taken back, everything is as after the installation; what was changed since stays, and is named", limit=200)
def undone(context):
    BLUETOOTHD.write_text(BLUETOOTHD.read_text() + "# Mine.\n")
    said = setup("--undo", "--yes")
    assert f"{BLUETOOTHD} was changed since, so it stays" in said, said
    assert not CONSOLE.exists() and BLUETOOTHD.exists() and not RECORDS.exists()
    assert stacks() == context.installed
    console.wait_for("tty1", r"rig login: *$")
    # Setup found the adapter blocked and blocks it again. systemd saves the adapter's state for the next adapter, some time later.
    assert context.controllers.switch("hci0").read_text() == "1\n"
    context.controllers.rfkill("hci0", False)
    wait_until(lambda: run("systemctl", "is-active", "systemd-rfkill", check=False).returncode != 0, of="systemd-rfkill ended")
    if "has changed nothing on this machine" not in setup("--undo", "--yes", status=1):
        raise Failed("a second undo says nothing of it")
    assert package.password_alone(context) == 0


@scenario("Without an adapter, setup does the rest, and says what is missing; plugged in later, it needs no setup", limit=200)
def no_adapter(context):
    context.bluetoothd.stop()
    context.controllers.kill()
    said = setup("--yes", status=1)
    assert "there is no Bluetooth adapter" in said and "plug in an adapter" in said, said
    assert CONSOLE.exists() and not list(RECORDS.glob("*.unfinished"))
    assert package.password_alone(context) == 0
    context.start_radio()
    wait_until(context.bluetoothd.advertises, of="advertising")
    assert "There is nothing to do on it." in setup("--yes")


@scenario("Removed without being taken back, the console has its login prompt, and what was changed stays", limit=300)
def removed(context):
    console.bring_to_front("tty1")
    console.wait_for("tty1", TAP_LINE)
    assert BLUETOOTHD.read_text().endswith("# Mine.\n"), "setup wrote over it"
    package.apt("remove", "boxagent", "libpam-boxagent")
    assert not CONSOLE.exists() and BLUETOOTHD.exists()
    console.wait_for("tty1", r"rig login: *$")
    assert package.password_alone(context) == 0
