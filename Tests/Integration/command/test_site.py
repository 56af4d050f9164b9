"""boxagent's commands about the box's site, against a scripted agent."""

import json
import os
import re
import subprocess

import pexpect
import pytest

from scripted_agent import ScriptedAgent, done, failure, message

CODE = b"boxsite:1/" + b"A" * 150
SITE = message("site")
NO_SITE = failure("not-found", "this box does not belong to a site", "join one with 'boxagent join'")
LISTING = message(
    "site", site=bytes.fromhex("34750f98bd59fcfc946da45aaabe933b"), box_number="004711", groups="1, 7",
    servers="192.0.2.10:4711", linked_server="192.0.2.10:4711", linked_seconds=61, document_version="1.3", generation="1.1",
    entries=2, head_number=43, head_age_seconds=59, fresh_seconds=58, hours_left=24, hours_limit=24,
    certificate_expiry=1795243212)
JOINED = "joined site 34750f98bd59fcfc946da45aaabe933b; this box is number 004711 there"
JOIN = [("expect", SITE), ("reply", NO_SITE), ("expect", message("join-site", uri=CODE))]


def run(program, agent, *arguments, input_bytes=b""):
    return subprocess.run(
        [program, *arguments, "--socket", agent.path], input=input_bytes, capture_output=True, timeout=30,
        env={**os.environ, "TZ": "UTC"})


def test_join_takes_the_code_from_standard_input_and_says_how_it_goes(boxagent, tmp_path):
    script = JOIN + [("reply", message("join-stage", text="asking the server 192.0.2.10:4711")), ("reply", done(JOINED))]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "join", input_bytes=CODE + b"\n")
    assert (result.returncode, result.stdout.decode()) == (0, JOINED + "\n")
    assert result.stderr.decode() == "asking the server 192.0.2.10:4711\n"


def test_join_takes_the_code_from_a_file(boxagent, tmp_path):
    code = tmp_path / "code"
    code.write_bytes(CODE)
    with ScriptedAgent(tmp_path, JOIN + [("reply", done(JOINED))]) as agent:
        assert run(boxagent, agent, "join", "--code-file", str(code)).returncode == 0


def test_join_asks_at_a_terminal_without_showing_the_code(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, JOIN + [("reply", done(JOINED))]) as agent:
        child = pexpect.spawn(boxagent, ["join", "--socket", agent.path], timeout=20)
        child.expect("Join code")
        child.sendline(CODE)
        child.expect("joined site")
        shown = child.before
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 0 and b"AAAA" not in shown


@pytest.mark.parametrize("kind, status", [
    ("declined", 1), ("invalid", 65), ("timed-out", 75), ("busy", 75), ("fault", 70), ("not-permitted", 77)])
def test_a_join_that_fails_says_why_by_its_status(boxagent, tmp_path, kind, status):
    with ScriptedAgent(tmp_path, JOIN + [("reply", failure(kind, "the code has expired", "ask for a new one"))]) as agent:
        result = run(boxagent, agent, "join", input_bytes=CODE)
    assert result.returncode == status
    assert result.stderr.decode() == "boxagent: the code has expired\n  ask for a new one\n"


def test_a_code_in_the_arguments_is_refused_and_not_repeated(boxagent, tmp_path):
    result = subprocess.run([boxagent, "join", CODE.decode()], capture_output=True, timeout=30)
    assert result.returncode == 64 and b"do not pass the code as an argument" in result.stderr and b"AAAA" not in result.stderr


def test_a_member_is_asked_for_no_code(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, [("expect", SITE), ("reply", LISTING), ("reply", done())]) as agent:
        result = run(boxagent, agent, "join", input_bytes=CODE)
    assert result.returncode == 65 and b"already belongs to site" in result.stderr and b"\n  run 'boxagent leave' first" in result.stderr


def test_site_in_words_and_json(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, [("expect", SITE), ("reply", LISTING), ("reply", done())]) as agent:
        words = run(boxagent, agent, "site").stdout.decode()
    assert words.splitlines()[0] == "site              34750f98bd59fcfc946da45aaabe933b"
    os.unlink(tmp_path / "control.sock")
    with ScriptedAgent(tmp_path, [("expect", SITE), ("reply", LISTING), ("reply", done())]) as agent:
        said = json.loads(run(boxagent, agent, "site", "--json").stdout)
    assert said["certificate_expiry"] == "2026-11-21T06:40:12Z" and said["problem"] is None
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*", key) for key in said)


def test_a_box_without_a_site_says_so(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, [("expect", SITE), ("reply", NO_SITE)]) as agent:
        result = run(boxagent, agent, "site", "--json")
    assert (result.returncode, result.stdout) == (1, b"")


def test_leave_asks_first(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, [("expect", SITE), ("reply", LISTING), ("reply", done())]) as agent:
        result = run(boxagent, agent, "leave")
    assert result.returncode == 64 and result.stderr.endswith(b"nothing was changed\n  add --yes\n")
    os.unlink(tmp_path / "control.sock")
    script = [("expect", SITE), ("reply", LISTING), ("reply", done()), ("expect", message("leave-site")), ("reply", done("left"))]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "leave", "--yes")
    assert (result.returncode, result.stdout) == (0, b"left\n")
