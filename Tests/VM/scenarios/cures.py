"""Faults of docs/how-to/troubleshoot.md other than the radio's (faults.py) and the agent's (agent_cures.py). The test provokes each
fault. `boxagent doctor`, or another program that the page promises, names it. The test types the cure as printed, and everything
works again. During each fault, a typed password logs alice in."""

import contextlib
import pathlib
import re
import shlex
import shutil

import console
import pexpect
from curing import begun, content, cured, found, halted, on_page, page, tapped, typed
from deadline import slowness
from greeter import alice, greet_on, log_out
from installed import PASSWORD, TERMINAL
from machine import journal, run, wait_until
from scenario import scenario
from sessions import session_on

CONTROLLERS = 2


@scenario("login.services is empty: doctor says so, and the default brings taps back")
def no_services(context):
    begun(context)
    run("boxagent", "config", "set", "login.services", "[]")
    run("systemctl", "reload", "boxagentd")
    told = found(context, "services", "login.services is empty")
    cured(context, told, "boxagent config unset login.services", "systemctl reload boxagentd")
    tapped(context)


@scenario("The lines are gone from the PAM stacks: doctor names the command that writes them")
def no_lines(context):
    begun(context)
    run("pam-auth-update", "--disable", "boxagent", "boxagent-refused", "boxagent-verdict", "boxagent-session")
    told = found(context, "services", "no PAM service in login.services runs pam_boxagent.so")
    cured(context, told, "pam-auth-update --enable boxagent boxagent-refused boxagent-verdict boxagent-session")
    tapped(context)


@scenario("A line of pam_exec that an earlier version wrote was copied by hand: doctor names the file")
def old_line(context):
    begun(context)
    stack = pathlib.Path("/etc/pam.d/login")
    before = stack.read_text()
    stack.write_text(before + "session optional pam_exec.so quiet /usr/libexec/boxagent-session\n")
    told = found(context, "session line", "/etc/pam.d/login has a line of pam_exec.so")
    assert "remove the line" in told and "pam-auth-update --enable boxagent-session" in told, told
    stack.write_text(before)
    cured(context, told, "pam-auth-update --enable boxagent-session")


@scenario("/proc is mounted with hidepid: the unit has one of its own, and taps go on")
def hidden(context):
    begun(context)
    run("mount", "-o", "remount,hidepid=2", "/proc")
    try:
        run("systemctl", "restart", "boxagentd")
        content(context)
        tapped(context)
    finally:
        run("mount", "-o", "remount,hidepid=0", "/proc")


@scenario("A drop-in hides /proc from the agent (ProtectProc=): doctor says that no tap works, and which line it is")
def protected(context):
    begun(context)
    drop_in = pathlib.Path("/etc/systemd/system/boxagentd.service.d/hardened.conf")
    drop_in.parent.mkdir(exist_ok=True)
    drop_in.write_text("[Service]\nProtectProc=invisible\n")
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", "boxagentd")
    told = found(context, "seats", "boxagentd cannot see root's programs in /proc")
    assert "remove ProtectProc= from the unit's drop-ins" in told, told
    assert "ProtectProc=invisible" in run("systemctl", "cat", "boxagentd").stdout
    drop_in.unlink()
    cured(context, told, "systemctl daemon-reload; systemctl restart boxagentd")
    tapped(context)


@scenario("radio.kind is loopback: doctor says that no phone reaches it")
def loopback(context):
    begun(context)
    run("boxagent", "config", "set", "radio.kind", "loopback")
    run("systemctl", "restart", "boxagentd")
    told = found(context, "radio", "the loopback radio is in use")
    cured(context, told, "boxagent config set radio.kind auto", "systemctl restart boxagentd")
    run("boxagent", "config", "unset", "radio.kind")
    tapped(context)


@scenario("Asked in the background, at no seat, on a serial line: the journal says why there is no credential; a typed one works")
def no_seat(context):
    begun(context)
    box, asks = context.box, ["pamtester", "login", "alice", "authenticate", "acct_mgmt", "setcred(PAM_REFRESH_CRED)"]
    with waiting_module():
        terminal = pexpect.spawn(asks[0], asks[1:], encoding="utf-8", timeout=60 * slowness())
        terminal.expect("Password:")
        in_journal("gets no credential: its terminal is not at a seat")
        terminal.sendline(PASSWORD.decode())
        terminal.expect("successfully authenticated")
        back = f"python3 -c 'import console; console.bring_to_front(\"{TERMINAL}\")'"
        behind = box.on_console("sh", "-c", f"{back}; exec {shlex.join(asks)}")
        behind[behind.index(TERMINAL)] = "tty11"
        assert box.run_program(behind, "background").wait() != 0
        in_journal("gets no credential: its terminal tty11 is not in the foreground")
        assert on_serial_line(context, asks).wait() != 0
        in_journal("gets no credential: its terminal ttyS0 is not in login.serial_consoles")
        for command in ("boxagent config set login.serial_consoles '[\"ttyS0\"]'", "systemctl reload boxagentd"):
            assert command in page(), command
            run("sh", "-c", command)
        program = on_serial_line(context, asks)
        box.waiting()
        alice(context).command("login").ok()
        program.ok()
    run("boxagent", "config", "unset", "login.serial_consoles")
    run("systemctl", "reload", "boxagentd")


@contextlib.contextmanager
def waiting_module():
    """Makes the module wait 30 s for a tap."""
    stack = pathlib.Path("/etc/pam.d/common-auth")
    before = stack.read_text()
    stack.write_text(re.sub(r"(pam_boxagent\.so)[ \t]*$", r"\1 wait=30", before, count=1, flags=re.M))
    try:
        yield
    finally:
        stack.write_text(before)


def on_serial_line(context, words):
    """Runs a program as serial-getty does: the serial line is its controlling terminal, and stays open. Nothing is typed."""
    inner = f"exec {' '.join(words)} 3<&0 </dev/null"
    return context.box.run_program(
        ["sh", "-c", 'exec setsid --ctty sh -c "$0" </dev/ttyS0', inner], f"serial-{context.box.counter}")


def in_journal(words):
    wait_until(lambda: words in journal("-u", "boxagentd"), of=f"the journal says {words!r}")
    for part in re.split(r" ?tty\w+ ?", words):
        assert part in page(), f"the page does not have {part!r}"


# Faults that the phone reports

@scenario("A wrong password in the phone: the phone says so, and logs in once the right one is stored")
def wrong_password(context):
    begun(context)
    alice(context).with_secrets("credentials", "set", password=b"old-horse").ok()
    tap = alice(context).command("login")
    wait_until(context.box.tap_held, of="the tap waits")
    assert context.box.pam("alice").wait() != 0 and tap.wait() == 1
    on_page(tap.err, "the password was not accepted")
    typed(context)
    alice(context).with_secrets("credentials", "set", password=PASSWORD).ok()
    tapped(context)


@scenario("Nobody asks for the tap: the phone says that no program took it, and the next tap serves who asks in time")
def nobody_asks(context):
    begun(context)
    run("boxagent", "config", "set", "login.hold_seconds", "1")
    run("systemctl", "reload", "boxagentd")
    content(context)
    tap = alice(context).command("login")
    assert tap.wait() != 0
    on_page(tap.err, "no login prompt asked for the password in time")
    run("boxagent", "config", "set", "login.hold_seconds", "10")
    run("systemctl", "reload", "boxagentd")
    content(context)
    tap = alice(context).command("login")
    wait_until(context.box.tap_held, of="the tap waits")
    stranger = context.box.pam("bob")
    assert tap.wait() != 0
    stranger.stop()
    on_page(tap.err, "asked for another user's password")
    run("boxagent", "config", "unset", "login.hold_seconds")
    run("systemctl", "reload", "boxagentd")
    # A reload is a signal, and nothing reports when it has taken effect.
    content(context)
    tapped(context)


@scenario("The phone looks for a box that is not there, or for other digits: it says which, and a scan finds what there is")
def other_digits(context):
    begun(context)
    phone = alice(context)
    old = context.box.id
    new = "4711" if old != "4711" else "4712"
    run("boxagent", "config", "set", "box.id", new)
    run("systemctl", "restart", "boxagentd")
    content(context)
    assert new in phone.command("scan").ok()
    tapped(context)
    run("boxagent", "config", "unset", "box.id")
    run("systemctl", "restart", "boxagentd")
    halted()
    tap = phone.command("login")
    assert tap.wait() != 0
    on_page(tap.err, "was not found")
    typed(context)
    run("systemctl", "start", "boxagentd")
    content(context)
    assert context.box.id in phone.command("scan").ok()
    tapped(context)


@scenario("Ten wrong PINs: the phone says that the stored password is destroyed, and it is stored again", limit=150)
def wrong_pins(context):
    begun(context)
    phone = context.box.phone("pin")
    phone.enrol("alice", box_held=True)
    phone.with_secrets("credentials", "set", password=PASSWORD, pin=b"2468").ok()
    tries = 0
    while True:
        tap = phone.with_secrets("login", "--once", pin=b"1357")
        tries += 1
        assert tap.wait() != 0 and tries <= 10, (tries, tap.out, tap.err)
        if "destroyed the stored password" in tap.err:
            break
    assert tries == 10, tries
    on_page(tap.err, "the box has destroyed the stored password", "boxphone credentials set")
    typed(context)
    phone.with_secrets("credentials", "set", password=PASSWORD, pin=b"2468").ok()
    tap = phone.with_secrets("login", pin=b"2468")
    wait_until(context.box.tap_held, of="the tap waits")
    context.box.pam("alice").ok()
    tap.ok()


@scenario("A revoked phone: it says that the box refused it, and is enrolled again")
def revoked(context):
    begun(context)
    run("boxagent", "revoke", "--user", "alice", "--yes")
    tap = alice(context).command("login")
    assert tap.wait() != 0
    on_page(tap.err, "did not accept this phone")
    found(context, "devices", "no phone is enrolled")
    del context.alice
    shutil.rmtree(context.box.directory / "phone-alice")
    alice(context)
    content(context)
    tapped(context)


# Faults of the agent


@scenario("systemd-logind is masked: doctor says that sessions are neither locked nor ended")
def no_logind(context):
    begun(context)
    run("systemctl", "mask", "--now", "systemd-logind")
    told = found(context, "sessions", "systemd-logind is not running")
    cured(context, told, "systemctl unmask systemd-logind", "systemctl start systemd-logind")


@scenario("A session without a helper: doctor names it, and a new one has it", limit=120)
def no_helper(context):
    begun(context)
    greet_on("tty1")
    console.bring_to_front("tty1")
    logged_in_on_console(context)
    session = wait_until(lambda: (one := session_on(context, "tty1")) and one["can_lock"] and one, of="its locker")
    run("pkill", "-KILL", "-u", "alice", "-f", "boxagent-session")
    told = found(context, "sessions", f"no locker runs in session {session['id']}")
    assert "log out and in again" in told, told
    log_out("tty1")
    logged_in_on_console(context)
    wait_until(lambda: (one := session_on(context, "tty1")) and one["can_lock"], of="its locker")
    content(context)
    log_out("tty1")
    run("systemctl", "stop", "getty@tty1")
    console.bring_to_front(TERMINAL)


def logged_in_on_console(context):
    console.wait_for("tty1", "choose box")
    tap = alice(context).command("login")
    wait_until(lambda: console.user_on("tty1") == "alice", of="alice's session")
    tap.ok()
    console.wait_for("tty1", "alice@rig")


# This scenario is the last one: some programs do not reconnect to the bus by themselves.

@scenario("The system bus is away: doctor says so, and names what to start", limit=120)
def no_bus(context):
    begun(context)
    run("systemctl", "stop", "dbus.socket", "dbus.service")
    told = found(context, "radio", "the system bus cannot be used")
    cured(context, told, "systemctl start dbus systemd-logind bluetooth")
    tapped(context)
