"""boxlogin on the guest's virtual terminals: with agetty and login(1), and as greetd's greeter. The pictures of these scenarios are
in docs/images."""

import contextlib
import pathlib
import re

import console
import display_manager
from installed import PASSWORD
from machine import picture, run, wait_until
from scenario import scenario

DROP_IN = pathlib.Path("/usr/share/doc/boxagent/examples/getty-boxlogin.conf")
TAP_LINE = r"choose box (\d{4,6}) and tap"


def alice(context):
    """Returns alice's phone, and enrols it at the first call."""
    if not hasattr(context, "alice"):
        context.alice = context.box.phone("alice").enrol("alice", password=PASSWORD)
    return context.alice


def default_module():
    """Resets the PAM module to its default, which does not wait for a tap."""
    stack = pathlib.Path("/etc/pam.d/common-auth")
    stack.write_text(re.sub(r"(pam_boxagent\.so) wait=30", r"\1", stack.read_text()))


def greet_on(*terminals):
    """Installs the shipped drop-in on these terminals and starts their getty."""
    default_module()
    for terminal in terminals:
        directory = pathlib.Path(f"/etc/systemd/system/getty@{terminal}.service.d")
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "boxlogin.conf").write_text(DROP_IN.read_text())
    run("systemctl", "daemon-reload")
    run("systemctl", "start", *[f"getty@{terminal}" for terminal in terminals])


def tap(context, *options):
    """Starts a tap on alice's phone and returns the running command."""
    return alice(context).command("login", *options)


def log_out(terminal):
    console.type_keys(terminal, "exit\n")
    wait_until(lambda: console.user_on(terminal) is None, of="the session ends")
    console.wait_for(terminal, TAP_LINE)


@contextlib.contextmanager
def expired(user):
    """Expires the user's account. The password is right, but pam_unix's account phase refuses."""
    run("chage", "-E", "1", user)
    try:
        yield
    finally:
        run("chage", "-E", "-1", user)


@contextlib.contextmanager
def another_password(user):
    """Makes the user's password differ from the phone's. Root changes it, and PAM is not told."""
    path = pathlib.Path("/etc/shadow")
    before = path.read_text()
    run("usermod", "--password", "*", user)
    try:
        yield
    finally:
        path.write_text(before)


@contextlib.contextmanager
def added(service, line):
    """Adds a line before all others of the service's PAM stack."""
    path = pathlib.Path("/etc/pam.d") / service
    before = path.read_text()
    path.write_text(line + "\n" + before)
    try:
        yield
    finally:
        path.write_text(before)


def refused(phone, words, status=8):
    """Checks that the phone fails with these words and never reports a login."""
    assert phone.wait(60) == status, phone.err
    assert words in phone.err and "Logged in" not in phone.out, phone.err


def type_login(terminal, user):
    """Logs in at an ordinary prompt, as a user without a phone."""
    console.wait_for(terminal, r"rig login: *$")
    console.type_keys(terminal, user + "\n")
    console.wait_for(terminal, r"Password: *$")
    console.type_keys(terminal, PASSWORD.decode() + "\n")
    wait_until(lambda: console.user_on(terminal) == user, of=f"{user}'s session on {terminal}")
    console.wait_for(terminal, user + "@rig")


@scenario("The console shows the box ID and that Bluetooth is on")
def screen(context):
    console.bring_to_front("tty1")
    greet_on("tty1")
    text = console.wait_for("tty1", r"Bluetooth is on: advertising")
    assert re.search(TAP_LINE, text).group(1) == context.box.id
    picture("boxlogin")


@scenario("A tap logs alice in on that console, and when she logs out the greeter is back")
def tap_logs_in(context):
    alice(context)
    wait_until(lambda: "advertising" in context.box.radio_state(), of="advertising again")
    phone = tap(context)
    wait_until(lambda: console.user_on("tty1") == "alice", 60, of="alice's session on tty1")
    assert "Logged in" in phone.ok()
    console.wait_for("tty1", r"alice@rig")
    console.type_keys("tty1", "clear; tty; id -un\n")
    text = console.wait_for("tty1", r"/dev/tty1\nalice\n")
    assert PASSWORD.decode() not in text
    log_out("tty1")


@scenario("Any key leads to an ordinary prompt, at which bob types his password")
def key(context):
    console.wait_for("tty1", TAP_LINE)
    console.type_keys("tty1", "x")
    type_login("tty1", "bob")
    log_out("tty1")


@scenario("login(1): an expired account logs nobody in, and the phone says so")
def login_refuses(context):
    console.wait_for("tty1", TAP_LINE)
    with expired("alice"):
        refused(tap(context), "the box did not let you in")
        console.wait_for("tty1", TAP_LINE)
    assert console.user_on("tty1") is None
    assert "login-refused" in [entry["event"] for entry in context.box.json("audit")][-5:]


@scenario("Control-S and Scroll Lock stop no greeter: a tap logs alice in afterwards")
def stopped(context):
    for stop in (lambda: console.type_keys("tty1", "\x13"), lambda: console.stop("tty1")):
        console.wait_for("tty1", TAP_LINE)
        stop()
        tap(context).ok()
        assert console.user_on("tty1") == "alice"
        console.wait_for("tty1", r"alice@rig")
        log_out("tty1")


def no_connection():
    return run("hcitool", "con").stdout.split() == ["Connections:"]


@scenario("The screen follows Bluetooth, off and on again")
def bluetooth(context):
    console.wait_for("tty1", r"Bluetooth is on")
    # The phone's bluetoothd closes a connection two seconds late. If the box's adapter were off by then, the connection would never
    # end: the emulated controllers do not detect silence.
    wait_until(no_connection, of="the phone's connection ends")
    context.controllers.rfkill("hci0", True)
    console.wait_for("tty1", r"Bluetooth does not work: .*(rfkill|blocked)")
    picture("boxlogin-without-bluetooth")
    context.controllers.rfkill("hci0", False)
    console.wait_for("tty1", r"Bluetooth is on")


@scenario("Of two consoles the one in front serves the tap, and the other keeps its screen")
def two_consoles(context):
    greet_on("tty2")
    console.wait_for("tty2", TAP_LINE)
    console.bring_to_front("tty2")
    phone = tap(context)
    wait_until(lambda: console.user_on("tty2") == "alice", 60, of="alice's session on tty2")
    phone.ok()
    assert console.user_on("tty1") is None
    console.wait_for("tty1", TAP_LINE)
    console.wait_for("tty2", r"alice@rig")
    log_out("tty2")


@scenario("A tap waits until a console with a greeter comes to the front, and serves that one")
def switched(context):
    console.bring_to_front("tty5")
    phone = tap(context)
    wait_until(context.box.tap_held, of="the tap waits")
    assert console.user_on("tty1") is None and console.user_on("tty2") is None
    console.bring_to_front("tty1")
    wait_until(lambda: console.user_on("tty1") == "alice", 60, of="alice's session on tty1")
    phone.ok()
    assert console.user_on("tty2") is None
    console.wait_for("tty1", r"alice@rig")
    log_out("tty1")


@scenario("A user who is no greeter learns nothing of who taps")
def stranger(context):
    program = ("import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET);"
               "s.connect('/run/boxagent/control.sock'); "
               "s.send(b'\\xa3dtypeegreetgversion\\x02hterminalAx');"
               "print(s.recv(8192))")
    said = run("setpriv", "--reuid", "bob", "--clear-groups", "python3", "-c", program).stdout
    assert "may not run a greeter" in said, said
    said = run("setpriv", "--reuid", "_greetd", "--clear-groups", "python3", "-c", program).stdout
    assert context.box.id in said, said


@scenario("greetd: a tap starts the session of the right user on greetd's console", limit=200)
def greetd(context):
    default_module()
    run("systemctl", "stop", "getty@tty1", "getty@tty2")
    configuration = pathlib.Path("/usr/share/doc/boxagent/examples/greetd.toml").read_text()
    pathlib.Path("/etc/greetd/config.toml").write_text(
        configuration.replace('-- sway"', '-- bash -l"'))
    # Starts the unit as shipped, but does not wait for a target that this guest does not reach.
    run("systemctl", "start", "--no-block", "greetd")
    console.wait_for("tty7", TAP_LINE)
    wait_until(lambda: console.foreground() == "tty7", of="greetd's console in front")
    picture("boxlogin-greetd")
    phone = tap(context)
    wait_until(lambda: console.user_on("tty7") == "alice", 60, of="alice's session on tty7")
    phone.ok()
    console.wait_for("tty7", r"alice@rig")
    console.type_keys("tty7", "exit\n")
    console.wait_for("tty7", TAP_LINE)


@scenario("greetd: a wrong password, an expired account, and a session module that fails log nobody in, and the phone says so",
          limit=200)
def greetd_refuses(context):
    console.wait_for("tty7", TAP_LINE)
    with another_password("alice"):
        # In each case, greetd's worker ends without pam_end.
        refused(tap(context), "password was not accepted", 1)
        console.wait_for("tty7", TAP_LINE)
    with expired("alice"):
        # The stored password was refused once, so the phone does not send it again without --send-again.
        refused(tap(context, "--send-again"), "the box did not let you in")
        console.wait_for("tty7", TAP_LINE)
    with added("greetd", "session requisite pam_deny.so"):
        refused(tap(context), "the result is not known", 7)
        console.wait_for("tty7", TAP_LINE)
    assert console.user_on("tty7") is None


@scenario("greetd: a typed password works, and a wrong one is said", limit=200)
def greetd_typed(context):
    for password, shown in (("wrong", r"Login incorrect"), (PASSWORD.decode(), r"bob@rig")):
        console.wait_for("tty7", TAP_LINE)
        console.type_keys("tty7", "x")
        console.wait_for("tty7", r"User name: *$")
        console.type_keys("tty7", "bob\n")
        console.wait_for("tty7", r"Password: *$")
        console.type_keys("tty7", password + "\n")
        text = console.wait_for("tty7", shown)
        assert password not in text
    assert console.user_on("tty7") == "bob"
    run("systemctl", "stop", "greetd")


@scenario("LightDM: tap first, then choose the user, and the session opens without a question", limit=200)
def lightdm(context):
    default_module()
    display_manager.start()
    display_manager.at_seat.wait_for("ready")
    phone = tap(context)
    wait_until(context.box.tap_held, of="the tap waits")
    display_manager.at_seat.say("choose", "alice")
    seen = display_manager.at_seat.wait_for("authenticated")
    assert seen == ["chosen alice", "authenticated"], seen
    wait_until(lambda: display_manager.sessions_of("alice"), of="alice's session")
    phone.ok()
    run("loginctl", "terminate-session", *display_manager.sessions_of("alice"))
    display_manager.at_seat.wait_for("ready")


@scenario("LightDM: an expired account, and a session module that fails, log nobody in, and the phone says so", limit=200)
def lightdm_refuses(context):
    at_seat = display_manager.at_seat
    for change, words, end in ((expired("alice"), "the box did not let you in", "refused"),
                               (added("lightdm", "session requisite pam_deny.so"), "the session did not open", "ready")):
        with change:
            phone = tap(context)
            wait_until(context.box.tap_held, of="the tap waits")
            at_seat.say("choose", "alice")
            refused(phone, words)
            at_seat.wait_for(end)
    assert not display_manager.sessions_of("alice")


@scenario("LightDM: a login screen that a user has put on a display of its own gets nobody's tap", limit=200)
def lightdm_elsewhere(context):
    at_seat = display_manager.at_seat
    with display_manager.login_screen_of("bob") as elsewhere:
        elsewhere.wait_for("ready")
        phone = tap(context)
        wait_until(context.box.tap_held, of="the tap waits")
        elsewhere.say("choose", "alice")
        seen = elsewhere.wait_for("prompt Password:")
        assert seen == ["chosen alice", "prompt Password:"], seen
        assert context.box.tap_held()
        # The tap is still held, and the login screen at the seat gets it.
        at_seat.say("choose", "alice")
        assert at_seat.wait_for("authenticated") == ["chosen alice", "authenticated"]
        wait_until(lambda: display_manager.sessions_of("alice"), of="alice's session")
        phone.ok()
        run("loginctl", "terminate-session", *display_manager.sessions_of("alice"))
        at_seat.wait_for("ready")


@scenario("LightDM: without a tap the password is asked for, and works", limit=200)
def lightdm_typed(context):
    display_manager.at_seat.say("choose", "bob")
    display_manager.at_seat.wait_for("prompt Password:")
    display_manager.at_seat.say("type", PASSWORD.decode())
    assert display_manager.at_seat.wait_for("authenticated") == ["authenticated"]
    wait_until(lambda: display_manager.sessions_of("bob"), of="bob's session")
    run("systemctl", "stop", "lightdm")


@scenario("Without the agent the screen says so, people type all the same, and the agent is found again")
def agent_down(context):
    units = ["boxagentd-pam.socket", "boxagentd-control.socket"]
    greet_on("tty1", "tty2")
    console.bring_to_front("tty1")
    console.wait_for("tty1", TAP_LINE)
    # The sockets stop too, because the greeters would otherwise start the agent again. Stopping them also stops the agent.
    run("systemctl", "stop", *units)
    wait_until(lambda: run("systemctl", "is-active", "boxagentd", check=False).returncode != 0, of="boxagentd stopped")
    console.wait_for("tty1", r"is not possible now")
    picture("boxlogin-without-agent")
    console.type_keys("tty1", "\r")
    type_login("tty1", "bob")
    run("systemctl", "start", *units, "boxagentd")
    console.wait_for("tty2", TAP_LINE)
    log_out("tty1")


@scenario("A plain agetty shows the box ID above its prompt while the agent runs")
def issue(context):
    run("systemctl", "start", "getty@tty3")
    console.wait_for("tty3", r"this is box %s\." % context.box.id)
    console.wait_for("tty3", r"rig login: *$")
    # The gettys stop first, because their greeters would make systemd start the agent again.
    run("systemctl", "stop", "getty@tty1", "getty@tty2", "getty@tty3")
    run("systemctl", "stop", "boxagentd")
    assert pathlib.Path("/run/issue.d/boxagent.issue").read_bytes() == b""
    run("systemctl", "start", "boxagentd")
