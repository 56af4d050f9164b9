"""The commands' texts: help at every width, suggestions for near words, empty lists, and messages wrapped at words."""

import os
import pathlib
import re
import subprocess

import pexpect
import pytest

from scripted_agent import ScriptedAgent, audit, done, failure, message

EXAMPLE = re.compile(r"^  boxagent ")


def help_of(boxagent, *words, columns=None, term="xterm"):
    """Returns the help on a terminal with that many columns, or through a pipe if `columns` is None."""
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns is None:
        return subprocess.run(
            [boxagent, *words, "--help"], capture_output=True, text=True, timeout=30, env=environment).stdout.splitlines()
    child = pexpect.spawn(
        boxagent, [*words, "--help"], timeout=20, dimensions=(24, columns), encoding="utf-8", env={**environment, "TERM": term})
    child.expect(pexpect.EOF)
    return child.before.splitlines()


@pytest.mark.parametrize("columns, term", [(40, "xterm"), (80, "xterm"), (200, "xterm"), (80, "dumb"), (None, "")])
@pytest.mark.parametrize("words", [[], ["enrol"], ["audit", "show"], ["config", "set"], ["setup"]])
def test_help_fits_the_terminal_and_its_examples_stay_whole(boxagent, words, columns, term):
    lines = help_of(boxagent, *words, columns=columns, term=term)
    width = columns or 80
    examples = [line for line in lines if EXAMPLE.match(line)]
    assert examples == [line for line in help_of(boxagent, *words, columns=200) if EXAMPLE.match(line)] and examples
    for line in lines:
        assert len(line) <= width or EXAMPLE.match(line) or " " not in line.strip(), line
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("program", ["boxlogin", "boxagentd", "boxsited", "boxsite-directory", "boxagent-session", "session-hook"])
def test_the_help_of_programs_that_do_not_wrap_fits_80_columns(boxagent, program):
    lines = help_of(pathlib.Path(boxagent).with_name(program))
    assert len(lines) > 5 and [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("words, said", [
    (["enroll2", "anna"], 'boxagent: unknown command "enroll2".\n  Did you mean: boxagent enrol\n'),
    (["audit", "exprt"], 'boxagent: unknown command "exprt".\n  Did you mean: boxagent audit export\n'),
    (["dance"], 'boxagent: unknown command "dance".\n  See the commands: boxagent --help\n'),
    (["enrol", "anna", "--lable", "x"], 'boxagent: unknown option "--lable".\n  Did you mean: --label\n'),
])
def test_what_is_not_known_gets_the_near_word(boxagent, words, said):
    result = subprocess.run([boxagent, *words], capture_output=True, text=True, timeout=30)
    assert (result.returncode, result.stdout, result.stderr) == (64, "", said)


def test_enroll_is_enrol(boxagent):
    assert help_of(boxagent, "enroll") == help_of(boxagent, "enrol")


def test_a_command_line_that_is_wrong_is_followed_by_how_it_is_used(boxagent):
    result = subprocess.run([boxagent, "audit", "--limit", "0"], capture_output=True, text=True, timeout=30)
    lines = result.stderr.splitlines()
    assert result.returncode == 64 and lines[0] == "boxagent: --limit takes a whole number from 1 to 10000"
    assert lines[1].startswith("  Usage: boxagent audit show ") and lines[-1] == "  See: boxagent audit show --help"


@pytest.mark.parametrize("words, request_message, said", [
    (["devices"], message("devices"), "no phones are enrolled; enrol one with: boxagent enrol USER"),
    (["sessions"], message("sessions"), "no sessions are open"),
    (["audit"], audit(0, 1000), "the audit log is empty"),
    (["audit", "--kind", "pin-wrong"], audit(0, 1000), "no entries match"),
])
def test_an_empty_list_says_so_and_its_json_is_empty(boxagent, tmp_path, words, request_message, said):
    for more, out, err in [([], "", said + "\n"), (["--json"], "[]\n", "")]:
        with ScriptedAgent(tmp_path, [("expect", request_message), ("reply", done())]) as agent:
            result = subprocess.run(
                [boxagent, *words, *more, "--socket", agent.path], capture_output=True, text=True, timeout=30)
        assert (result.returncode, result.stdout, result.stderr) == (0, out, err)
        os.unlink(agent.path)


@pytest.mark.parametrize("columns", [40, 80])
def test_a_message_is_broken_at_words_on_a_terminal_and_whole_in_a_pipe(boxagent, tmp_path, columns):
    what = "this box keeps no credential of the phone that was named, and it will not keep one until its user stores it"
    script = [("expect", message("doctor")), ("reply", failure("fault", what, "store it again"))]
    with ScriptedAgent(tmp_path, script) as agent:
        child = pexpect.spawn(
            boxagent, ["doctor", "--socket", agent.path], timeout=20, dimensions=(24, columns), encoding="utf-8")
        child.expect(pexpect.EOF)
    lines = child.before.splitlines()
    assert all(len(line) <= columns for line in lines) and lines[-1] == "  store it again"
    assert " ".join(" ".join(lines[:-1]).split()) == "boxagent: " + what
    os.unlink(agent.path)
    with ScriptedAgent(tmp_path, script) as agent:
        result = subprocess.run([boxagent, "doctor", "--socket", agent.path], capture_output=True, text=True, timeout=30)
    assert result.stderr == "boxagent: %s\n  store it again\n" % what


def test_on_a_narrow_terminal_the_audit_log_keeps_its_details(boxagent, tmp_path):
    entry = message(
        "audit-entry", number=12, seconds=1795243212, event=b"login-not-correct", user=b"anna",
        device=b"7k2mabcdefghijklmnopqrstuv", detail=b"login on tty1: wrongCredentials",
        actor={"kind": "person", "name": b"administrator", "uid": 1000})
    with ScriptedAgent(tmp_path, [("expect", audit(0, 1000)), ("reply", entry), ("reply", done())]) as agent:
        child = pexpect.spawn(
            boxagent, ["audit", "--socket", agent.path], timeout=20, dimensions=(24, 80), encoding="utf-8")
        child.expect(pexpect.EOF)
    lines = child.before.splitlines()
    assert lines[0].split() == ["NUMBER", "TIME", "EVENT", "USER", "PHONE"] and lines[1] == "    BY: DETAILS"
    assert "7k2mabcd" in lines[2] and lines[3] == "    administrator (uid 1000): login on tty1: wrong credential"


DAMAGED = "a damaged database is kept (vault.sqlite3.damaged-1795243212), with credentials"


@pytest.mark.parametrize("findings, status, said", [
    ([], 1, "boxagent: this box keeps no credential; nothing was changed\n"),
    ([DAMAGED], 64, "Damaged databases that were set aside will be destroyed for good:\n  %s\n" % DAMAGED)])
def test_wipe_all_announces_only_what_is_there(boxagent, tmp_path, findings, status, said):
    replies = [message("finding", level="warning", name="vault", text=text, cure="") for text in findings]
    replies.append(message("finding", level="good", name="audit", text="the audit log is whole", cure=""))
    script = [("expect", message("devices")), ("reply", done()), ("expect", message("doctor"))]
    with ScriptedAgent(tmp_path, script + [("reply", reply) for reply in [*replies, done()]]) as agent:
        result = subprocess.run(
            [boxagent, "wipe", "--all", "--socket", agent.path], capture_output=True, text=True, timeout=30)
    assert result.returncode == status and result.stderr.startswith(said), result.stderr
    assert "amaged" in result.stderr or not findings
