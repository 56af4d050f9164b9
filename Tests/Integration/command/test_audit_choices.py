"""boxagent audit against a scripted agent: which entries it selects, and how it follows the log."""

import json
import os
import subprocess

import pytest

from scripted_agent import ScriptedAgent, audit, done, failure, message
from test_boxagent import DEVICES, ask, run


def entry(number, time=0, event=b"login-correct", user=b"anna", device=b"7K2M"):
    return message(
        "audit-entry", number=number, seconds=time, event=event, user=user, device=device, detail=b"",
        actor={"kind": "agent"})


# With --user, the command first asks which phones the user has.
NO_DEVICES = [("expect", message("devices")), ("reply", done())]


def test_audit_filters_ask_for_whole_pages_and_stop_at_the_limit(boxagent, tmp_path):
    first = [("reply", entry(1 + index, user=b"anna" if index in (3, 900) else b"bob")) for index in range(1000)]
    second = [("reply", entry(1001 + index, time=500, event=b"pin-wrong")) for index in range(4)]
    script = [
        *NO_DEVICES, ("expect", audit(0, 1000)), *first, ("reply", done()),
        ("expect", audit(1000, 1000)), *second, ("reply", done())]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "audit", "--json", "--user", "anna", "--limit", "3")
    assert [one["number"] for one in json.loads(result.stdout)] == [4, 901, 1001]
    assert result.stderr == "boxagent: stopped after 3 entries; continue with --after 1001\n"
    os.unlink(tmp_path / "control.sock")
    replies = [entry(1), entry(2, 100), entry(3, 100, b"pin-wrong"), entry(4, 200, b"pin-wrong"), done()]
    result = ask(
        boxagent, tmp_path, audit(0, 1000), replies, "audit", "--json", "--since", "1970-01-01T00:01:40Z",
        "--until", "1970-01-01T01:03:20+01:00", "--kind", "pin-wrong", "--kind", "pin-changed")
    assert [one["number"] for one in json.loads(result.stdout)] == [3]


def test_audit_finds_a_phone_by_its_label_or_its_id(boxagent, tmp_path):
    for name, numbers in (("Anna's", [1]), ("9xq", [2])):
        script = [
            ("expect", message("devices")), *[("reply", device) for device in DEVICES], ("reply", done()),
            ("expect", audit(0, 1000)), ("reply", entry(1)), ("reply", entry(2, device=b"9XQP")),
            ("reply", entry(3, device=None)), ("reply", done())]
        with ScriptedAgent(tmp_path, script) as agent:
            result = run(boxagent, agent, "audit", "--json", "--device", name)
        assert [one["number"] for one in json.loads(result.stdout)] == numbers
        os.unlink(tmp_path / "control.sock")


@pytest.mark.parametrize("choice", [["--user", "anna"], ["--since", "1d"], ["--follow"], ["--follow", "--after", "3"]])
def test_audit_choices_show_nothing_to_whom_the_agent_refuses(boxagent, tmp_path, choice):
    refusal = failure("not-permitted", "only the administrator may do this", "run the command as root")
    after, limit = (3, 1000) if "--after" in choice else (0, 1) if "--follow" in choice else (0, 1000)
    request = message("devices") if "--user" in choice else audit(after, limit)
    script = [("expect", request), ("reply", refusal)]
    with ScriptedAgent(tmp_path, script, refusal=refusal) as agent:
        result = run(boxagent, agent, "audit", *choice)
    assert (result.returncode, result.stdout) == (77, "")
    assert result.stderr == "boxagent: only the administrator may do this\n  run the command as root\n"


@pytest.mark.parametrize("arguments, complaint", [
    (["--verify", "--user", "anna"], "leave out --user"), (["--verify", "--kind", "pin-wrong"], "leave out --kind"),
    (["--since", "yesterday"], "--since takes a time"), (["--until", "2m"], "--until takes a time"),
    (["--kind", "pin-wong"], "Did you mean: pin-wrong"), (["--kind", "pin-wong"], "the events are device-enrolled, "), (["--follow", "--until", "1d"], "--until"),
    (["--follow", "--verify"], "--verify"), (["--limit", "0"], "--limit")])
def test_audit_refuses_choices_that_make_no_sense(boxagent, arguments, complaint):
    result = subprocess.run([boxagent, "audit", *arguments], capture_output=True, text=True, timeout=30)
    assert result.returncode == 64 and complaint in result.stderr.replace("\n", " ")


def test_audit_follow_begins_behind_the_newest_entry_and_ends_after_the_limit(boxagent, tmp_path):
    """The log has five entries. A few requests find the newest one, and none of the five is shown."""
    def asked(after, *entries, limit=1):
        return [("expect", audit(after, limit)), *[("reply", one) for one in entries], ("reply", done())]

    script = [
        *NO_DEVICES, *asked(0, entry(1)), *asked(2, entry(3)), *asked(6), *asked(4, entry(5)), *asked(5),
        *asked(5, limit=1000), *asked(5, entry(6), entry(7, user=b"bob"), entry(8), limit=1000)]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "audit", "--follow", "--json", "--user", "anna", "--limit", "2")
    assert [json.loads(line)["number"] for line in result.stdout.splitlines()] == [6, 8]
    assert (result.returncode, result.stderr) == (0, "")


def test_audit_follow_says_that_the_record_is_another_one(boxagent, tmp_path):
    script = [
        ("expect", audit(4, 1000)), ("reply", entry(5)), ("reply", done()),
        ("expect", audit(4, 1000)), ("reply", entry(5, user=b"mallory")), ("reply", done())]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "audit", "--follow", "--after", "4", "--json")
    assert result.returncode == 1 and json.loads(result.stdout)["number"] == 5
    assert "entry 5 is missing or has changed" in result.stderr and "--verify" in result.stderr
