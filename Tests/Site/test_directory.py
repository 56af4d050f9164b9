"""A user in the directory may have a phone of the site, and a user who has left may not."""
import json
import re

import pytest

from administrators import Asker
from directory import ACCOUNT, PROBE, Directory
from independent_phone import KeyPair
from independent_site import phone_text
from linked_box import LinkedBox

# The seconds of two rounds in a row, and of the rest of the round before.
ROUNDS = 3 * 5


@pytest.fixture
def directory_of(directory, site):
    """Provides a function that starts a directory, connected to the running server of the site."""
    made = []

    def make(*users, lines=(), groups=None, refused=()):
        found = Directory(directory, site.server, *lines)
        made.append(found)
        found.groups, found.refused = groups or {}, set(refused)
        found.change(come=users)
        site.server.stop()
        site.write_configs()
        site.server.start()
        return found.start()

    yield make
    for each in made:
        each.stop()


def add(site, user, *words, key=None):
    key = key or KeyPair.new()
    site.server.ok("phone", "add", user, phone_text(key.public), *words)
    return key


def states(site):
    return {phone["user"]: phone["state"] for phone in json.loads(site.server.ok("phone", "list", "--json"))}


def phone_id(site, user):
    phone, = json.loads(site.server.ok("phone", "list", "--json", "--user", user))
    return phone["id"]


def audit(site, event):
    return json.loads(site.server.ok("audit", "list", "--json", "--action", event))


def alarms(site):
    return site.server.status()["alarms"]


def rounds(site, count):
    """Waits until `count` more rounds have ended."""
    number = lambda: int(re.match(r"round (\d+):", site.server.status()["directory"])[1])  # noqa: E731
    last = number() + count
    site.server.wait_until(lambda: number() >= last, timeout=2 * ROUNDS)


def test_who_leaves_the_directory_is_revoked_and_may_come_back_with_another_key(site, directory_of):
    people = directory_of("anna", "bert")
    box = LinkedBox(site.box("one"))
    box.take_until(lambda: box.head)
    old = add(site, "anna")
    add(site, "bert")
    people.change(go=["anna"])
    site.server.wait_until(lambda: states(site) == {"anna": "revoked", "bert": "active"}, timeout=2 * ROUNDS)
    box.take_until(lambda: box.entries)
    entry, = audit(site, "user revoke")
    assert (entry["actor"], entry["subject_name"]) == ("directory", "anna") and "no longer has this user" in entry["detail"]
    again = site.server.command("phone", "add", "anna", phone_text(KeyPair.new().public))
    assert again.returncode == 65 and "the directory has no user anna" in again.stderr
    people.change(come=["anna"])
    refused = site.server.command("phone", "add", "anna", phone_text(old.public))
    assert refused.returncode == 65 and "revoked" in refused.stderr
    add(site, "anna")
    rounds(site, 2)
    assert len(audit(site, "user revoke")) == 1
    assert sorted(phone["state"] for phone in json.loads(site.server.ok("phone", "list", "--json", "--user", "anna"))) == [
        "active", "revoked"]


def test_who_may_not_log_in_any_more_is_revoked_and_gets_no_phone(site, directory_of):
    people = directory_of("anna", "bert")
    add(site, "anna")
    people.refused = {"anna", "bert"}
    people.write()
    site.server.wait_until(lambda: states(site)["anna"] == "revoked", timeout=2 * ROUNDS)
    assert "does not allow this user: Permission denied" in audit(site, "user revoke")[0]["detail"]
    for words in (("phone", "add", "bert", phone_text(KeyPair.new().public)), ("phone", "enrol", "bert")):
        done = site.server.command(*words)
        assert done.returncode == 65 and "does not allow bert" in done.stderr, done.stderr


def test_nobody_is_revoked_while_the_directory_answers_that_everybody_is_gone(site, directory_of):
    people = directory_of("anna")
    add(site, "anna")
    people.change(go=["anna", PROBE])
    alarm, = site.server.wait_until(lambda: alarms(site), timeout=2 * ROUNDS)
    assert "no user probe, although the setting probe says that this user always exists" in alarm
    # Waits twice as long as a revocation would take.
    said = "the directory's answers are not used"
    site.server.wait_until(lambda: site.server.running.err.count(said) >= 5, timeout=4 * ROUNDS)
    assert states(site) == {"anna": "active"} and not audit(site, "user revoke")
    assert site.server.command("status").returncode == 2
    people.change(come=[PROBE])
    site.server.wait_until(lambda: states(site) == {"anna": "revoked"}, timeout=2 * ROUNDS)


def test_a_directory_that_hangs_is_told_of_and_revokes_nobody(site, directory_of):
    people = directory_of("anna")
    add(site, "anna")
    people.hang()
    alarm, = site.server.wait_until(lambda: alarms(site), timeout=60)
    assert "the lookup took longer than 10 s at probe" in alarm
    assert states(site) == {"anna": "active"}
    done = site.server.command("phone", "add", "anna", phone_text(KeyPair.new().public), timeout=60)
    assert done.returncode == 75 and "cannot find out whether the directory has anna" in done.stderr


def test_many_who_leave_at_once_wait_for_an_administrator(site, directory_of):
    names = ["user%d" % number for number in range(8)]
    people = directory_of(*names)
    for name in names:
        add(site, name)
    people.change(go=names[:3])
    alarm, = site.server.wait_until(lambda: alarms(site), timeout=2 * ROUNDS)
    assert "users who left the directory at once: 3 (user0, user1, user2)" in alarm
    rounds(site, 2)
    assert set(states(site).values()) == {"active"}
    site.server.ok("directory", "accept", "--yes", "--reason", "the school year is over")
    site.server.wait_until(lambda: sorted(name for name, state in states(site).items() if state == "revoked") == names[:3],
                           timeout=2 * ROUNDS)
    assert not alarms(site)
    assert audit(site, "directory accept")[0]["detail"] == "the school year is over"


def test_those_who_trickle_away_count_together_for_an_hour(site, directory_of):
    names = ["user%d" % number for number in range(4)]
    people = directory_of(*names)
    for name in names:
        add(site, name)
    people.change(go=names[:1])
    site.server.wait_until(lambda: states(site)["user0"] == "revoked", timeout=2 * ROUNDS)
    people.change(go=names[1:2])
    assert "users who left the directory at once: 1" in site.server.wait_until(lambda: alarms(site), timeout=2 * ROUNDS)[0]
    assert states(site)["user1"] == "active"


def test_groups_of_the_directory_become_groups_of_phones(site, directory_of):
    people = directory_of("anna", lines=['groups = ["ward3:3", "ward nine:9"]'], groups={"ward3": {"anna"}, "ward nine": set()})
    add(site, "anna", "--group", "3", "--group", "7")
    groups = lambda: [phone["groups"] for phone in json.loads(site.server.ok("phone", "list", "--json"))]  # noqa: E731
    # Anna's second phone has other groups.
    add(site, "anna", "--group", "1", "--group", "3", "--group", "65535")
    assert groups() == [[3, 7], [1, 3, 65535]]
    people.groups = {"ward3": set(), "ward nine": {"anna"}}
    people.write()
    site.server.wait_until(lambda: groups() == [[7, 9], [1, 9, 65535]], timeout=2 * ROUNDS)
    assert {entry["detail"] for entry in audit(site, "phone groups")} == {
        "groups [3, 7] become [7, 9]", "groups [1, 3, 65535] become [1, 9, 65535]"}
    # While a configured group is missing from the directory, phones keep their groups.
    people.groups = {"ward3": {"anna"}}
    people.write()
    rounds(site, 2)
    assert groups() == [[7, 9], [1, 9, 65535]]


def test_users_whom_the_directory_never_had_stay_and_are_told_of(site, directory_of):
    add(site, "kiosk")
    add(site, "ward")
    directory_of("anna", lines=['local_users = ["kiosk"]'])
    alarm, = site.server.wait_until(lambda: alarms(site), timeout=2 * ROUNDS)
    assert "users who were never in the directory: 1 (ward)" in alarm
    rounds(site, 2)
    assert states(site) == {"kiosk": "active", "ward": "active"}
    add(site, "kiosk")


def test_without_boxsite_directory_nobody_gets_a_phone_and_nobody_loses_one(site, directory_of):
    people = directory_of("anna")
    add(site, "anna")
    people.stop()
    for words in (("add", "anna", phone_text(KeyPair.new().public)), ("grant", phone_id(site, "anna"))):
        done = site.server.command("phone", *words)
        assert done.returncode == 75 and "cannot find out whether the directory has anna" in done.stderr
    assert states(site) == {"anna": "active"}


def test_another_grant_is_printed_for_nobody_whom_the_directory_does_not_have_or_allow(site, directory_of):
    for user in ("anna", "kiosk", "ward"):
        add(site, user)
    # The server has not seen these users in the directory yet, so it does not revoke them for their absence.
    people = directory_of("anna", lines=['local_users = ["kiosk"]'], refused=["anna"])
    for user, words in (("ward", "the directory has no user ward"), ("anna", "the directory does not allow anna")):
        done = site.server.command("phone", "grant", phone_id(site, user))
        assert (done.returncode, done.stdout) == (65, "") and words in done.stderr, done.stderr
    assert not audit(site, "phone grant")
    site.server.ok("phone", "grant", phone_id(site, "kiosk"))
    people.refused = set()
    people.write()
    site.server.ok("phone", "grant", phone_id(site, "anna"))
    # The server has now seen anna in the directory, so her absence revokes her.
    people.change(go=["anna"])
    site.server.wait_until(lambda: states(site) == {"anna": "revoked", "kiosk": "active", "ward": "active"}, timeout=2 * ROUNDS)
    done = site.server.command("phone", "grant", phone_id(site, "anna"))
    assert done.returncode == 65 and "revoked" in done.stderr


def test_a_user_is_added_and_revoked_by_the_name_that_the_directory_has_for_the_account(site, directory_of):
    spelling = "anna@corp.example"
    people = directory_of("anna", "bob")
    people.stop()
    people.know_spellings()
    people.start()
    for words in (("add", spelling, phone_text(KeyPair.new().public)), ("enrol", spelling)):
        done = site.server.command("phone", *words)
        assert (done.returncode, done.stdout) == (65, ""), done.stderr
        assert "the directory calls anna@corp.example anna" in done.stderr and "write anna" in done.stderr
    assert states(site) == {}
    add(site, "anna")
    done = site.server.command("user", "revoke", spelling, "--yes")
    assert done.returncode == 1 and "the directory calls anna@corp.example anna" in done.stderr
    assert states(site) == {"anna": "active"}
    site.server.ok("user", "revoke", "anna", "--yes")
    assert states(site) == {"anna": "revoked"}


def test_a_user_whom_the_site_has_by_another_spelling_is_served_and_not_taken_for_gone(site, directory_of):
    spelling = "anna@corp.example"
    add(site, spelling)
    people = directory_of("anna")
    people.stop()
    people.know_spellings()
    people.start()
    site.server.ok("phone", "grant", phone_id(site, spelling))
    site.server.wait_until(lambda: site.server.status()["directory"].startswith("round"), timeout=2 * ROUNDS)
    rounds(site, 3)
    assert states(site) == {spelling: "active"}
    # The alarm gives the cure: the user is revoked by the site's name, and gets a new phone by the directory's.
    alarm, = alarms(site)
    assert "users whose name in the directory is different: 1 (anna@corp.example is anna)" in alarm
    site.server.ok("user", "revoke", spelling, "--yes")
    add(site, "anna")
    site.server.wait_until(lambda: not alarms(site), timeout=3 * ROUNDS)
    assert states(site) == {spelling: "revoked", "anna": "active"}


def test_why_boxsite_directory_went_is_in_the_log(site, directory_of):
    people = directory_of("anna")
    gone = "boxsite-directory is no longer connected: "
    people.stop()
    # The message depends on whether boxsited next reads or writes.
    ends = [gone + "it has closed the connection", gone + "the connection has ended"]
    site.server.wait_until(lambda: any(end in site.server.running.err for end in ends))
    other = Asker(site.server, ACCOUNT)
    other.ask("directory-found", kind="there", about="anna")
    site.server.wait_until(lambda: gone + "it sent an invalid message: it has an unknown field" in site.server.running.err)
    assert "anna" not in site.server.running.err


def test_only_the_directorys_user_may_answer_for_it(site, directory_of):
    people = directory_of("anna")
    add(site, "anna")
    people.stop()
    other = Asker(site.server, "news")
    reply, = other.ask("directory-next")
    assert reply["type"] == "failure"
