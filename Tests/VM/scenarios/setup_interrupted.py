"""`boxagent setup` does not finish: a user interrupts it, it is killed, or the power fails. Run again, it does the remaining steps.
The password works throughout."""

import os
import pathlib
import signal

import console
import interrupting
from installed import PASSWORD
from interrupting import SetupAtTerminal
from machine import keep, kept, note, pull_the_plug, run, wait_until
from package import NONINTERACTIVE, UNITS, password_alone, stacks
from reboot import only_what_is_asked_for_reaches_the_disk
from scenario import scenario
from setup import BLUETOOTHD, CONSOLE, RECORDS, TAP_LINE, setup, tap_on_console

STOCK = True
BOOTS = 2
PROFILES = ("boxagent", "boxagent-refused", "boxagent-verdict", "boxagent-session")


def unfinished():
    return [path.stem for path in RECORDS.glob("*.unfinished")]


def passwords_work(context):
    assert password_alone(context) == 0


def without_module():
    """Removes our PAM profiles, as on a machine that has only the package boxagent."""
    run("pam-auth-update", "--package", "--remove", *PROFILES, env=NONINTERACTIVE)


GO_ON, WHOM, DIGITS, TAP = "Continue?", "Which user should the first phone log in?", "Compare with the phone", "Now run on the phone"


@scenario("Whatever ends setup at its first question, nothing is changed; at the next, what was agreed to is done", limit=300)
def questions(context):
    # The image has display managers for other groups.
    pathlib.Path("/etc/systemd/system/display-manager.service").unlink(missing_ok=True)
    run("systemctl", "daemon-reload")
    console.bring_to_front("tty1")
    run("systemctl", "start", "getty@tty1")
    for ending in interrupting.ENDINGS:
        at_terminal = SetupAtTerminal(context.box).is_asked(GO_ON)
        if ending == interrupting.ENDINGS[0]:
            assert "another 'boxagent setup' is running" in setup("--yes", status=75)
        at_terminal.is_ended_by(ending)
        assert not RECORDS.exists() and not CONSOLE.exists() and not BLUETOOTHD.exists(), ending
        passwords_work(context)
    answers = [(GO_ON, "y")]
    for ending in interrupting.ENDINGS:
        SetupAtTerminal(context.box).is_asked(WHOM, *answers).is_ended_by(ending)
        assert CONSOLE.exists() and not unfinished(), ending
        passwords_work(context)
        answers = []
    console.wait_for("tty1", TAP_LINE)


@scenario("Whatever ends setup while phone and box show six digits, that phone is not enrolled, and the next code is as good", limit=300)
def digits(context):
    known = context.box.json("devices")
    for ending in interrupting.ENDINGS:
        at_terminal = SetupAtTerminal(context.box).is_asked(WHOM)
        phone = enrolling(context, at_terminal, f"digits-{ending}")
        at_terminal.is_ended_by(ending)
        assert phone.wait() != 0, phone.out
        assert context.box.json("devices") == known, ending
    passwords_work(context)


@scenario("Whatever ends setup while it waits for the first tap, the phone is enrolled; run again it enrols another, to the end", limit=300)
def first_taps(context):
    known = len(context.box.json("devices"))
    for number, ending in enumerate([*interrupting.ENDINGS, None], 1):
        at_terminal = SetupAtTerminal(context.box).is_asked(WHOM)
        name = f"tap-{number}"
        phone = enrolling(context, at_terminal, name)
        at_terminal.answer("y")
        at_terminal.is_asked(TAP)
        phone.ok()
        assert len(context.box.json("devices")) == known + number
        if ending:
            at_terminal.is_ended_by(ending)
    context.phone = context.box.phone(name)
    context.phone.with_secrets("credentials", "set", password=PASSWORD).ok()
    context.phone.command("login").wait()
    assert "this machine is set up" in at_terminal.ends()
    passwords_work(context)


def enrolling(context, at_terminal, name):
    """Starts an enrolment and returns the phone. Phone and terminal show six digits."""
    at_terminal.answer("alice")
    reader, writer = os.pipe()
    os.write(writer, at_terminal.code().encode() + b"\n")
    os.close(writer)
    phone = context.box.phone(name).command("enrol", "--fd", str(reader), fds=(reader,))
    at_terminal.is_asked(DIGITS)
    return phone


@scenario("Killed or interrupted in any of its steps, setup goes on there when it is run again, and passwords work meanwhile", limit=600)
def steps(context):
    setup("--undo", "--yes")
    run("systemctl", "disable", "--now", *UNITS)
    without_module()
    context.controllers.rfkill("hci0", True)
    with interrupting.programs():
        for step, words, ending in (
                ("agent", "systemctl enable", signal.SIGINT), ("bluetoothd", "systemctl try-restart bluetooth", signal.SIGTERM),
                ("module", "pam-auth-update", signal.SIGHUP), ("console", "systemctl try-restart getty", signal.SIGINT)):
            interrupting.at(words, signal.SIGKILL)
            setup("--yes", status=-signal.SIGKILL)
            assert unfinished() == [step]
            passwords_work(context)
            # The program that setup started continues without setup.
            wait_until(lambda: run("pgrep", "-x", "pam-auth-update", check=False).returncode != 0, of="pam-auth-update ends")
            interrupting.at(words, ending)
            assert "interrupted after step 1 of" in setup("--yes", status=-ending)
            assert not unfinished() and (RECORDS / step).exists()
            passwords_work(context)
    said = setup("--yes")
    assert "There is nothing to do on it." in said and "FAULT" not in said, said
    tap_on_console(context)


@scenario("The plug is pulled when the module has just been put into the PAM stacks, and setup has not said so yet")
def plug(context):
    setup("--undo", "--yes")
    without_module()
    run("sync")
    only_what_is_asked_for_reaches_the_disk()
    keep(without=stacks())
    keep(phone=context.phone.name)
    context.box.put_phones_away()
    with interrupting.programs():
        interrupting.hold("pam-auth-update")
        context.box.run_program(["/usr/bin/boxagent", "setup", "--yes"], "unplugged")
        wait_until(interrupting.is_held, 90, of="the stacks are written")
        pull_the_plug()


@scenario("The machine starts with whole PAM stacks and the password works; setup does what is left, and a tap logs in", boot=2)
def after_the_plug(context):
    passwords_work(context)
    assert unfinished() == ["module"], unfinished()
    note("common-auth is " + ("as before the step" if stacks() == kept()["without"] else "as the step wrote it"))
    assert "add pam_boxagent.so to" in setup("--yes")
    assert not unfinished()
    run("systemctl", "start", "getty@tty1")
    passwords_work(context)
    context.phone = context.box.phone(kept()["phone"])
    tap_on_console(context)
