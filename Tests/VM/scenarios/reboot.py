"""A box is rebooted, and another loses power: what persists, and what must not affect the new boot."""

import json
import pathlib

import console
from greeter import TAP_LINE, alice, greet_on, log_out, type_login
from installed import PASSWORD
from machine import keep, kept, note, pull_the_plug, run, since_boot, unit_pid, wait_until
from scenario import scenario
from sessions import logged_in, logged_out, session_on

BOOTS = 4
CONTROLLERS = 3
SETTINGS = {"auto_logout.minimum_seconds": "10"}
AWAY_SECONDS = 15
PIN, WRONG_PIN = b"2468", b"0000"


def held(context):
    """Returns bob's phone, whose password the box holds."""
    return context.box.phone("held", "hci2")


def later(context):
    """Returns bob's second phone, which is enrolled just before the power failure."""
    return context.box.phone("later", "hci2")


def boot_id():
    return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def by_itself(context):
    """Waits until the agent's unit is active by itself, before anything else talks to it. Returns the box."""
    wait_until(lambda: run("systemctl", "is-active", "boxagentd", check=False).returncode == 0, of="the agent's unit")
    assert unit_pid("boxagentd") and boot_id() not in kept()["boots"]
    keep(boots=[*kept()["boots"], boot_id()])
    return context.box


def attempts_left(context):
    left, = [device["pin_attempts_left"] for device in context.box.json("devices") if device["box_held"]]
    return left


def log_in_bob(context, phone, **secrets):
    """Logs bob in at the console's greeter, which has also started by itself."""
    console.wait_for("tty1", TAP_LINE)
    console.bring_to_front("tty1")
    wait_until(context.bluetoothd.advertises, of="advertising")
    tap = phone.with_secrets("login", **secrets)
    wait_until(lambda: console.user_on("tty1") == "bob", of="bob's session")
    tap.ok()
    wait_until(lambda: session_on(context, "tty1")["device"], of="its phone")


def record(context):
    """Returns the whole audit log. Its chain must be valid, and it must begin with the entries from before this boot."""
    context.box.command("audit", "--verify").ok()
    entries = context.box.json("audit", "--limit", "10000")
    before = kept().get("audit", [])
    assert entries[:len(before)] == before, (before, entries)
    return entries


def only_what_is_asked_for_reaches_the_disk():
    run("sysctl", "-qw", "vm.dirty_writeback_centisecs=0")
    run("mount", "-o", "remount,commit=900", "/")


@scenario("A tap opens alice's session, her phone goes, and while its time runs the machine is rebooted")
def before(context):
    greet_on("tty1")
    run("systemctl", "add-wants", "--quiet", "multi-user.target", "getty@tty1.service")
    session = logged_in(context)
    assert session["device"], session
    alice(context).command("auto-logout", f"{AWAY_SECONDS}s").ok()
    keep(boots=[boot_id()], box=context.box.id, session=session["id"], deadline=since_boot() + AWAY_SECONDS,
         devices=[device["id"] for device in context.box.json("devices")], audit=record(context))


@scenario("After the reboot the agent is there by itself: its box ID, its phones, its record", boot=2)
def rebooted(context):
    box = by_itself(context)
    assert box.id == kept()["box"]
    assert [device["id"] for device in box.json("devices")] == kept()["devices"]
    # Alice was still logged in at shutdown, and the log names what ended her session. The new boot says so in Debian 12. In
    # Debian 13, login(1) closes her session before the agent of the old boot ends.
    assert not [one for one in record(context) if one["detail"].startswith("logout")]
    ended = wait_until(lambda: [one for one in record(context) if one["event"] == "session-closed"], of="its end")
    assert ended[-1]["user"] == "alice" and ended[-1]["detail"] in (
        "the machine was restarted", "the machine is shutting down"), ended
    note(f"{len(kept()['audit'])} entries of the audit log from before, {len(record(context))} now")


@scenario("A session of the new boot that has the old one's name is not the phone's", boot=2)
def same_name(context):
    context.alice = context.box.phone("alice")
    console.wait_for("tty1", TAP_LINE)
    console.bring_to_front("tty1")
    console.type_keys("tty1", "x")
    type_login("tty1", "alice")
    session = wait_until(lambda: session_on(context, "tty1"), of="the agent knows the session")
    assert session["id"] == kept()["session"] and session["device"] is None, session
    attempt = alice(context).command("lock")
    assert attempt.wait() != 0
    note("boxphone: " + attempt.err.strip().splitlines()[-1])
    note(f"session {session['id']} again, {kept()['deadline'] - since_boot():.0f} s before the old time")


@scenario("On the rebooted box a phone is enrolled, whose password the box holds", boot=2)
def enrolled_after_reboot(context):
    held(context).enrol("bob", box_held=True)
    held(context).with_secrets("credentials", "set", password=PASSWORD, new_pin=PIN).ok()
    assert attempts_left(context) == 10


@scenario("The time that ran before the reboot ends nothing when it is over", boot=2, limit=240)
def old_time(context):
    session = session_on(context, "tty1")
    wait_until(lambda: since_boot() > kept()["deadline"] + 3, 200, of="the old time is over", pause=0.5)
    assert session_on(context, "tty1") == session and session["id"] == kept()["session"], session
    log_out("tty1")


@scenario("The phone logs in without a new enrolment, and the time away that it set before the reboot holds", boot=2)
def tap_again(context):
    session = logged_in(context)
    assert session["device"] in kept()["devices"], session
    logged_out("tty1")


@scenario("The plug is pulled when a wrong PIN has been answered, with a session open", boot=2)
def plug_after_attempt(context):
    alice(context).command("auto-logout", "off").ok()
    logged_in(context)
    keep(audit=record(context))
    only_what_is_asked_for_reaches_the_disk()
    assert held(context).with_secrets("login", pin=WRONG_PIN).wait() == 2
    context.box.put_phones_away()
    pull_the_plug()


@scenario("The attempt is spent all the same, the right PIN logs in, and nobody's session is a phone's", boot=3)
def attempt_is_spent(context):
    box = by_itself(context)
    assert attempts_left(context) == 9 and record(context)
    wait_until(lambda: box.command("sessions").wait() == 0, of="the agent has read logind's sessions")
    assert not json.loads(box.command("sessions", "--json").ok())
    log_in_bob(context, held(context), pin=PIN)


@scenario("The plug is pulled when a phone has been told that it is enrolled", boot=3)
def plug_after_enrolment(context):
    keep(audit=record(context))
    only_what_is_asked_for_reaches_the_disk()
    later(context).enrol("bob")
    context.box.put_phones_away()
    pull_the_plug()


@scenario("That phone is enrolled: it stores its password and logs in with a tap, and the box finds no fault", boot=4)
def enrolment_is_kept(context):
    box = by_itself(context)
    assert record(context)[-1]["event"]
    later(context).with_secrets("credentials", "set", password=PASSWORD).ok()
    log_in_bob(context, later(context))
    assert box.id == kept()["box"]
    faults = [one for one in box.findings()[1] if one["level"] == "fault"]
    assert not faults, faults
    note("the last plug left %d phones and %d entries" % (len(box.json("devices")), len(record(context))))
