"""A graphical session behind greetd: a tap opens the desktop on the machine's screen, and the phone locks and unlocks it. Sway and
swaylock render in software. The graphics adapter reports what the screen shows."""

import pathlib
import platform
import re
import time

import console
from greeter import TAP_LINE, alice, default_module, tap
from installed import PASSWORD
from machine import Failed, note, picture, press, run, wait_until
from scenario import scenario
from sessions import hint, session_on

TERMINAL = "tty7"
# The colours of the window and of the locker. Each fills the screen.
WINDOW, LOCKER = "1d3b53", "7a2048"
# What Sway shows when its locker was killed. Debian 12's shows the desktop. Debian 13's covers the screen until another locker unlocks
# it, as the protocol ext-session-lock-v1 demands.
KILLED = {"12": WINDOW, "13": "ff0000"}[platform.freedesktop_os_release()["VERSION_ID"]]
EXAMPLES = pathlib.Path("/usr/share/doc/boxagent/examples")
HOME = pathlib.Path("/home/alice")
PROFILE = 'export LANG=C.UTF-8 WLR_RENDERER=pixman\nexec >>"$HOME/said" 2>&1\n'


def make_desktop():
    """Sets up alice's home: a window, and our helper as in the shipped autostart file."""
    line, = re.findall(r"^Exec=(.*)$", (EXAMPLES / "boxagent-session.desktop").read_text(), re.M)
    helper = line.replace("/usr/bin/i3lock --nofork", f"/usr/bin/swaylock --color {LOCKER} --indicator-idle-visible")
    assert helper != line, line
    configuration = HOME / ".config/sway/config"
    configuration.parent.mkdir(parents=True)
    configuration.write_text(
        f"default_border none\nexec {helper}\n"
        f"exec foot --override colors.background={WINDOW} --override font=monospace:size=16\n")
    # greetd's shell reads this file before the session starts.
    (HOME / ".profile").write_text(PROFILE)
    run("chown", "-R", "alice:", HOME)


def shows(name, colour, least=0.8):
    """Waits until most of the screen has the colour. Returns the seconds."""
    seconds = time.monotonic()
    try:
        wait_until(lambda: picture(name).get(colour, 0) >= least, 40, of=f"#{colour} fills the screen", pause=0.2)
    except Failed as error:
        raise Failed(f"{error}; the desktop said:\n{(HOME / 'said').read_text()[-2000:]}") from error
    return time.monotonic() - seconds


def lockers():
    return run("pgrep", "-u", "alice", "-x", "swaylock", check=False).stdout.split()


def session(context):
    return wait_until(lambda: session_on(context, TERMINAL), of="the agent knows the session")


@scenario("A tap at greetd opens alice's desktop on the machine's screen, and the session is her phone's", limit=200)
def opened(context):
    make_desktop()
    default_module()
    alice(context)
    pathlib.Path("/etc/greetd/config.toml").write_text((EXAMPLES / "greetd.toml").read_text())
    run("systemctl", "start", "--no-block", "greetd")
    console.wait_for(TERMINAL, TAP_LINE)
    wait_until(lambda: console.foreground() == TERMINAL, of="greetd's console in front")
    phone = tap(context)
    wait_until(lambda: console.user_on(TERMINAL) == "alice", 60, of="alice's session")
    phone.ok()
    shows("desktop", WINDOW)
    wait_until(lambda: session(context)["can_lock"], of="its locker")
    assert session(context)["device"] and session(context)["type"] == "wayland", session(context)
    press("boxagent sessions; touch typed\n")
    wait_until((HOME / "typed").exists, of="what was typed in the window")
    shows("desktop", WINDOW)


@scenario("Lock from the phone: LockedHint is set, and the locker covers the whole screen")
def lock(context):
    alice(context).command("lock").ok()
    assert hint(session(context)["id"]) == "yes" and session(context)["state"] == "locked"
    seconds = shows("desktop-locked", LOCKER)
    note(f"covered {seconds:.1f} s after the phone was told")
    assert WINDOW not in picture("desktop-locked") and lockers()


@scenario("Unlock from the phone: the locker is gone, and the desktop is back")
def unlock(context):
    alice(context).command("unlock").ok()
    assert hint(session(context)["id"]) == "no" and not lockers()
    shows("desktop-unlocked", WINDOW)


@scenario("The password typed at the locker unlocks it, and the phone's box knows")
def typed_password(context):
    alice(context).command("lock").ok()
    shows("desktop-locked-again", LOCKER)
    press(PASSWORD.decode() + "\n")
    wait_until(lambda: hint(session(context)["id"]) == "no", of="unlocked")
    wait_until(lambda: session(context)["state"] == "active", of="the agent knows")
    shows("desktop-typed", WINDOW)


@scenario("A locker that is killed is not called locked: LockedHint is gone, and the session is told as open")
def locker_killed(context):
    alice(context).command("lock").ok()
    shows("desktop-locked-again", LOCKER)
    run("pkill", "-KILL", "-u", "alice", "-x", "swaylock")
    wait_until(lambda: hint(session(context)["id"]) == "no", of="the hint is gone")
    wait_until(lambda: session(context)["state"] == "active", of="the agent knows")
    shows("desktop-killed", KILLED)
    # Another lock from the phone, and its unlock, show the desktop in each case.
    alice(context).command("lock").ok()
    shows("desktop-locked-after-kill", LOCKER)
    alice(context).command("unlock").ok()
    shows("desktop-unlocked-after-kill", WINDOW)


@scenario("A locker that cannot be started does not count as locked, and the phone hears that")
def no_locker(context):
    run("mv", "/usr/bin/swaylock", "/usr/bin/swaylock.away")
    try:
        attempt = alice(context).command("lock")
        assert attempt.wait() != 0, attempt.out
        note("boxphone: " + attempt.err.strip().splitlines()[-1])
        assert hint(session(context)["id"]) == "no"
    finally:
        run("mv", "/usr/bin/swaylock.away", "/usr/bin/swaylock")


@scenario("Without its helper nothing locks the desktop, and the phone hears that: the console's helper has left it")
def no_helper(context):
    helpers = run("pgrep", "-u", "alice", "-a", "boxagent-sessio").stdout.splitlines()
    # The helper and its parent. SIGTERM to the parent must end both.
    assert len(helpers) == 2 and "--open-session" not in helpers[0] + helpers[1], helpers
    run("kill", helpers[0].split()[0])
    wait_until(lambda: run("pgrep", "-u", "alice", "boxagent-sessio", check=False).returncode != 0, of="both end")
    attempt = alice(context).command("lock")
    assert attempt.wait() != 0, attempt.out
    assert hint(session(context)["id"]) == "no" and session(context)["state"] == "active"


@scenario("Logout from the phone ends the desktop, and the greeter is back")
def logout(context):
    alice(context).command("logout").ok()
    console.wait_for(TERMINAL, TAP_LINE)
    assert run("pgrep", "-u", "alice", "-x", "sway", check=False).returncode != 0
