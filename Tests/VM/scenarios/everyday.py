"""Daily use, and links that are lost meanwhile. Three controllers: a box and two phones."""

import errno
import fcntl
import os
import pathlib
import signal
import socket
import struct

import air
import console
import pexpect
from installed import PASSWORD, TERMINAL
from machine import Controllers, air_log, journal, note, run, seconds_until, wait_until
from scenario import scenario

CONTROLLERS = 3
# Sessions are controlled by commands here, as a site may configure. scenarios/sessions.py tests them without commands.
SETTINGS = {f"sessions.{name}_command": f'["/usr/bin/loginctl", "{word}-session", "{{session}}"]'
            for name, word in (("lock", "lock"), ("unlock", "unlock"), ("logout", "terminate"))}
BOTH = ("bluez", "loopback")
HCIGETCONNLIST = 0x800448d4


def alice(context):
    """Returns alice's phone, and enrols it at the first call."""
    if not hasattr(context, "alice"):
        context.alice = context.box.phone("alice").enrol("alice", password=PASSWORD)
    return context.alice


def keys(context):
    """Returns a phone that works without bluetoothd, on the third controller."""
    if not hasattr(context, "keys"):
        context.keys = air.enrolled(context.box, Controllers.address("hci0"), "hci2")
    return context.keys


@scenario("The box is found by its four digits", BOTH)
def scan(context):
    if context.radio.name == "bluez":
        note("advertising %.1f s after the agent was started" % seconds_until(context.bluetoothd.advertises, 10))
    out = context.box.phone("stranger").command("scan").ok()
    assert context.box.id in out, out


@scenario("A phone is enrolled, and one tap logs alice in: pam_unix has checked her password", BOTH)
def enrol_and_log_in(context):
    seconds, out = context.box.login(alice(context))
    assert "Logged in" in out
    note(f"the tap took {seconds * 1000:.0f} ms, the phone's start and scan included")


@scenario("One login on the air, from the scan to the verdict, with nothing in the clear")
def captured_login(context):
    phone = alice(context)
    context.bluetoothd.forget_devices("hci1")
    with air_log("login") as log:
        context.box.login(phone)
        wait_until(lambda: not context.bluetoothd.connected("hci1"), of="the phone hangs up")
    data = log.read_bytes()
    assert PASSWORD not in data and b"alice" not in data


@scenario("The same over an L2CAP channel, with a handshake of its own; 64 KiB come back whole")
def over_l2cap(context):
    context.box.login(alice(context), "alice", "--via", "l2cap")
    out = alice(context).command("ping", "--size", "65536", "--via", "l2cap").ok()
    note(out.splitlines()[-3] + "; " + out.splitlines()[-1])


@scenario("A wrong password comes back to the phone, and the right one logs in after it", BOTH)
def wrong_password(context):
    phone = alice(context)
    program = context.box.asking()
    tap = phone.with_secrets("login", "--once", password=b"wrong")
    assert tap.wait() == 1, (tap.wait(), tap.err)
    assert program.wait() != 0
    context.box.login(phone)


@scenario("login(1) on a terminal: alice has a shell, locks it, unlocks it and logs out, all from the phone", BOTH)
def login_program(context):
    phone, box = alice(context), context.box
    terminal = box.run_program(box.on_console("/bin/login", "alice", attach=True), "login")
    box.waiting()
    phone.command("login").ok()
    console.wait_for(TERMINAL, r"alice@rig")
    session = wait_until(lambda: alices_session(), of="alice's logind session")
    assert "alice" in phone.command("status").ok()
    monitor = box.run_program(
        ["busctl", "monitor", "--match=type='signal',interface='org.freedesktop.login1.Session'"], "logind-signals")
    monitor.wait_for("Monitoring")
    phone.command("lock").ok()
    monitor.wait_for("Member=Lock")
    phone.command("unlock").ok()
    monitor.wait_for("Member=Unlock")
    monitor.stop()
    phone.command("logout").ok()
    wait_until(lambda: alices_session() != session, of="the session ended")
    terminal.wait()


@scenario("login(1) on a pseudo-terminal, as machinectl's, gets no tap: it asks for the password, and the tap goes on", BOTH)
def pseudo_terminal(context):
    box = context.box
    tap = alice(context).command("login")
    wait_until(box.tap_held, of="the tap waits")
    terminal = pexpect.spawn("/bin/login", ["alice"])
    asks_for_password(terminal)
    assert box.tap_held()
    terminal.close(force=True)
    assert "its terminal is not at a seat" in journal("-u", "boxagentd")
    box.pam("alice").ok()
    tap.ok()


def asks_for_password(terminal):
    """Waits for the password prompt on a pseudo-terminal. util-linux's login, of Debian 13, first hangs the terminal up and opens it
    again (vhangup(2)). A read between the two gives EIO, and pexpect would take that for the end."""
    os.set_blocking(terminal.child_fd, False)
    shown = bytearray()

    def asks():
        assert terminal.isalive(), bytes(shown)
        try:
            shown.extend(os.read(terminal.child_fd, 4096))
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise
        return b"Password:" in shown
    wait_until(asks, 60, of="login asks for the password")


@scenario("A login on a terminal in the background gets no tap, and does when it is in front", BOTH)
def background(context):
    box = context.box
    program = box.asking()
    console.bring_to_front("tty11")
    tap = alice(context).command("login")
    assert program.wait() != 0
    wait_until(box.tap_held, of="the tap waits")
    box.pam("alice").ok()
    tap.ok()


def alices_session():
    rows = [row.split() for row in run("loginctl", "list-sessions", "--no-legend").stdout.splitlines()]
    return next((row[0] for row in rows if "alice" in row and TERMINAL in row), None)


@scenario("Two phones at once: bob's channel stays open while alice logs in, and both are told their own", BOTH)
def two_phones(context):
    bob = context.box.phone("bob", "hci2").enrol("bob", password=PASSWORD)
    watching = bob.command("watch", "--json")
    wait_until(lambda: context.box.status()["channels_authenticated"] == 1, of="bob's channel")
    context.box.login(alice(context))
    assert watching.process.poll() is None
    assert context.box.status()["channels_authenticated"] >= 1
    if context.radio.name == "bluez":
        # A phone has one connection, and bluetoothd gives it to one program at a time.
        second = bob.command("status")
        assert second.wait() != 0 and "another program of this machine uses the connection" in second.err, second.err
        assert watching.process.poll() is None
    watching.stop()
    wait_until(lambda: context.box.status()["links_open"] == 0, of="bob hangs up")
    # Both commands run at the same time, each on its own connection.
    first, second = alice(context).command("status"), bob.command("status")
    assert first.wait() == 0 and second.wait() == 0, (first.err, second.err)
    # The scenarios after this one use the controller without bluetoothd.
    wait_until(lambda: not context.bluetoothd.connected("hci2"), of="bob's controller hangs up")
    context.bluetoothd.forget_devices("hci2")


@scenario("The box advertises again within 3 s of a phone's disconnect")
def advertises_again(context):
    link, _ = air.ready_link(Controllers.address("hci0"), "hci2")
    link.cut()
    waited = seconds_until(lambda: context.box.phone("stranger", "hci2").command("scan", "--json").ok(), 10)
    note(f"found again {waited:.1f} s after the link was cut, a scan of about four seconds included")
    assert context.bluetoothd.advertises()


def begun(context, segments=None, att_mtu=517):
    """Returns a link on which message 1 is under way, whole or only its first `segments`. A new connection may be lost shortly
    after a disconnect, so the function retries."""
    # The enrolment comes first, because it needs the controller.
    phone = keys(context)
    for _ in range(3):
        link, identity = air.ready_link(Controllers.address("hci0"), "hci2", att_mtu)
        conversation = air.Conversation(link, phone, identity)
        try:
            conversation.send(conversation.opening.message, segments)
            return link
        except air.LinkLost as error:
            note(f"cut off: {error}")
    raise air.Failed("the links to the box are cut off")


@scenario("A link that is lost in the handshake costs nothing: the next login works")
def lost_in_handshake(context):
    box = context.box
    begun(context).cut()
    wait_until(lambda: box.status()["links_open"] == 0, of="the box lets go of the link", seconds=20)
    box.login(alice(context))


@scenario("A link that is lost while a message is half sent ends that message, and nothing of it comes later")
def lost_in_message(context):
    box, address = context.box, Controllers.address("hci0")
    begun(context, segments=3, att_mtu=23).cut()
    wait_until(lambda: box.status()["links_open"] == 0, of="the box lets go of the link", seconds=20)
    link, identity = air.ready_link(address, "hci2", att_mtu=23)
    conversation = air.Conversation(link, keys(context), identity).open()
    assert conversation.result(air.protocol.STATUS) == "correct"
    conversation.close()
    link.cut()
    box.login(alice(context))


@scenario("A link that is lost while a tap waits for a program: the phone says so, and the next tap logs in")
def lost_while_waiting(context):
    box, phone = context.box, alice(context)
    tap = phone.command("login")
    wait_until(box.tap_held, of="the tap waits")
    cut_links("hci1")
    code = tap.wait()
    said = tap.err.strip().splitlines()[-1] if tap.err.strip() else ""
    note(f"boxphone ended with {code}: {said}")
    assert code != 0
    wait_until(lambda: not box.tap_held(), seconds=35, of="the tap is dropped")
    box.login(phone)


def cut_links(controller):
    """Cuts every link of a controller, by the kernel's handles."""
    with socket.socket(air.AF_BLUETOOTH, socket.SOCK_RAW, air.BTPROTO_HCI) as hci:
        request = bytearray(struct.pack("<HH", int(controller[3:]), 8) + bytes(16 * 8))
        fcntl.ioctl(hci, HCIGETCONNLIST, request)
    for number in range(struct.unpack_from("<H", request, 2)[0]):
        air.disconnect(controller, struct.unpack_from("<H", request, 4 + 16 * number)[0])


@scenario("A tap is given to one program once, and a second program hears nothing of it", BOTH)
def one_use(context):
    box, phone = context.box, alice(context)
    box.login(phone)
    second = box.asking()
    os.kill(second.process.pid, signal.SIGTERM)
    assert second.wait() != 0


@scenario("A revoked phone is refused at its next handshake", BOTH)
def revoked(context):
    box = context.box
    phone = box.phone("revoked").enrol("alice", password=PASSWORD)
    device = next(device["id"] for device in box.json("devices") if device["state"] == "active"
                  and device == box.json("devices")[-1])
    box.command("revoke", device, "--yes").ok()
    assert phone.command("login").wait() == 4


@scenario("The password is in no log and in none of the box's files", BOTH)
def no_password(context):
    text = journal()
    assert "ready" in journal("-u", "boxagentd")
    assert PASSWORD.decode() not in text and "\x1b" not in journal("-u", "boxagentd")
    for path in pathlib.Path("/var/lib/boxagent").rglob("*"):
        assert not path.is_file() or PASSWORD not in path.read_bytes(), path
    note("%d lines of the agent's log" % len(journal("-u", "boxagentd").splitlines()))
