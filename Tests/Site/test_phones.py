"""Phones of a site: an administrator adds and revokes them, and boxes renew their grants."""
import hashlib
import json
import subprocess
import time

import pytest

from box import BIN
from deadline import slowness
from independent_phone import KeyPair
from independent_site import PHONE, USER, GrantText, Refused, phone_text
from linked_box import LinkedBox
from site_box import GRANT, Ended

DAY = 86_400


def linked(site, name, *words):
    box = LinkedBox(site.box(name, *words))
    return box.take_until(lambda: box.head)


def add(site, user, key=None, *words, server=None):
    """Adds a phone of that user. Returns its grant's text, checked as the phone checks it."""
    key = key or KeyPair.new()
    text = GrantText((server or site.server).ok("phone", "add", user, phone_text(key.public), *words))
    text.check(key.public)
    assert text.grant.user == user.encode()
    return text


def phones(site, *words):
    return json.loads(site.server.ok("phone", "list", "--json", *words))


def phone(site, key):
    found, = [each for each in phones(site) if each["key"] == key.hex()]
    return found


def entry(box):
    found, = box.entries
    return found


def test_a_phone_is_added_with_the_text_that_it_shows_and_takes_a_grant_that_its_site_has_signed(site):
    box = linked(site, "one", "--group", "7")
    key = KeyPair.new()
    grant = add(site, "anna", key, "--group", "7", "--group", "3", "--label", "anna's phone").grant
    assert (grant.mode, grant.groups, grant.number) == (0, [3, 7], box.head.number)
    assert 30 * DAY - 60 < grant.expiry - time.time() <= 30 * DAY + 60
    shown = phone(site, key.public)
    assert (shown["user"], shown["label"], shown["groups"], shown["state"]) == ("anna", "anna's phone", [3, 7], "active")
    assert (shown["grant_until"], shown["renewed"], shown["user_id"]) == (grant.expiry, None, grant.user_id.hex())
    status = site.server.status()
    assert (status["users"], status["phones"]) == (1, 1)
    lines = site.server.ok("phone", "list").splitlines()
    assert len(lines) == 2 and shown["id"][:8] in lines[1] and "anna's phone" in lines[1]


def test_the_id_of_a_phone_is_the_one_that_boxes_have(site):
    key = KeyPair.new()
    grant = add(site, "anna", key)
    device = hashlib.sha256(b"boxlink-site-device-1" + grant.document.site + key.public).digest()[:16]
    bits = "".join("{:08b}".format(byte) for byte in device) + "00"
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    assert phone(site, key.public)["id"] == "".join(alphabet[int(bits[at:at + 5], 2)] for at in range(0, 130, 5))


def test_the_text_of_a_phone_comes_from_standard_input_too(site):
    key = KeyPair.new()
    done = subprocess.run([BIN / "boxsite", "phone", "add", "anna", "-", "--socket", site.server.run / "control.sock"],
                          input=phone_text(key.public) + "\n", capture_output=True, text=True, check=True)
    GrantText(done.stdout).check(key.public)


def test_a_second_phone_of_a_user_has_the_same_user_id_and_the_same_phone_again_gets_another_grant(site):
    key = KeyPair.new()
    first = add(site, "anna", key, "--label", "old")
    second = add(site, "anna")
    again = add(site, "anna", key, "--group", "9")
    assert first.grant.user_id == second.grant.user_id == again.grant.user_id
    assert again.grant.groups == [9] and len(phones(site)) == 2
    assert phone(site, key.public)["label"] == "old"
    assert add(site, "bert").grant.user_id != first.grant.user_id
    assert [each["user"] for each in phones(site, "--user", "bert")] == ["bert"]


def test_a_grants_text_that_was_lost_is_printed_anew(site):
    key = KeyPair.new()
    add(site, "anna", key, "--group", "5")
    text = GrantText(site.server.ok("phone", "grant", phone(site, key.public)["id"][:10]))
    text.check(key.public)
    assert text.grant.groups == [5]


def test_a_revoked_phone_is_an_entry_at_every_linked_box_within_a_second_and_its_key_never_comes_back(site):
    second = site.add_server()
    boxes = [linked(site, "box%d" % number) for number in range(3)]
    elsewhere = LinkedBox(site.link(boxes[0].link, second))
    elsewhere.take_until(lambda: elsewhere.head)
    key = KeyPair.new()
    grant = add(site, "anna", key).grant
    begin = time.monotonic()
    assert "of anna" in site.server.ok("phone", "revoke", phone(site, key.public)["id"], "--yes", "--reason", "lost")
    for box in [*boxes[1:], elsewhere]:
        box.take_until(lambda: box.head.number == 1)
    assert time.monotonic() - begin < slowness()
    for box in [*boxes[1:], elsewhere]:
        assert (entry(box).kind, entry(box).subject) == (PHONE, key.public)
        assert entry(box).expiry >= grant.expiry
        with pytest.raises(Refused, match="phone revoked"):
            box.set.check(grant)
    assert phone(site, key.public)["state"] == "revoked"
    # A second revocation changes nothing.
    site.server.ok("phone", "revoke", phone(site, key.public)["id"], "--yes")
    assert site.server.status()["number"] == 1
    done = site.server.command("phone", "add", "anna", phone_text(key.public))
    assert done.returncode == 65 and "new key on the phone" in done.stderr, done.stderr
    assert "lost" in site.database.sql("SELECT detail FROM audit_entries WHERE event = 'phone revoke'")


def test_a_revoked_user_loses_all_grants_and_gets_a_new_one_that_the_entry_does_not_take_back(site):
    box = linked(site, "one")
    first, second = add(site, "anna").grant, add(site, "anna").grant
    other = add(site, "bert").grant
    begin = time.monotonic()
    assert "anna" in site.server.ok("user", "revoke", "anna", "--yes")
    box.take_until(lambda: box.head.number == 1)
    assert time.monotonic() - begin < slowness()
    assert entry(box).kind == USER and entry(box).expiry >= max(first.expiry, second.expiry)
    for grant in (first, second):
        with pytest.raises(Refused, match="user revoked"):
            box.set.check(grant)
    box.set.check(other)
    assert [each["state"] for each in phones(site)] == ["revoked", "revoked", "active"]
    assert "already" in site.server.ok("user", "revoke", "anna", "--yes")
    again = add(site, "anna").grant
    assert again.user_id == first.user_id and again.number >= 1
    box.set.check(again)
    site.server.ok("user", "revoke", "anna", "--yes")
    box.take_until(lambda: box.head.number == 2)
    with pytest.raises(Refused, match="user revoked"):
        box.set.check(again)


@pytest.mark.parametrize("words, says, status", [
    (["phone", "add", "a/b", "TEXT"], "not a valid name for a user", 65),
    (["phone", "add", "a\tb", "TEXT"], "not a valid name for a user", 65),
    (["phone", "add", "u" * 65, "TEXT"], "1 to 64 bytes", 65),
    (["phone", "add", "u" * 2000, "TEXT"], "at most 64 bytes", 65),
    (["phone", "add", "", "TEXT"], "not a valid name for a user", 65),
    (["phone", "add", "anna", "TEXT", "--label", "l" * 65], "use at most 64 bytes", 65),
    (["phone", "add", "anna", "TEXT", "--label", "a\nb"], "use at most 64 bytes", 65),
    (["phone", "add", "anna", "TEXT", "--group", "0"], "groups", 65),
    (["phone", "add", "anna", "rubbish"], "begins with boxsite-phone:1/", 65),
    (["phone", "add", "anna", "x" * 300], "must begin with boxsite-phone:1/", 65),
    (["phone", "add", "anna", "boxsite-phone:9/AAAA"], "newer version", 65),
    (["phone", "add", "anna", "TEXT CUT"], "damaged", 65),
    (["phone", "add", "bert", "TEXT"], "this phone belongs to carl", 65),
    (["phone", "revoke", "zzzz", "--yes"], "there is no phone zzzz", 1),
    (["phone", "revoke", "uuuu", "--yes"], "there is no phone uuuu", 1),
    (["phone", "revoke", "zzzz"], "add --yes", 64),
    (["phone", "grant", "zzzz"], "there is no phone zzzz", 1),
    (["user", "revoke", "nobody", "--yes"], "there is no user nobody", 1),
    (["user", "revoke", "carl"], "add --yes", 64),
])
def test_what_cannot_be_done_is_said_with_what_to_do(site, words, says, status):
    key = KeyPair.new()
    add(site, "carl", key)
    texts = {"TEXT": phone_text(key.public), "TEXT CUT": phone_text(key.public)[:-2]}
    done = site.server.command(*[texts.get(word, word) for word in words])
    assert done.returncode == status and says in done.stderr, (done.returncode, done.stderr)


def test_the_longest_name_and_any_script_are_names(site):
    for name in ("u" * 64, "Jürgen Müßig", "DOMAIN\\анна"):
        add(site, name)
    assert len(phones(site)) == 3


def renewed(box, grant):
    box.link.renew(grant)
    answers = []
    while not answers:
        said = box.take()
        assert said is not None, "the link ended"
        if said.kind == GRANT:
            answers.append(said.value)
    return answers[0]


def age(site, days):
    """Makes the phones' grants appear that many days older."""
    site.database.sql("UPDATE phones SET issued_at = issued_at - interval '%d days'" % days)


def refused(site, box, grant):
    """Checks that the grant is not renewed: the answer to a later request comes first."""
    box.link.renew(grant)
    key = KeyPair.new()
    good = add(site, "witness-%s" % key.public.hex()[:8], key, "--group", "1").grant
    assert renewed(box, good).key == key.public


def test_a_box_gets_another_grant_for_a_phone_once_a_day(site):
    box = linked(site, "one")
    key = KeyPair.new()
    grant = add(site, "anna", key).grant
    assert renewed(box, grant).bytes == grant.bytes
    age(site, 2)
    linked(site, "lost")
    site.server.remove("lost")
    box.take_until(lambda: box.head.number == 1)
    new = renewed(box, grant)
    new.check(box.pin)
    assert (new.key, new.user, new.user_id, new.groups) == (key.public, b"anna", grant.user_id, grant.groups)
    assert new.number == 1 and new.expiry >= grant.expiry
    shown = phone(site, key.public)
    assert shown["grant_until"] == new.expiry and shown["renewed"] is not None
    assert renewed(box, grant).bytes == new.bytes


def test_no_grant_is_issued_anew_for_a_phone_that_was_revoked_or_is_unknown_or_elsewhere(site):
    box = linked(site, "one")
    kept = add(site, "anna").grant
    gone, key = add(site, "bert").grant, KeyPair.new()
    lost = add(site, "carl", key).grant
    other = add(site, "dora", None, "--group", "9").grant
    site.server.ok("phone", "revoke", phone(site, lost.key)["id"], "--yes")
    site.server.ok("user", "revoke", "bert", "--yes")
    unknown = add(site, "emil").grant
    site.database.sql("DELETE FROM phones WHERE key = '\\x%s'" % unknown.key.hex())
    age(site, 2)
    for grant in (gone, lost, other, unknown):
        refused(site, box, grant)
    assert renewed(box, kept).key == kept.key
    assert "so far" in site.server.running.err


def test_a_forged_grant_is_not_issued_anew_and_the_link_stays(site):
    box = linked(site, "one")
    grant = add(site, "anna").grant
    age(site, 2)
    forged = type(grant)(grant.bytes[:-1] + bytes([grant.bytes[-1] ^ 1]))
    refused(site, box, forged)


def test_what_is_no_grant_ends_the_link(site):
    box = linked(site, "one")
    box.link.send(bytes([8]) + bytes(160))
    with pytest.raises((Ended, Refused)):
        box.take_until_closed()


def test_a_grant_that_expired_a_year_ago_is_issued_anew_and_one_of_before_is_not(site):
    # This test cannot change the expiry, which is signed. Unit tests cover grants that are too old.
    box = linked(site, "one")
    grant = add(site, "anna").grant
    age(site, 40)
    assert renewed(box, grant).expiry >= grant.expiry


def test_a_link_gets_sixty_answers(site):
    box = linked(site, "one")
    grant = add(site, "anna").grant
    for _ in range(60):
        renewed(box, grant)
    box.link.renew(grant)
    site.server.ok("phone", "revoke", phone(site, grant.key)["id"], "--yes")
    seen = []
    while not (box.head and box.head.number == 1):
        seen.append(box.take().kind)
    assert GRANT not in seen


def test_while_the_database_is_away_nothing_is_answered_and_the_link_stays(site):
    box = linked(site, "one")
    grant = add(site, "anna").grant
    site.database.kill()
    site.server.wait_until(lambda: site.server.status()["doubt"])
    assert site.server.status()["phones"] is None
    done = site.server.command("phone", "add", "bert", phone_text(KeyPair.new().public))
    assert done.returncode == 75 and "cannot sign now" in done.stderr, done.stderr
    box.link.renew(grant)
    site.database.start()
    site.server.wait_until(lambda: not site.server.status()["doubt"])
    assert renewed(box, grant).bytes == grant.bytes


def test_another_server_renews_and_revokes_what_the_first_has_added(site):
    second = site.add_server()
    member = linked(site, "one")
    elsewhere = LinkedBox(site.link(member.link, second))
    elsewhere.take_until(lambda: elsewhere.head)
    grant = add(site, "anna").grant
    age(site, 2)
    new = renewed(elsewhere, grant)
    assert new.expiry >= grant.expiry
    second.ok("user", "revoke", "anna", "--yes")
    elsewhere.take_until(lambda: elsewhere.head.number == 1)
    with pytest.raises(Refused, match="user revoked"):
        elsewhere.set.check(new)


def test_no_grant_that_is_issued_beside_a_revocation_outlives_it(site):
    second = site.add_server()
    member = linked(site, "one")
    for turn in range(5):
        user = "user%d" % turn
        shown = add(site, user).grant
        age(site, 2)
        box = LinkedBox(site.link(member.link, second, number=0))
        box.take_until(lambda: box.head)
        revoking = subprocess.Popen([BIN / "boxsite", "user", "revoke", user, "--yes", "--socket",
                                     site.server.run / "control.sock"], stdout=subprocess.DEVNULL)
        for _ in range(20):
            box.link.renew(shown)
        issued = []

        def has_heard():
            return box.head.number > turn

        while not has_heard():
            said = box.take()
            if said.kind == GRANT:
                issued.append(said.value)
        assert revoking.wait() == 0
        for grant in [shown, *issued]:
            with pytest.raises(Refused, match="user revoked"):
                box.set.check(grant)


def test_an_administrator_whose_server_died_asks_again(site):
    key = KeyPair.new()
    site.database.sql(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$")
    site.database.sql("CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON phones DEFERRABLE INITIALLY DEFERRED "
                      "FOR EACH ROW EXECUTE FUNCTION wait()")
    asking = subprocess.Popen([BIN / "boxsite", "phone", "add", "anna", phone_text(key.public), "--socket",
                               site.server.run / "control.sock"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # Waits for the COMMIT that adds the phone: only that COMMIT sleeps, in the trigger. PostgreSQL completes it without the server.
    site.server.wait_until(lambda: site.database.sql(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT' AND wait_event = 'PgSleep'"))
    site.server.kill()
    assert asking.wait() == 69
    site.server.wait_until(lambda: site.database.sql("SELECT count(*) FROM phones") == "1")
    site.database.sql("DROP TRIGGER wait ON phones")
    site.server.start()
    add(site, "anna", key)
    assert len(phones(site)) == 1 and site.server.status()["users"] == 1


def test_a_restored_backup_forgets_no_revocation_that_a_box_has(site):
    box = linked(site, "one")
    phone_key, user_key, late_key = KeyPair.new(), KeyPair.new(), KeyPair.new()
    lost, gone = add(site, "anna", phone_key).grant, add(site, "bert", user_key).grant
    carl = add(site, "carl", late_key).grant
    backup = site.database.dump()
    site.server.ok("phone", "revoke", phone(site, phone_key.public)["id"], "--yes")
    site.server.ok("user", "revoke", "bert", "--yes")
    age(site, 2)
    late = renewed(box, carl)
    assert late.number == 2
    box.take_until(lambda: box.head.number == 2)
    box.link.close()
    site.restore(backup)
    assert {each["state"] for each in phones(site)} == {"active"}
    # The site's revocations begin at number 0 again, but carl's grant already has number 2.
    site.server.ok("user", "revoke", "carl", "--yes")
    back = LinkedBox(site.link(box.link, number=box.head.number), box.entries, box.head)
    back.take_until(lambda: back.head.number > 4)
    assert {each["state"] for each in phones(site)} == {"revoked"}
    for grant in (lost, gone, carl, late):
        with pytest.raises(Refused, match="revoked"):
            back.set.check(grant)
    for user, key in (("anna", phone_key), ("bert", user_key)):
        done = site.server.command("phone", "add", user, phone_text(key.public))
        assert done.returncode == 65 and "new key on the phone" in done.stderr, done.stderr
    new = add(site, "carl").grant
    back.set.check(new)


def test_a_revoked_user_whom_the_backup_lacks_is_revoked_up_to_the_number_of_the_boxes(site):
    ahead, behind = linked(site, "one"), linked(site, "two")
    behind.link.close()
    before = site.database.dump()
    key = KeyPair.new()
    grant = add(site, "dora", key).grant
    backup = site.database.dump()
    for name in ("anna", "bert"):
        add(site, name)
        site.server.ok("user", "revoke", name, "--yes")
    age(site, 2)
    late = renewed(ahead, grant)
    assert late.number == 2
    ahead.take_until(lambda: ahead.head.number == 2)
    ahead.link.close()

    def back(box):
        return LinkedBox(site.link(box.link, number=box.head.number), box.entries, box.head)

    # The entry covers number 0 alone, and only the box that never heard of number 2 learns it.
    site.restore(backup)
    site.server.ok("user", "revoke", "dora", "--yes")
    behind = back(behind)
    behind.take_until(lambda: behind.head.number == 1)
    behind.link.close()
    site.restore(before)
    behind = back(behind)
    behind.take_until(lambda: behind.head.number > 1)
    ahead = back(ahead)
    ahead.take_until(lambda: ahead.head.number > behind.head.number)
    for old in (grant, late):
        with pytest.raises(Refused, match="revoked"):
            ahead.set.check(old)


def test_ten_thousand_phones_are_listed(site):
    grant = add(site, "anna").grant
    site.database.sql(
        "INSERT INTO phones (key, device_id, owner, label, groups, state, issued, generation, number, issued_at, expires_at) "
        "SELECT sha256(n::text::bytea), substring(sha256(n::text::bytea) FOR 16), owner, 'phone ' || n, groups, state, issued, "
        "generation, number, issued_at, expires_at FROM phones, generate_series(1, 9999) n")
    found = phones(site)
    assert len(found) == 10_000 and len({each["id"] for each in found}) == 10_000
    assert site.server.status()["phones"] == 10_000
    assert len(site.server.ok("phone", "list").splitlines()) == 10_001
    assert found[0]["key"] == grant.key.hex()
