"""Sessions on a real logind and real consoles: their owners, and how they are locked, unlocked, ended and protected."""

import json
import re

import console
from greeter import alice, greet_on, tap
from installed import PASSWORD
from machine import note, picture, run, wait_until
from scenario import scenario

CONTROLLERS = 3
SETTINGS = {"auto_logout.minimum_seconds": "10"}
LOCKED = r"This session of alice is locked"


def bob(context):
    if not hasattr(context, "bob"):
        context.bob = context.box.phone("bob", "hci2").enrol("bob", password=PASSWORD)
    return context.bob


def sessions(context):
    """Returns the known sessions, also while a restarted agent reads logind's."""
    command = context.box.command("sessions", "--json")
    command.wait()
    return {one["place"].split()[-1]: one for one in json.loads(command.out)}


def session_on(context, terminal):
    return sessions(context).get(terminal)


def hint(identifier):
    return run("loginctl", "show-session", identifier, "-p", "LockedHint", "--value", check=False).stdout.strip()


def logged_in(context, terminal="tty1"):
    """Returns alice's session on the terminal, and logs her in by a tap if needed."""
    console.bring_to_front(terminal)
    if console.user_on(terminal) is None:
        wait_until(lambda: "advertising" in context.box.radio_state(), of="advertising")
        console.wait_for(terminal, "choose box")
        tap(context).ok()
        wait_until(lambda: console.user_on(terminal) == "alice", of="alice's session")
        console.wait_for(terminal, r"alice@rig")
    return wait_until(lambda: (one := session_on(context, terminal)) and one["can_lock"] and one, of="its locker")


def logged_out(terminal):
    wait_until(lambda: console.user_on(terminal) is None, of="the session ends")


@scenario("A tap logs alice in on the console; the session is her phone's, and has a locker")
def opened(context):
    greet_on("tty1")
    alice(context)
    session = logged_in(context)
    assert session["user"] == "alice" and session["device"] and session["state"] == "active", session


@scenario("Lock from the phone: the console is locked, LockedHint says so, keys reach nobody; unlock gives it back")
def lock(context):
    session = logged_in(context)
    console.type_keys("tty1", "clear; cat > /tmp/typed\n")
    wait_until(lambda: run("cat", "/tmp/typed", check=False).returncode == 0, of="a program that reads the console")
    alice(context).command("lock").ok()
    assert hint(session["id"]) == "yes" and session_on(context, "tty1")["state"] == "locked"
    console.wait_for("tty1", LOCKED)
    picture("console-locked")
    console.type_keys("tty1", "reaches nobody\n\x03\x1a")
    console.wait_for("tty1", "The password is wrong")
    alice(context).command("unlock").ok()
    assert hint(session["id"]) == "no"
    console.type_keys("tty1", "reaches cat\n\x04")
    wait_until(lambda: run("cat", "/tmp/typed").stdout == "reaches cat\n", of="what was typed after the unlock")
    assert not re.search(LOCKED, console.shown("tty1"))


@scenario("The password typed at the locked console unlocks it as well")
def typed_password(context):
    session = logged_in(context)
    alice(context).command("lock").ok()
    console.wait_for("tty1", LOCKED)
    console.type_keys("tty1", PASSWORD.decode() + "\n")
    wait_until(lambda: hint(session["id"]) == "no", of="unlocked")
    wait_until(lambda: session_on(context, "tty1")["state"] == "active", of="the agent knows")
    console.type_keys("tty1", "\nclear; echo $((40+2))\n")
    console.wait_for("tty1", r"^42$")


@scenario("Somebody else's program in front cannot be locked away, and the phone hears that it did not lock")
def foreign_program(context):
    session = logged_in(context)
    # Starts root's program at the console, as sudo does.
    run("chmod", "4755", "/usr/bin/sleep")
    console.type_keys("tty1", "clear; sleep 600\n")
    wait_until(lambda: run("pgrep", "-u", "root", "-x", "sleep", check=False).stdout.strip(), of="root's program")
    attempt = alice(context).command("lock")
    assert attempt.wait() != 0, attempt.out
    note("boxphone: " + attempt.err.strip().splitlines()[-1])
    assert hint(session["id"]) == "no"
    console.type_keys("tty1", "\x03")
    run("pkill", "-u", "root", "-x", "sleep", check=False)
    run("chmod", "755", "/usr/bin/sleep")


@scenario("The agent is killed: afterwards the session is still her phone's, and can be locked")
def agent_killed(context):
    session = logged_in(context)
    context.box.kill()
    wait_until(lambda: (one := session_on(context, "tty1")) and one["device"] and one["can_lock"], of="its owner")
    wait_until(context.bluetoothd.advertises, of="advertising again")
    alice(context).command("lock").ok()
    assert hint(session["id"]) == "yes"
    alice(context).command("unlock").ok()


@scenario("Two people on two consoles: each phone locks its own session, and bob cannot lock alice's")
def two_people(context):
    session = logged_in(context)
    greet_on("tty2")
    bob(context)
    console.bring_to_front("tty2")
    console.wait_for("tty2", "choose box")
    bob(context).command("login").ok()
    wait_until(lambda: console.user_on("tty2") == "bob", of="bob's session")
    other = wait_until(lambda: (one := session_on(context, "tty2")) and one["can_lock"] and one, of="bob's locker")
    alice(context).command("lock").ok()
    assert (hint(session["id"]), hint(other["id"])) == ("yes", "no")
    for words in (["lock", "--session", session["id"]], ["logout", "--user", "alice"], ["unlock"]):
        refused = run("runuser", "-u", "bob", "--", "boxagent", *words, check=False)
        assert refused.returncode != 0, (words, refused.stdout)
    note("boxagent to bob: " + refused.stderr.strip().splitlines()[0])
    seen = json.loads(run("runuser", "-u", "bob", "--", "boxagent", "sessions", "--json").stdout)
    assert [one["user"] for one in seen] == ["bob"]
    run("runuser", "-u", "bob", "--", "boxagent", "lock")
    assert (hint(session["id"]), hint(other["id"])) == ("yes", "yes")
    bob(context).command("unlock").ok()
    assert (hint(session["id"]), hint(other["id"])) == ("yes", "no")
    bob(context).command("logout").ok()
    logged_out("tty2")
    alice(context).command("unlock").ok()
    console.bring_to_front("tty1")


@scenario("The machine sleeps: the session is locked before, and the phone unlocks it afterwards", limit=120)
def sleep(context):
    session = logged_in(context)
    run("sh", "-c", "echo core > /sys/power/pm_test && echo s2idle > /sys/power/mem_sleep")
    run("systemctl", "suspend")
    wait_until(lambda: hint(session["id"]) == "yes", of="locked before it sleeps")
    wait_until(lambda: "suspend exit" in run("journalctl", "-b", "-k", "--no-pager").stdout, 60, of="the machine woke")
    note("suspend to idle with pm_test=core: the kernel goes through all of it but the waiting")
    run("sh", "-c", "echo none > /sys/power/pm_test")
    wait_until(context.bluetoothd.advertises, 40, of="advertising again")
    alice(context).command("unlock").ok()


@scenario("Logout from the phone: the session is gone, and so are its processes")
def logout(context):
    session = logged_in(context)
    console.type_keys("tty1", "\nsetsid sh -c 'trap \"\" HUP TERM; sleep 4711; sleep 4712' &\n")
    wait_until(lambda: run("pgrep", "-f", "sleep 4711", check=False).returncode == 0, of="a stubborn process")
    alice(context).command("logout").ok()
    assert run("loginctl", "show-session", session["id"], check=False).returncode != 0
    assert run("pgrep", "-f", "sleep 471[12]", check=False).returncode != 0
    assert run("pgrep", "-u", "alice", "boxagent-sessio", check=False).returncode != 0
    console.wait_for("tty1", "choose box")


@scenario("The phone goes: after the set time the session is logged out, although the agent was killed meanwhile")
def away(context):
    logged_in(context)
    alice(context).command("auto-logout", "20s").ok()
    context.box.kill()
    logged_out("tty1")
    console.wait_for("tty1", "choose box")
