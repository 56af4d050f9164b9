"""Provokes a fault and applies its cure. Doctor and docs/how-to/troubleshoot.md must name both, and the test types the commands as
they are printed. Users can log in during the fault and after it."""

import json
import pathlib
import re

from greeter import alice, default_module
from machine import Failed, note, run, wait_until
from package import password_alone

DOCUMENTS = pathlib.Path("/usr/share/doc/boxagent")
SOCKETS = ("boxagentd-pam.socket", "boxagentd-control.socket")


def doctor(context):
    """Returns (exit status, findings that are not good)."""
    command = context.box.command("doctor", "--json")
    code = command.wait(60)
    if not command.out:
        raise Failed(f"doctor found nothing and ended with {code}: {command.err}")
    found = json.loads(command.out)
    return code, [one for one in found if one["level"] != "good"]


def found(context, name, said):
    """Waits until doctor's finding of that name has this text, in which … stands for any text. The page must have the finding too,
    and a typed password must work. Returns the cure."""
    last = []

    def look():
        last[:] = doctor(context)
        return next((one for one in last[1] if one["name"] == name and fits(said, one["text"])), None)

    try:
        finding = wait_until(look, 5, pause=0.2)
    except Failed as error:
        raise Failed(f"doctor says of {name} nothing like {said!r}, but: {last}") from error
    note(f"doctor: {finding['name']}: {finding['text']} | {finding['cure']}")
    assert last[0] == (1 if any(one["level"] == "fault" for one in last[1]) else 0), last
    rows = re.findall(rf"`{name}: ([^`\n]+)`", page())
    if not any(fits(row, finding["text"]) for row in rows):
        raise Failed(f"the page has of {name} only {rows}")
    typed(context)
    return finding["cure"]


def fits(said, text):
    return re.search(".*".join(re.escape(part) for part in said.split("…")), text) is not None


def typed(context):
    if password_alone(context) != 0:
        raise Failed("a typed password does not log alice in")


def page():
    return (DOCUMENTS / "how-to/troubleshoot.md").read_text()


def cured(context, told, *commands):
    """Runs the commands, which `told` must contain to the letter. Doctor must be content afterwards."""
    for command in commands:
        if command not in told:
            raise Failed(f"nobody is told to run {command!r}, but: {told}")
        done = run("sh", "-c", command, check=False, seconds=60)
        if done.returncode != 0:
            raise Failed(f"{command!r} ended with {done.returncode}: {done.stdout}{done.stderr}")
    content(context)


def content(context):
    last = []

    def look():
        last[:] = doctor(context)
        return last == [0, []]

    try:
        wait_until(look, 30, pause=0.2)
    except Failed as error:
        raise Failed(f"doctor is not content: {last}") from error


def tapped(context):
    """Logs alice in with a tap that the box holds until a program asks."""
    waiting = alice(context).command("login")
    wait_until(context.box.tap_held, of="the tap waits for a program")
    context.box.pam("alice").ok()
    assert "Logged in" in waiting.ok()


def halted():
    run("systemctl", "stop", "boxagentd", *SOCKETS)


def starts():
    """Starts the agent without checking the result, because the start may fail."""
    run("systemctl", "reset-failed", "boxagentd", check=False)
    run("systemctl", "start", "boxagentd", check=False)


def begun(context):
    """Prepares alice's phone and the shipped PAM stacks once. Doctor must find nothing."""
    if not hasattr(context, "begun"):
        default_module()
        alice(context)
        content(context)
        context.begun = True


def on_page(said, *words):
    """Checks that the program's output has the words, and that the page has them too."""
    note("said: " + said.strip().splitlines()[-1])
    for word in words:
        assert word in said, (word, said)
        assert word in page(), f"the page does not have {word!r}"
