"""boxagent against a scripted agent: what it sends, prints and returns."""

import json
import os
import re
import subprocess

import pexpect
import pytest

from scripted_agent import ScriptedAgent, audit, done, failure, message

URI = b"boxlink:1?k=" + b"A" * 150


def device(name, user, label, credential, state, enrolled, last_used, connected, attempts, stale, web=False, site=False, uid=None, other_uid=None):
    return message(
        "device", id=name, user=user, label=label, credential=credential, web=web, site=site, uid=uid, other_uid=other_uid, state=state, enrolled_seconds=enrolled,
        last_used_seconds=last_used, connected=connected, pin_attempts_left=attempts, credential_stale=stale)


DEVICES = [
    device(b"7K2M", b"anna", b"Anna's", "box-held", "active", 1795243212, None, True, 9, False),
    device(b"9XQP", b"b\x1b[2Jo", b"\xff", "phone-held", "revoked", 0, 1795243212, False, None, True),
]
STATUS = message("status")
STATUS_REPLY = message(
    "status", box_id="4711", radio="loopback", radio_state="advertising", uptime_seconds=3661, devices_active=2,
    activity={"links-open": 3, "channels-authenticated": 1, "programs-waiting": 0, "tap-held": False}, sessions_owned=1,
    enrolment_open=False, failures_unauthenticated=7)


def entry(number, event=b"x", actor={"kind": "agent"}, user=None, device=None, detail=b"", seconds=0):
    return message(
        "audit-entry", number=number, seconds=seconds, event=event, user=user, device=device, detail=detail, actor=actor)


def run(program, agent, *arguments, input_text=""):
    command = [program, *arguments, "--socket", agent.path]
    environment = {**os.environ, "TZ": "UTC"}
    return subprocess.run(
        command, input=input_text, capture_output=True, text=True, errors="surrogateescape", timeout=30,
        env=environment)


def ask(boxagent, tmp_path, request, replies, *arguments, **options):
    script = [("expect", request)] + [("reply", reply) for reply in replies]
    with ScriptedAgent(tmp_path, script) as agent:
        return run(boxagent, agent, *arguments, **options)


def test_status_in_words_and_json(boxagent, tmp_path):
    words = ask(boxagent, tmp_path, STATUS, [STATUS_REPLY, done()], "status")
    assert (words.returncode, words.stderr) == (0, "")
    assert words.stdout.splitlines()[:3] == [
        "box               4711", "radio             loopback: advertising", "running for       1 h 1 min"]
    os.unlink(tmp_path / "control.sock")
    machine = ask(boxagent, tmp_path, STATUS, [STATUS_REPLY, done()], "status", "--json")
    assert json.loads(machine.stdout)["failures_unauthenticated"] == 7


def test_id_begins_with_the_four_digits(boxagent, tmp_path):
    result = ask(boxagent, tmp_path, message("identity"), [message("identity", box_id="4711", authority_key_id=b"\x01\xab", serial=3), done()], "id")
    assert result.stdout == "4711\nauthority key 01ab\ncertificate serial 3\n"


def test_devices_escapes_what_others_chose(boxagent, tmp_path):
    result = ask(boxagent, tmp_path, message("devices"), [*DEVICES, done()], "devices")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["DEVICE", "USER", "LABEL", "STATE", "ENROLLED", "LAST", "USED", "CREDENTIAL"]
    assert re.fullmatch(
        r"7K2M +anna +Anna's +active, here +2026-11-21 06:40:12 +never +on the box, 9 PIN tries left", lines[1])
    assert re.fullmatch(
        r"9XQP +b\\u\{1b\}\[2Jo +\\xff +revoked +1970-01-01 00:00:00 +2026-11-21 06:40:12 +on the phone", lines[2])
    assert "\x1b" not in result.stdout


def test_devices_as_json(boxagent, tmp_path):
    result = ask(boxagent, tmp_path, message("devices"), [*DEVICES, done()], "devices", "--json")
    devices = json.loads(result.stdout)
    assert devices[0] == {
        "id": "7K2M", "user": "anna", "label": "Anna's", "box_held": True, "web": False, "site": False, "uid": None,
        "other_uid": None, "state": "active",
        "enrolled": "2026-11-21T06:40:12Z", "last_used": None, "connected": True, "pin_attempts_left": 9,
        "credential_stale": False}
    assert devices[1]["user"] == "b\x1b[2Jo"


def test_a_phone_of_an_account_with_another_number_is_shown_as_refused_and_can_be_confirmed(boxagent, tmp_path):
    phone = device(b"7K2M", b"anna", b"", "phone-held", "active", 0, None, False, None, False, uid=1001, other_uid=1002)
    result = ask(boxagent, tmp_path, message("devices"), [phone, done()], "devices")
    assert "active, refused: uid 1001 is 1002 now" in result.stdout
    os.unlink(tmp_path / "control.sock")
    request = message("same-person", user=b"anna")
    result = ask(boxagent, tmp_path, request, [done("1 phone of anna accepted again")], "devices", "--same-person", "anna")
    assert (result.returncode, result.stdout) == (0, "1 phone of anna accepted again\n")


def test_no_devices_says_how_to_enrol(boxagent, tmp_path):
    result = ask(boxagent, tmp_path, message("devices"), [done()], "devices")
    assert (result.stdout, result.stderr) == ("", "no phones are enrolled; enrol one with: boxagent enrol USER\n")
    os.unlink(tmp_path / "control.sock")
    assert ask(boxagent, tmp_path, message("devices"), [done()], "devices", "--json").stdout == "[]\n"


def test_audit_passes_its_bounds_and_prints_each_entry(boxagent, tmp_path):
    entries = [
        entry(11, b"device-enrolled", {"kind": "person", "name": b"b\x1bb", "uid": 0}, b"anna", b"7K2M", b"x"),
        entry(12, b"start", None),
        entry(13, b"login", {"kind": "program", "name": b"sudo", "place": b"tty2"}, b"anna")]
    result = ask(boxagent, tmp_path, audit(10, 3), [*entries, done()], "audit", "--after", "10", "--limit", "3")
    assert result.stdout.splitlines() == [
        "NUMBER  TIME                 EVENT            USER  PHONE  BY                DETAILS",
        "11      1970-01-01 00:00:00  device-enrolled  anna  7K2M   b\\u{1b}b (uid 0)  x",
        "12      1970-01-01 00:00:00  start            -     -      -                 ",
        "13      1970-01-01 00:00:00  login            anna  -      sudo on tty2      "]
    os.unlink(tmp_path / "control.sock")
    result = ask(boxagent, tmp_path, audit(0, 1000), [*entries, done()], "audit", "--json")
    shown = json.loads(result.stdout)
    assert [entry["number"] for entry in shown] == [11, 12, 13]
    assert shown[0]["actor"] == {"kind": "person", "name": "b\x1bb", "place": None, "uid": 0}
    assert shown[1]["actor"] is None


def test_audit_asks_for_more_than_a_page_page_by_page(boxagent, tmp_path):
    def page(first, count):
        return [("reply", entry(first + index)) for index in range(count)]

    script = [
        ("expect", audit(5, 1000)), *page(6, 1000), ("reply", done()),
        ("expect", audit(1005, 200)), *page(1006, 3), ("reply", done())]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "audit", "--json", "--after", "5", "--limit", "1200")
    assert [entry["number"] for entry in json.loads(result.stdout)] == list(range(6, 1009))


SIGNERS = message("audit-signer", authority=b"\x01" * 32, box=b"\x02" * 32)


def segment(number, first, last, until):
    return message(
        "audit-segment", number=number, first_entry=first, last_entry=last, from_seconds=until - 100, to_seconds=until,
        previous=bytes(32), head=bytes([number]) * 32, signature=bytes(64))


def segments_request(sealing):
    return message("audit-segments", after=0, sealing=sealing)


def test_audit_prune_drops_what_it_said_and_no_more(boxagent, tmp_path):
    day = 1767225600  # 2026-01-01 00:00 UTC
    segments = [segment(4, 301, 400, day - 90), segment(5, 401, 500, day - 1), segment(6, 501, 600, day), segment(7, 601, 700, day - 5)]
    asked = ("expect", segments_request(False))
    listing = [("reply", one) for one in segments] + [("reply", SIGNERS), ("reply", done())]
    with ScriptedAgent(tmp_path, [asked, *listing]) as agent:
        result = run(boxagent, agent, "audit", "prune", "--before", "2026-01-01")
    assert result.returncode == 64 and result.stderr.endswith("nothing was changed\n  add --yes\n")
    said = (
        "entries 301 to 500 (2 segments), written from 2025-12-31 23:56:50 to 2025-12-31 23:59:59, will be deleted; the "
        "log will then begin with entry 501\n")
    assert (result.stdout, result.stderr.startswith(said)) == ("", True)
    os.unlink(tmp_path / "control.sock")
    drop = [("expect", message("prune-audit", through=5)), ("reply", done("200 entries dropped"))]
    with ScriptedAgent(tmp_path, [asked, *listing, *drop]) as agent:
        result = run(boxagent, agent, "audit", "prune", "--before", "2026-01-01", "--yes")
    assert (result.returncode, result.stdout, result.stderr) == (0, "200 entries dropped\n", said)


def test_audit_prune_with_nothing_to_drop_asks_for_nothing(boxagent, tmp_path):
    script = [("expect", segments_request(False)), ("reply", segment(1, 1, 9, 1767225600)), ("reply", SIGNERS), ("reply", done())]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "audit", "prune", "--before", "2026-01-01", "--yes")
    assert (result.returncode, result.stdout) == (0, "nothing to delete: no closed segment is entirely before 2026-01-01\n")


@pytest.mark.parametrize("date", ["2026-02-30", "2026-13-01", "yesterday", "2026-1-1", "26-01-01", "2026-01-01x", ""])
def test_audit_prune_takes_dates_only(boxagent, tmp_path, date):
    result = subprocess.run([boxagent, "audit", "prune", "--before", date, "--yes"], capture_output=True, text=True, timeout=30)
    assert result.returncode == 64 and "YYYY-MM-DD" in result.stderr


def test_audit_export_of_a_record_that_does_not_hold_together_leaves_no_file(boxagent, tmp_path):
    script = [
        ("expect", segments_request(True)), ("reply", segment(1, 1, 1, 500)), ("reply", SIGNERS), ("reply", done()),
        ("expect", audit(0, 1)), ("reply", entry(1, seconds=5)), ("reply", done())]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "audit", "export", str(tmp_path / "record.txt"))
    assert result.returncode == 1 and "is not intact: line 6" in result.stderr
    assert not (tmp_path / "record.txt").exists()


def test_audit_verify_fails_when_the_chain_is_broken(boxagent, tmp_path):
    good = ask(boxagent, tmp_path, message("verify-audit"), [done("1500 entries, all intact")], "audit", "--verify")
    assert (good.returncode, good.stdout) == (0, "1500 entries, all intact\n")
    os.unlink(tmp_path / "control.sock")
    broken = failure("declined", "entry 7 does not fit its predecessor", "keep the database and look at the journal")
    bad = ask(boxagent, tmp_path, message("verify-audit"), [broken], "audit", "--verify")
    assert (bad.returncode, bad.stdout) == (1, "")
    assert bad.stderr == (
        "boxagent: entry 7 does not fit its predecessor\n  keep the database and look at the journal\n")


def finding(level, name, text, cure):
    return message("finding", level=level, name=name, text=text, cure=cure)


def test_doctor_fails_on_faults_only(boxagent, tmp_path):
    findings = [finding("good", "radio", "advertising", ""), finding("warning", "clock", "not in step", "run timedatectl")]
    good = ask(boxagent, tmp_path, message("doctor"), [*findings, done()], "doctor")
    assert good.returncode == 0
    assert good.stdout == (
        "ok       radio: advertising\nwarning  clock: not in step\n         run timedatectl\n")
    os.unlink(tmp_path / "control.sock")
    fault = finding("fault", "state", "world-readable", "chmod 700 /var/lib/boxagent")
    bad = ask(boxagent, tmp_path, message("doctor"), [fault, done()], "doctor", "--json")
    assert bad.returncode == 1
    assert json.loads(bad.stdout)[0]["level"] == "fault"


ANNA = DEVICES[0]
BOB = device(b"7K3N", b"bob", b"Bob's", "box-held", "active", 1795243212, 1795243212, False, None, False)
BOB_TOO = device(b"8ABC", b"bob", b"spare", "box-held", "active", 1795243212, None, False, 3, False)
ENROLLED_PHONES = [ANNA, BOB, BOB_TOO, DEVICES[1]]


def session(state, device=None, outcome=None):
    return message(
        "session", id=b"c2", user=b"anna", place=b"seat0 tty2", session_type="tty", state=state, can_lock=True,
        device=device, outcome=outcome, reason="")


OPEN_SESSION = session("active", device=b"7K2M")
LISTED = [("expect", message("devices"))] + [("reply", device) for device in ENROLLED_PHONES] + [("reply", done())]
SESSIONS = [("expect", message("sessions")), ("reply", OPEN_SESSION), ("reply", done())]


NO_DAMAGE = [("expect", message("doctor")), ("reply", finding("good", "vault", "whole", "")), ("reply", done())]


def script_of(command, request_message=None):
    """Returns the script of a destructive command: the requests before its own one, and its own one if given."""
    script = LISTED + (SESSIONS if command == "revoke" else NO_DAMAGE if command == "wipe --all" else [])
    return script + ([("expect", request_message), ("reply", done("done for anna"))] if request_message else [])


@pytest.mark.parametrize("arguments, request_message, shown", [
    (["revoke", "7K2M", "--yes"], message("revoke", device=b"7K2M"), ["7K2M"]),
    (["revoke", "7k2", "-y"], message("revoke", device=b"7K2M"), ["7K2M"]),
    (["revoke", "Anna's", "-y"], message("revoke", device=b"7K2M"), ["7K2M"]),
    (["revoke", "anna", "-y"], message("revoke", device=b"7K2M"), ["7K2M"]),
    (["revoke", "--user", "bob", "--yes"], message("revoke-user", user=b"bob"), ["7K3N", "8ABC"]),
    (["wipe", "spare", "-y"], message("wipe", which="device", device=b"8ABC"), ["8ABC"]),
    (["wipe", "--user", "bob", "-y"], message("wipe", which="user", user=b"bob"), ["8ABC"]),
    (["wipe", "--all", "-y"], message("wipe", which="all"), ["7K2M", "8ABC"]),
])
def test_a_phone_is_found_by_each_of_its_names_shown_in_full_and_asked_for_by_its_id(
        boxagent, tmp_path, arguments, request_message, shown):
    with ScriptedAgent(tmp_path, script_of("wipe --all" if "--all" in arguments else arguments[0], request_message)) as agent:
        result = run(boxagent, agent, *arguments)
    assert (result.returncode, result.stdout) == (0, "done for anna\n")
    table = [line.split() for line in result.stderr.splitlines() if line.startswith("  ")]
    assert table[0] == ["DEVICE", "USER", "LABEL", "STATE", "ENROLLED", "LAST", "USED"]
    assert [row[0] for row in table[1:]] == shown
    assert all("2026-11-21" in row for row in table[1:])


@pytest.mark.parametrize("arguments, requests", [
    (["revoke", "--user", "B\u00d6B", "-y"], [message("revoke-user", user=b"bob")]),
    (["wipe", "--user", "B\u00d6B", "-y"], [message("wipe", which="user", user=b"bob")])])
def test_a_user_is_asked_for_by_the_name_that_the_box_has_and_that_is_said_first(boxagent, tmp_path, arguments, requests):
    spelling = "B\u00d6B".encode()
    with ScriptedAgent(tmp_path, script_of(arguments[0], requests[0]), accounts={spelling: b"bob"}) as agent:
        result = run(boxagent, agent, *arguments)
    assert (result.returncode, result.stdout) == (0, "done for anna\n")
    assert result.stderr.startswith("B\u00d6B is bob on this box\n")
    assert agent.accounts_asked == [spelling]


def test_a_phone_is_looked_for_by_its_users_other_spelling_where_nothing_else_has_that_name(boxagent, tmp_path):
    script = LISTED + LISTED + SESSIONS + [
        ("expect", message("revoke", device=b"7K2M")), ("reply", done("done for anna"))]
    with ScriptedAgent(tmp_path, script, accounts={b"anna@corp.example": b"anna"}) as agent:
        result = run(boxagent, agent, "revoke", "anna@corp.example", "-y")
    assert (result.returncode, result.stdout) == (0, "done for anna\n")


def test_revoke_says_that_sessions_stay_open(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, script_of("revoke", message("revoke", device=b"7K2M"))) as agent:
        result = run(boxagent, agent, "revoke", "7K2M", "-y")
    assert "1 session that it opened stays open" in result.stderr


@pytest.mark.parametrize("arguments", [["wipe", "--all"], ["wipe", "7K2M"], ["revoke", "7K2M"], ["revoke", "--user", "anna"]])
def test_without_a_terminal_and_yes_nothing_is_asked_of_the_agent(boxagent, tmp_path, arguments):
    with ScriptedAgent(tmp_path, script_of("wipe --all" if "--all" in arguments else arguments[0])) as agent:
        result = run(boxagent, agent, *arguments, input_text="y\n")
    assert (result.returncode, result.stdout) == (64, "")
    assert "7K2M" in result.stderr
    assert result.stderr.endswith(
        "cannot ask for confirmation: standard input is not a terminal; nothing was changed\n  add --yes\n")


@pytest.mark.parametrize("arguments, status, said", [
    (["revoke", "carol", "-y"], 1, 'no enrolled phone has the id, label or user "carol"; nothing was changed'),
    (["revoke", "--user", "carol", "-y"], 1, "carol has no enrolled phone; nothing was changed"),
    (["revoke", "9XQP", "-y"], 1, "is already revoked; nothing was changed"),
    (["wipe", "Bob's", "-y"], 1, "this box keeps no credential of device 7K3N (bob); nothing was changed"),
    (["revoke", "7", "-y"], 65, '"7" matches 2 phones; nothing was changed'),
    (["wipe", "bob", "-y"], 65, '"bob" matches 2 phones; nothing was changed'),
])
def test_a_name_that_means_no_phone_or_several_does_nothing(boxagent, tmp_path, arguments, status, said):
    # If nothing has the name, the command asks a second time, because the agent may have renamed a user.
    with ScriptedAgent(tmp_path, LISTED * (2 if arguments[:2] == ["revoke", "carol"] else 1)) as agent:
        result = run(boxagent, agent, *arguments)
    assert (result.returncode, result.stdout) == (status, "")
    assert said in result.stderr
    if status == 65:
        # Three lines of the table, and the cure below the message.
        assert len([line for line in result.stderr.splitlines() if line.startswith("  ")]) == 3 + 1


@pytest.mark.parametrize("arguments, question", [
    (["revoke", "anna"], "Revoke this phone? [y/N] "), (["revoke", "--user", "bob"], "Revoke these 2 phones? [y/N] "),
    (["wipe", "--all"], "Destroy these 2 credentials? [y/N] "), (["logout", "--all"], "End this session? [y/N] ")])
def test_on_a_terminal_a_no_changes_nothing(boxagent, tmp_path, arguments, question):
    script = SESSIONS if arguments[0] == "logout" else script_of("wipe --all" if "--all" in arguments else arguments[0])
    with ScriptedAgent(tmp_path, script) as agent:
        child = pexpect.spawn(boxagent, [*arguments, "--socket", agent.path], timeout=20, dimensions=(24, 200))
        child.expect_exact(question)
        child.sendline("")
        child.expect_exact("nothing was changed")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 1


def test_on_a_terminal_a_yes_revokes(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, script_of("revoke", message("revoke", device=b"7K2M"))) as agent:
        child = pexpect.spawn(boxagent, ["revoke", "anna", "--socket", agent.path], timeout=20, dimensions=(24, 200))
        child.expect_exact("Revoke this phone? [y/N] ")
        child.sendline("y")
        child.expect_exact("done for anna")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 0


@pytest.mark.parametrize("arguments, request_message, said", [
    (["lock"], message("session", action="lock", which="own"), "session c2 of anna on seat0 tty2: locked\n"),
    (["unlock", "--session", "c2"], message("session", action="unlock", which="session", session=b"c2"), "session c2 of anna on seat0 tty2: unlocked\n"),
    (["logout", "--user", "anna"], message("session", action="logout", which="user", user=b"anna"), "session c2 of anna on seat0 tty2: ended\n"),
])
def test_session_commands_say_what_became_of_each_session(boxagent, tmp_path, arguments, request_message, said):
    state = {"lock": "locked", "unlock": "active", "logout": "closing"}[arguments[0]]
    result = ask(boxagent, tmp_path, request_message, [session(state, outcome="done"), done()], *arguments)
    assert (result.returncode, result.stdout, result.stderr) == (0, said, "")


def test_logging_everybody_out_names_the_sessions_and_needs_a_yes(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, SESSIONS) as agent:
        result = run(boxagent, agent, "logout", "--all")
    assert result.returncode == 64 and "nothing was changed\n  add --yes" in result.stderr
    assert "1 session will end, and unsaved work will be lost:" in result.stderr and "seat0 tty2" in result.stderr
    os.unlink(tmp_path / "control.sock")
    ended = session("closing", outcome="done")
    script = SESSIONS + [("expect", message("session", action="logout", which="all")), ("reply", ended), ("reply", done())]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "logout", "--all", "--yes")
    assert (result.returncode, result.stdout) == (0, "session c2 of anna on seat0 tty2: ended\n")


def test_logging_everybody_out_where_nobody_is_says_so(boxagent, tmp_path):
    result = ask(boxagent, tmp_path, message("sessions"), [done()], "logout", "--all", "--yes")
    assert (result.returncode, result.stderr) == (1, "boxagent: no sessions are open; nothing was changed\n")


DOUBT = "more sessions may be open than the agent knows: systemd-logind is not running"


def test_sessions_that_cannot_be_read_are_not_called_closed(boxagent, tmp_path):
    for words, out in ([], ""), (["--json"], "[]\n"):
        result = ask(boxagent, tmp_path, message("sessions"), [done(DOUBT)], "sessions", *words)
        assert (result.returncode, result.stdout) == (70, out)
        assert result.stderr == "boxagent: %s\n  run: boxagent doctor\n" % DOUBT
        os.unlink(tmp_path / "control.sock")
    result = ask(boxagent, tmp_path, message("sessions"), [done(DOUBT)], "logout", "--all", "--yes")
    assert result.returncode == 70 and result.stderr.startswith("boxagent: nothing was changed; " + DOUBT)


@pytest.mark.parametrize("kind, status", [
    ("not-permitted", 77), ("not-found", 1), ("invalid", 65), ("busy", 75), ("timed-out", 75), ("fault", 70), ("declined", 1)])
def test_exit_status_of_each_refusal(boxagent, tmp_path, kind, status):
    result = ask(boxagent, tmp_path, message("doctor"), [failure(kind, "no", "do this")], "doctor")
    assert (result.returncode, result.stdout, result.stderr) == (status, "", "boxagent: no\n  do this\n")


def test_test_login_shows_each_stage(boxagent, tmp_path):
    result = ask(
        boxagent, tmp_path, message("test-login", user=b"anna", wait_seconds=60),
        [message("test-stage", text="waiting for a tap"), message("test-stage", text="a phone"), done("ok")],
        "test-login", "anna", "--wait", "60")
    assert result.stdout == "waiting for a tap\na phone\nok\n"


def enrol(label="", credential="phone-held", confirmed=True, web=False, forced=False):
    return message(
        "enrol", user=b"anna", label=label, credential=credential, confirmed=confirmed, web=web, forced=forced)


def code(uri):
    return message("enrolment-code", uri=uri, valid_seconds=600)


def confirm(accept):
    return message("confirm-enrolment", digits="123456", accept=accept)


ENROL = enrol("Anna's", "box-held", False)
CONTACT = message("enrolment-contact")
ENROLLED = message("enrolled", device=b"7K2M", user=b"anna")
ENROL_REPLIES = [code(URI), CONTACT, message("enrolment-digits", digits="123456", label=b"Anna's")]


def enrol_script(accept, end):
    return (
        [("expect", ENROL)] + [("reply", reply) for reply in ENROL_REPLIES] + [("expect", confirm(accept))]
        + [("reply", reply) for reply in end])


def test_enrol_into_a_pipe_prints_the_uri_and_the_id_only(boxagent, tmp_path):
    script = enrol_script(True, [ENROLLED, done()])
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "enrol", "anna", "--label", "Anna's", "--box-held", input_text="yes\n")
    assert (result.returncode, result.stdout) == (0, URI.decode() + "\n7K2M\n")
    assert 'Compare with the phone: 123 456. Does "Anna\'s" show exactly these digits? [y/N] ' in result.stderr
    assert URI.decode() not in result.stderr


def test_enrol_with_yes_asks_nothing(boxagent, tmp_path):
    request = enrol()
    replies = [*ENROL_REPLIES, ENROLLED, done()]
    result = ask(boxagent, tmp_path, request, replies, "enrol", "anna", "--yes")
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "7K2M")


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_enrol_is_declined_unless_the_answer_is_yes(boxagent, tmp_path, answer):
    script = enrol_script(False, [failure("declined", "declined", "enrol again")])
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "enrol", "anna", "--label", "Anna's", "--box-held", input_text=answer)
    assert result.returncode == 1
    assert "boxagent: declined\n  enrol again" in result.stderr


def on_terminal(boxagent, agent, *more, lines=60, columns=120, **variables):
    return pexpect.spawn(
        boxagent, ["enrol", "anna", "--label", "Anna's", "--box-held", *more, "--socket", agent.path], timeout=20,
        dimensions=(lines, columns), env={**os.environ, "TERM": "xterm", **variables})


def test_enrol_on_a_terminal_draws_the_code_and_asks(boxagent, tmp_path):
    script = enrol_script(True, [ENROLLED, done()])
    with ScriptedAgent(tmp_path, script) as agent:
        child = on_terminal(boxagent, agent)
        child.expect_exact("show exactly these digits? [y/N] ")
        shown = child.before.decode()
        drawing = [line for line in shown.split("\r\n") if line.startswith("\x1b[30;107m")]
        # QR version 6 is the smallest that holds 12 bytes and 150 alphanumeric characters at level L. It has 41 modules, and a
        # margin of four on each side.
        assert len(drawing) == (41 + 8 + 1) // 2
        assert {len(line) for line in drawing} == {41 + 8 + len("\x1b[30;107m") + len("\x1b[0m")}
        assert URI.decode() in shown and "\x1b[1m123 456\x1b[0m" in shown
        child.sendline("y")
        child.expect_exact("Enrolled. Device 7K2M can log anna in.")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 0


def test_the_question_ends_when_the_phone_goes_and_a_late_yes_answers_nothing(boxagent, tmp_path):
    lost = [message("enrolment-lost"), failure("declined", "the phone went away", "enrol again")]
    script = [("expect", ENROL)] + [("reply", reply) for reply in [*ENROL_REPLIES, *lost]]
    with ScriptedAgent(tmp_path, script) as agent:
        child = on_terminal(boxagent, agent)
        child.expect_exact("show exactly these digits? [y/N] ")
        child.expect_exact("the phone has disconnected")
        child.expect_exact("the phone went away")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 1


def test_a_yes_that_was_typed_before_the_question_does_not_answer_it(boxagent, tmp_path):
    script = [("expect", ENROL), ("reply", ENROL_REPLIES[0]), ("wait",)] + [
        ("reply", reply) for reply in ENROL_REPLIES[1:]] + [
        ("expect", confirm(False)), ("reply", failure("declined", "declined", ""))]
    with ScriptedAgent(tmp_path, script) as agent:
        child = on_terminal(boxagent, agent)
        child.expect("the code works once")
        child.sendline("y")
        child.expect("y\r\n")
        agent.go_on.set()
        child.expect_exact("show exactly these digits? [y/N] ")
        child.sendline("n")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 1


def test_enrol_without_colours_or_room(boxagent, tmp_path):
    script = enrol_script(False, [failure("declined", "declined", "")])
    with ScriptedAgent(tmp_path, script) as agent:
        child = on_terminal(boxagent, agent, NO_COLOR="1")
        child.expect_exact("[y/N] ")
        shown = child.before.decode()
        assert "\x1b[30" not in shown and "█" * 49 in shown
        child.sendline("")
        child.expect(pexpect.EOF)
        child.close()
    os.unlink(tmp_path / "control.sock")
    with ScriptedAgent(tmp_path, script) as agent:
        child = on_terminal(boxagent, agent, columns=48)
        child.expect_exact("[y/N] ")
        shown = child.before.decode()
        said = " ".join(shown.split())
        assert "needs a window of 49 columns and 28 lines; this one has 48 and 60." in said and "█" not in shown
        assert "make the window at least 49 columns wide, then" in said
        child.sendline("")
        child.expect(pexpect.EOF)
        child.close()


@pytest.mark.parametrize("arguments, variables, said", [
    ([], {"TERM": "xterm"}, "needs a window of 49 columns and 28 lines; this one has 80 and 24.\r\n  To scan a code, make the window at least 28 lines high, then"),
    ([], {"TERM": "linux"}, "choose a smaller font"), (["--no-qr"], {}, None)])
def test_a_window_of_80_by_24_is_told_what_to_do_and_given_the_line(boxagent, tmp_path, arguments, variables, said):
    with ScriptedAgent(tmp_path, enrol_script(False, [failure("declined", "declined", "")])) as agent:
        child = on_terminal(boxagent, agent, *arguments, lines=24, columns=80, **variables)
        child.expect_exact("[y/N] ")
        shown = child.before.decode()
        assert URI.decode() in shown and "▀" not in shown and "█" not in shown
        assert said in shown if said else "window" not in shown
        child.sendline("")
        child.expect(pexpect.EOF)
        child.close()


def test_waiting_for_the_phone_is_visible_and_can_be_interrupted(boxagent, tmp_path):
    script = [("expect", ENROL), ("reply", ENROL_REPLIES[0])]
    with ScriptedAgent(tmp_path, script) as agent:
        child = on_terminal(boxagent, agent)
        child.expect(r"waiting for the phone \(9 min 5\d s left\)")
        child.sendintr()
        child.expect(pexpect.EOF)
        child.close()
    assert child.signalstatus == 2


def test_an_enrolment_code_is_not_left_in_memory_or_core(boxagent, tmp_path):
    secret = b"PLANTED-CODE-" + os.urandom(8).hex().encode()
    script = [("expect", enrol()), ("reply", code(b"boxlink:1?" + secret)), ("reply", CONTACT)]
    with ScriptedAgent(tmp_path, script) as agent:
        with subprocess.Popen(
                [boxagent, "enrol", "anna", "--yes", "--socket", agent.path], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE) as process:
            assert secret in process.stdout.readline()
            assert b"the code works once" in process.stderr.readline()
            assert b"connected" in process.stderr.readline()
            memory = writable_memory(process.pid)
            with open("/proc/%d/limits" % process.pid, encoding="ascii") as file:
                limits = file.read()
            process.terminate()
    assert len(memory) > 100_000
    assert secret not in memory
    assert re.search(r"Max core file size +0 +0 ", limits)


def writable_memory(pid):
    """Returns the writable memory of a process."""
    found = bytearray()
    with open("/proc/%d/maps" % pid, encoding="ascii") as maps, open("/proc/%d/mem" % pid, "rb", 0) as memory:
        for line in maps:
            span, access = line.split()[:2]
            if "w" in access and "[v" not in line:
                begin, end = (int(number, 16) for number in span.split("-"))
                memory.seek(begin)
                found += memory.read(end - begin)
    return bytes(found)


def test_no_agent_is_exit_69_with_what_to_do(boxagent, tmp_path):
    result = subprocess.run(
        [boxagent, "status", "--socket", str(tmp_path / "none")], capture_output=True, text=True, timeout=30)
    assert result.returncode == 69
    assert "start it with: systemctl start boxagentd" in result.stderr


def test_garbage_silence_and_hanging_up_end_with_their_own_status(boxagent, tmp_path):
    def status(*steps):
        with ScriptedAgent(tmp_path, [("expect", STATUS), *steps]) as agent:
            result = run(boxagent, agent, "status")
        os.unlink(agent.path)
        return result.returncode

    assert status(("raw", b"\xff\xff")) == 76
    assert status(("raw", b"\x82\x01\x40")) == 76  # "done" in version 1
    assert status(("reply", message("finished"))) == 76
    assert status(("reply", {**STATUS_REPLY, "version": 3})) == 76
    assert status(("reply", {**STATUS_REPLY, "more": 0})) == 76
    assert status(("reply", {key: value for key, value in STATUS_REPLY.items() if key != "radio"})) == 76
    assert status(("raw", b"x" * 9000)) == 76
    assert status(("reply", done())) == 76  # done without a status
    assert status(("close",)) == 69
    assert status(("silence",)) == 75


def test_another_version_is_named_and_what_to_do_about_it(boxagent, tmp_path):
    result = ask(boxagent, tmp_path, STATUS, [{**STATUS_REPLY, "version": 3}], "status")
    assert result.returncode == 76
    assert "it has version 3 of the protocol, this program has version 2" in result.stderr
    assert "install the same version of boxagentd and boxagent, then restart boxagentd" in result.stderr


def test_a_socket_of_another_user_is_sent_nothing(boxagent, tmp_path):
    if os.getuid() != 0:
        pytest.skip("only root can make a socket that belongs to somebody else")
    # The listener runs as another user, so the command must send it nothing.
    os.chmod(tmp_path, 0o755)
    for parent in tmp_path.parents:
        if parent != parent.parent:
            os.chmod(parent, os.stat(parent).st_mode | 0o011)
    listener = subprocess.Popen(
        ["/usr/bin/python3", "-c", LISTENER, str(tmp_path / "open")], user=1234, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    try:
        os.chmod(tmp_path, 0o777)
        listener.stdin.write(b"\n")
        listener.stdin.flush()
        assert listener.stdout.readline() == b"ready\n"
        result = subprocess.run(
            [boxagent, "status", "--socket", str(tmp_path / "open")], capture_output=True, text=True, timeout=30)
        assert result.returncode == 77
        assert "belongs to user 1234, not to boxagentd" in result.stderr
        assert listener.stdout.readline() == b"b''\n"
    finally:
        listener.kill()
        listener.wait()


LISTENER = """
import socket, sys
sys.stdin.readline()
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(sys.argv[1]); s.listen(1); print("ready", flush=True)
c, _ = s.accept(); print(c.recv(100), flush=True)
"""
