"""The audit log: what phones can write into it, and how the administrator shows, exports, verifies and prunes it."""

import json
import os
import pwd
import signal

import pytest

from box import Failed
from test_independent_phone import code_of, enrolled  # this import puts the parent folder on the path
from independent_phone import LOCK, LOGIN, LOGIN_WITH_PIN, SET_AUTO_LOGOUT, STORE_CREDENTIAL, UNLOCK
from test_sessions import Login, commands, ready  # noqa: F401  (fixtures)

SECRET = bytes(range(32))


def events(box):
    return [entry["event"] for entry in box.json("audit", "--limit", "10000")]


def files(box):
    """Returns the bytes of the database and its log."""
    return {path.name: path.read_bytes() for path in box.state.iterdir() if "sqlite3" in path.name}


def test_after_a_wipe_wrong_pins_write_nothing(box):
    phone = enrolled(box, "alice", "--box-held")
    conversation = phone.open()
    assert code_of(conversation.ask(STORE_CREDENTIAL, "4711", SECRET, b"correct horse")) == "correct"
    codes = [code_of(conversation.ask(LOGIN_WITH_PIN, "0000", SECRET)) for _ in range(10)]
    assert codes == ["pin-wrong"] * 9 + ["wiped"]
    before = files(box)
    for _ in range(300):
        assert code_of(conversation.ask(LOGIN_WITH_PIN, "0000", SECRET)) in ("wiped", "no-credential")
    assert files(box) == before
    assert events(box).count("credential-wiped") == 1
    wiped, = [entry for entry in box.json("audit") if entry["event"] == "credential-wiped"]
    assert wiped["user"] == "alice" and wiped["detail"] == "10 wrong PINs"
    assert wiped["actor"] == {"kind": "phone", "name": wiped["device"], "place": None, "uid": None}


def open_session(box, phone):
    """Opens a session of alice with the independent phone. Returns (login, conversation)."""
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    conversation = phone.open()
    assert code_of(conversation.ask(LOGIN, b"correct horse")) == "correct"
    login.program.wait_for("session is open")
    box.wait_until(lambda: box.json("status")["sessions_owned"] == 1)
    return login, conversation


def test_to_lock_what_is_locked_is_no_entry(ready):  # noqa: F811
    phone = enrolled(ready, "alice")
    login, conversation = open_session(ready, phone)
    for kind in [LOCK] * 5 + [UNLOCK] * 5 + [LOCK]:
        assert code_of(conversation.ask(kind)) == "correct"
    details = [entry["detail"] for entry in ready.json("audit") if entry["event"] == "session-operation"]
    assert details == ["lock", "unlock", "lock"]
    # The lock command still runs each time, because locking twice is harmless.
    assert len(ready.called()) == 11
    login.close()


def test_a_phone_that_makes_entries_without_end_is_counted_and_takes_nothing_from_others(ready):  # noqa: F811
    ready.pam_service(users={"alice": b"correct horse", "bob": b"bob's own"})
    phone = enrolled(ready, "alice")
    login, conversation = open_session(ready, phone)
    refused = 0
    for number in range(100):
        refused += code_of(conversation.ask(SET_AUTO_LOGOUT, 60 + number)) == "busy"
    assert 15 <= refused <= 30
    for _ in range(5):
        for kind in (LOCK, UNLOCK):
            assert code_of(conversation.ask(kind)) == "correct"
    assert events(ready).count("budget-exceeded") == 1
    assert "session-operation" not in events(ready)
    # The logins of other phones still get entries: bob's phone, and alice's second one.
    bob = ready.phone("b").enrol("bob", b"bob's own")
    for user, other in (("bob", bob), ("alice", ready.alice)):
        program = ready.pam(user)
        ready.wait_until(ready.programs_waiting)
        other.command("login").ok()
        program.ok()
    assert events(ready).count("login-correct") == 3
    login.close()
    ready.agent.stop()
    ready.start()
    counted, = [entry for entry in ready.json("audit") if entry["event"] == "events-counted"]
    said = int(counted["detail"].split()[0])
    # Counts the refusals, five locks, five unlocks, and possibly the end of the session.
    assert refused + 10 <= said <= refused + 14, counted
    ready.command("audit", "--verify").ok()


def test_every_entry_names_who_did_it(ready):  # noqa: F811
    phone = enrolled(ready, "alice")
    login, conversation = open_session(ready, phone)
    ready.command("lock", "--all").ok()
    conversation.ask(UNLOCK)
    device = next(one["id"] for one in ready.json("devices") if one["label"] == "independent")
    ready.command("revoke", device, "--yes").ok()
    login.close()
    actors = {}
    for entry in ready.json("audit"):
        actors.setdefault(entry["event"], []).append(entry["actor"])
    me = actors["device-enrolled"][-1]
    assert me["kind"] == "person" and me["uid"] == os.getuid()
    assert me["name"] in {one.pw_name for one in pwd.getpwall()}
    assert actors["login-correct"] == actors["session-opened"] == [
        {"kind": "program", "name": "demo", "place": "tty7", "uid": None}]
    assert [actor["kind"] for actor in actors["session-operation"]] == ["person", "phone"]
    assert actors["device-revoked"] == [me]


def filled(box, count):
    """Writes entries into the log by enrolling `count` phones."""
    for number in range(count):
        box.phone("p%d" % number).enrol("alice")
    return box


def test_an_export_is_whole_without_the_box_and_only_with_the_right_authority(box):
    filled(box, 3)
    path = box.directory / "record.txt"
    assert "entries 1 to 3" in box.command("audit", "export", str(path)).ok()
    # The export never overwrites an existing file.
    assert box.command("audit", "export", str(path)).wait() == 64
    identity = box.json("id")["authority_key_id"]
    assert "signed by authority " + identity in box.command("audit", "--verify", "--file", str(path)).ok()
    box.agent.stop()
    nobody = box.command("audit", "--verify", "--file", str(path))
    assert nobody.wait() == 69 and "--authority" in nobody.err
    box.command("audit", "--verify", "--file", str(path), "--authority", identity).ok()
    other = box.command("audit", "--verify", "--file", str(path), "--authority", "0" * 16)
    assert other.wait() == 1 and "signed the file, not 0000000000000000" in other.err
    text = path.read_text()
    for changed in (text.replace("user=alice", "user=mallory", 1), text[:text.index("end ")], text.replace("entry 2", "entry 3")):
        path.write_text(changed)
        bad = box.command("audit", "--verify", "--file", str(path), "--authority", identity)
        assert bad.wait() == 1 and "is not intact" in bad.err


def test_a_prune_says_what_goes_asks_and_leaves_a_log_that_can_be_checked(box):
    filled(box, 3)
    box.command("audit", "export", str(box.directory / "first.txt")).ok()
    assert "nothing to delete" in box.command("audit", "prune", "--before", "2001-01-01", "--yes").ok()
    asked = box.command("audit", "prune", "--before", "2099-01-01")
    assert asked.wait() == 64 and "entries 1 to 3 (1 segment)" in asked.err and "add --yes" in asked.err
    assert len(events(box)) == 3
    assert "3 entries dropped" in box.command("audit", "prune", "--before", "2099-01-01", "--yes").ok()
    assert events(box) == ["audit-pruned"]
    pruned, = box.json("audit")
    assert pruned["number"] == 4 and pruned["actor"]["uid"] == os.getuid()
    assert "from number 4 on" in box.command("audit", "--verify").ok()
    # The exported entries and the remaining ones form one chain.
    head = (box.directory / "first.txt").read_text().split("\nhead ")[1].split()[0]
    assert head in pruned["detail"]
    box.phone("later").enrol("alice")
    box.agent.stop()
    box.start()
    box.command("audit", "--verify").ok()
    box.command("audit", "export", str(box.directory / "second.txt")).ok()
    assert f" after {head}\n" in (box.directory / "second.txt").read_text()


def test_a_record_is_followed_across_a_restart_until_ctrl_c(box):
    box.phone("early").enrol("alice")
    follower = box.command("audit", "--follow", "--json", "--user", "alice", name="follower")
    lines = lambda: [json.loads(line) for line in follower.out.splitlines()]  # noqa: E731

    def enrolled_again(name):
        # The follower shows only entries after the end of the log. Whether it got there is not visible, so this adds entries.
        box.phone(name).enrol("alice")
        return lines()

    number = iter(range(100))
    box.wait_until(lambda: enrolled_again("first%d" % next(number)))
    box.phone("bobs").enrol("bob")
    box.agent.stop()
    follower.wait_for("waiting for the agent")
    box.start()
    follower.wait_for("answers again")
    device = box.json("devices")[0]["id"]
    box.command("revoke", device, "--yes").ok()
    box.wait_until(lambda: lines()[-1]["event"] == "device-revoked")
    follower.process.send_signal(signal.SIGINT)
    assert follower.wait() == 0
    shown = lines()
    assert {one["user"] for one in shown} == {"alice"} and shown[0]["number"] > 1
    numbers = [one["number"] for one in shown]
    assert numbers == sorted(set(numbers))
    # Filters by device and by event, among existing entries.
    by_device = box.json("audit", "--device", device.upper(), "--since", "1h")
    assert [one["event"] for one in by_device] == ["device-enrolled", "device-revoked"]
    assert [one["event"] for one in box.json("audit", "--kind", "device-revoked")] == ["device-revoked"]
    assert box.json("audit", "--until", "1h") == []


def test_a_damaged_database_is_told_by_doctor_and_goes_with_a_wipe_of_all(make_box):
    box = make_box()
    box.phone("a").enrol("alice", b"x1")
    box.agent.stop()
    database = box.state / "vault.sqlite3"
    database.write_bytes(b"this is no database" + database.read_bytes()[19:])
    with pytest.raises(Failed):
        box.start()
    box.agent.stop()
    box.start()
    kept = [path for path in box.state.iterdir() if ".damaged-" in path.name]
    assert kept
    doctor = box.command("doctor")
    doctor.wait()
    assert "a damaged database is kept" in doctor.out and "wipe --all" in doctor.out
    assert "damaged databases" in box.command("wipe", "--all", "--yes").ok()
    assert not [path for path in box.state.iterdir() if ".damaged-" in path.name]
    doctor = box.command("doctor")
    doctor.wait()
    assert "a damaged database" not in doctor.out
