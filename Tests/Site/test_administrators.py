"""The rights of a site's administrators, and the orders that need a second one."""
import json
import threading
import time

import pytest

from administrators import ACCOUNTS, PAGE, Acting, Asker, open_socket
from independent_phone import KeyPair
from independent_site import phone_text
from linked_box import LinkedBox

GAMES, MAN, LP, NEWS = ACCOUNTS  # the accounts of the viewer, the ward, the helpdesk and anna


@pytest.fixture
def ruled(site):
    """A site with a page, and one administrator of each role. Name, account and role correspond."""
    site.server.extra = ['page_user = "%s"' % PAGE]
    site.write_configs()
    site.server.stop()
    site.server.start()
    open_socket(site.server)
    site.database.sql("INSERT INTO administrators (name, role, groups, account, state) VALUES "
                      "('viewer', 'viewer', NULL, '%s', 'active'), ('ward', 'ward', '\\x00070009', '%s', 'active'), "
                      "('helpdesk', 'helpdesk', NULL, '%s', 'active'), ('anna', 'administrator', NULL, '%s', 'active'), "
                      "('bert', 'administrator', NULL, NULL, 'active'), ('keeper', 'root-keeper', NULL, NULL, 'active')"
                      % tuple(ACCOUNTS))
    site.page = Asker(site.server, PAGE)
    return site


def acting(site, name):
    return Acting(site.page, name)


def groups(*numbers):
    return b"".join(number.to_bytes(2, "big") for number in numbers)


def add_phone(site, user, *in_groups):
    key = KeyPair.new()
    words = [word for group in in_groups for word in ("--group", str(group))]
    site.server.ok("phone", "add", user, phone_text(key.public), *words)
    return next(each["id"] for each in phones(site) if each["key"] == key.public.hex())


def phones(site):
    return json.loads(site.server.ok("phone", "list", "--json"))


def audit(site):
    return site.database.sql(
        "SELECT coalesce(actor_name, actor) || ' | ' || event || ' | ' || subject || ' ' || detail FROM audit_entries "
        "ORDER BY number").splitlines()


# Every request, with well-formed fields and the roles that may make it.
EVERYBODY = {"viewer", "ward", "helpdesk", "anna", "keeper"}
MANAGERS = {"anna", "keeper"}
REQUESTS = [
    ("status", {}, EVERYBODY), ("boxes", {}, EVERYBODY), ("phones", {}, EVERYBODY), ("who-am-i", {}, EVERYBODY),
    ("proposals", {}, EVERYBODY), ("administrators", {}, EVERYBODY - {"ward"}),
    ("add-box", dict(name="new", groups=groups(7), hours=1), MANAGERS | {"ward"}),
    ("remove-box", dict(name="in7", reason=""), MANAGERS | {"ward", "helpdesk"}),
    ("accept-clock", {}, MANAGERS), ("accept-directory", {"reason": "x"}, MANAGERS), ("document", {}, EVERYBODY),
    ("new-issuers", dict(days=400, replace=False), {"keeper"}), ("publish", dict(document="x"), {"keeper"}),
    ("add-phone", dict(user="new", code="", groups=groups(7), site_held=False), MANAGERS | {"ward"}),
    ("grant-phone", dict(phone="p7"), MANAGERS | {"ward"}),
    ("revoke-phone", dict(phone="p7", reason=""), MANAGERS | {"ward", "helpdesk"}),
    ("revoke-user", dict(name="u7", reason="", again=False), MANAGERS | {"ward", "helpdesk"}),
    ("add-administrator", dict(name="new", role="viewer", reason=""), MANAGERS),
    ("change-administrator", dict(name="viewer", role="helpdesk", reason=""), MANAGERS),
    ("remove-administrator", dict(name="viewer", reason=""), MANAGERS),
    ("approve", dict(proposal="00000000", alone=False, reason=""), EVERYBODY),
    ("reject", dict(proposal="00000000", reason=""), EVERYBODY),
]


@pytest.mark.parametrize("name", sorted(EVERYBODY))
def test_each_role_may_ask_for_what_it_may_and_is_refused_the_rest_with_a_sentence(ruled, name):
    ruled.server.add("in7", "--group", "7")
    phone = add_phone(ruled, "u7", 7)
    for request, fields, roles in REQUESTS:
        fields = {**fields, **({"phone": phone} if "phone" in fields else {}),
                  **({"code": phone_text(KeyPair.new().public)} if "code" in fields else {})}
        replies = ruled.page.ask(request, name, **fields)
        last = replies[-1]
        is_refused = last["type"] == "failure" and last["kind"] == "not-permitted"
        assert is_refused == (name not in roles), (request, last)
        if is_refused:
            assert "may not" in last["what"] and len(replies) == 1
    refusals = [line for line in audit(ruled) if " | refused | " in line]
    assert len(refusals) == sum(name not in roles for _, _, roles in REQUESTS) and all(name in line for line in refusals)


def test_an_account_of_the_machine_is_known_by_its_uid_and_one_without_a_row_administers_nothing(ruled):
    who, = Asker(ruled.server, LP).ok("who-am-i")
    assert (who["name"], who["role"]) == ("helpdesk", "helpdesk")
    for request, fields, _ in REQUESTS:
        said = Asker(ruled.server, "uucp").refused(request, **{"code": "x", **fields} if "code" in fields else fields)
        assert "uucp is not an administrator of this site" in said and "boxsite admin add" in said
    assert json.loads(ruled.server.ok("admin", "whoami", "--json"))["role"] == "root-keeper"


@pytest.mark.parametrize("account", [GAMES, "uucp", "root"])
def test_nobody_but_the_page_asks_for_somebody_else(ruled, account):
    asker = Asker(ruled.server, account)
    for request, fields, _ in REQUESTS:
        assert "only the site's page" in asker.refused(request, "anna", **fields)
    assert len(json.loads(ruled.server.ok("admin", "list", "--json"))) == 6
    # The page itself can act neither for a name without an administrator nor for itself.
    assert "no administrator nobody" in ruled.page.refused("status", "nobody")
    for name in ("root", "", "boxsited", "anna\0", "anna\n", "a" * 65):
        reply = ruled.page.ask("status", name)[-1]
        assert reply["type"] == "failure", reply
    assert "only for administrators who have signed in" in ruled.page.refused("status")


def test_without_a_page_nobody_asks_for_others(site):
    open_socket(site.server)
    site.database.sql("INSERT INTO administrators (name, role, state) VALUES ('anna', 'administrator', 'active')")
    assert "only the site's page" in Asker(site.server, PAGE).refused("status", "anna")


def test_a_ward_sees_and_changes_its_own_groups_and_no_other_ones(ruled):
    for name, words in (("in7", "7"), ("in79", "7 9"), ("in73", "7 3"), ("in3", "3")):
        ruled.server.add(name, *[word for group in words.split() for word in ("--group", group)])
    own, shared, other = add_phone(ruled, "u7", 7, 9), add_phone(ruled, "u73", 7, 3), add_phone(ruled, "u3", 3)
    both = add_phone(ruled, "u7", 9)
    ward = acting(ruled, "ward")
    assert {box["name"] for box in ward.ok("boxes")} == {"in7", "in79", "in73"}
    assert {phone["id"] for phone in ward.ok("phones")} == {own, shared, both}
    assert ward.ok("phones", user="u3") == []
    # A ward's administrator gets "not found" for everything outside the ward.
    assert "no box in3" in ward.refused("remove-box", kind="not-found", name="in3", reason="")
    assert "no phone" in ward.refused("revoke-phone", kind="not-found", phone=other, reason="")
    assert "no phone" in ward.refused("grant-phone", kind="not-found", phone=other)
    assert "no user u3" in ward.refused("revoke-user", kind="not-found", name="u3", reason="", again=True)
    # The beginning of an ID names the one phone that the ward's administrator may see, whatever begins so elsewhere.
    anna = acting(ruled, "anna")
    for _ in range(400):
        if sum(each["id"][0] == own[0] for each in phones(ruled)) > 2:
            break
        anna.ok("add-phone", user="u3", code=phone_text(KeyPair.new().public), groups=groups(3), site_held=False)
    begun = [each["id"] for each in phones(ruled) if each["id"][0] == own[0]]
    assert len(begun) > 2
    if shared[0] != own[0] and both[0] != own[0]:
        ward.ok("grant-phone", phone=own[0])
    assert "more than one phone" in anna.refused("grant-phone", kind="invalid", phone=own[0])
    # A ward's administrator may not change boxes, phones or users that are also in other groups.
    beyond = "beyond your groups"
    assert beyond in ward.refused("remove-box", name="in73", reason="")
    assert beyond in ward.refused("revoke-phone", phone=shared, reason="")
    assert beyond in ward.refused("grant-phone", phone=shared)
    assert beyond in ward.refused("revoke-user", name="u73", reason="", again=False)
    assert beyond in ward.refused("add-box", name="new", groups=groups(7, 8), hours=1)
    assert beyond in ward.refused("add-phone", user="new", code=phone_text(KeyPair.new().public), groups=groups(3), site_held=False)
    key = bytes.fromhex(next(each["key"] for each in phones(ruled) if each["id"] == other))
    assert beyond in ward.refused("add-phone", user="u7", code=phone_text(key), groups=groups(7), site_held=False)
    assert "other groups has number" in ward.refused(
        "add-box", kind="invalid", name="new", groups=groups(7), hours=1, number=ruled.server.boxes()["in3"]["number"])
    # A ward's administrator cannot bring back a user who was revoked everywhere.
    ruled.server.ok("user", "revoke", "u73", "--yes")
    assert beyond in ward.refused("add-phone", user="u73", code=phone_text(KeyPair.new().public), groups=groups(7), site_held=False)
    before = phones(ruled), ruled.server.boxes()
    assert len(before[0]) >= 4
    assert "removed box in7," in ward.done("remove-box", name="in7", reason="")
    assert "revoked user u7" in ward.done("revoke-user", name="u7", reason="left", again=False)
    assert any(line.startswith("ward |") and "user revoke" in line and "left" in line for line in audit(ruled))


def test_the_first_administrator_is_roots_to_add_and_from_then_on_it_takes_two(site):
    assert "added administrator anna" in site.server.ok("admin", "add", "anna", "--role", "administrator", "--account", GAMES)
    done = site.server.command("admin", "add", "bert", "--role", "viewer")
    assert done.returncode == 3 and "second administrator" in done.stderr, done.stderr
    waiting, = json.loads(site.server.ok("proposal", "list", "--json"))
    assert waiting["order"].startswith("add administrator bert as viewer") and waiting["proposer_name"] == "root"
    # The same order again makes no second proposal.
    site.server.command("admin", "add", "bert", "--role", "viewer")
    assert len(json.loads(site.server.ok("proposal", "list", "--json"))) == 1
    done = site.server.command("approve", waiting["id"], "--yes")
    assert done.returncode == 1 and "your own proposal" in done.stderr
    done = site.server.command("approve", waiting["id"], "--alone", "--yes")
    assert done.returncode == 64 and "--reason" in done.stderr
    open_socket(site.server)
    anna = Asker(site.server, GAMES)
    assert "added administrator bert" in anna.done("approve", proposal=waiting["id"], alone=False, reason="")
    # A second approval does nothing, not even by another administrator.
    assert "already approved" in anna.done("approve", proposal=waiting["id"], alone=False, reason="")
    assert "already approved" in site.server.command("approve", waiting["id"], "--yes").stderr
    assert [each["name"] for each in json.loads(site.server.ok("admin", "list", "--json"))] == ["anna", "bert"]
    assert any("| approved |" in line and "proposed by root" in line and line.startswith("anna") for line in audit(site))


def test_root_alone_breaks_the_glass_and_says_why(ruled):
    done = ruled.server.command("admin", "remove", "bert", "--yes")
    assert done.returncode == 3
    waiting, = json.loads(ruled.server.ok("proposal", "list", "--json"))
    keeper = acting(ruled, "keeper")
    mine = keeper.proposed("remove-administrator", name="anna", reason="")
    assert "only root" in keeper.refused("approve", kind="declined", proposal=mine, alone=True, reason="I say so")
    ruled.server.ok("approve", waiting["id"], "--alone", "--reason", "fire in the house", "--yes")
    assert "bert" not in ruled.server.ok("admin", "list")
    assert any("alone: fire in the house" in line for line in audit(ruled))


def test_the_twenty_first_revocation_waits_for_a_second_administrator_and_so_for_no_other_one(ruled):
    ids = [add_phone(ruled, "user%d" % number, 7) for number in range(23)]
    desk, anna = acting(ruled, "helpdesk"), acting(ruled, "anna")
    for phone in ids[:20]:
        desk.done("revoke-phone", phone=phone, reason="")
    # An order for a phone that is already revoked does not count towards the twenty.
    desk.done("revoke-phone", phone=ids[0], reason="")
    first = desk.proposed("revoke-phone", phone=ids[20], reason="lost")
    second = desk.proposed("revoke-user", name="user21", reason="", again=False)
    assert ruled.server.status()["number"] == 20
    for name in ("viewer", "ward", "helpdesk"):
        ruled.page.ask("approve", name, proposal=first, alone=False, reason="")
    assert ruled.server.status()["number"] == 20
    listed = {each["id"]: each for each in anna.ok("proposals")}
    assert set(listed) == {first, second}
    assert (listed[first]["proposer-name"], listed[first]["reason"]) == ("helpdesk", "lost")
    assert ids[20] in listed[first]["order"] and "user20" in listed[first]["order"]
    assert acting(ruled, "ward").ok("proposals") == []
    anna.done("approve", proposal=first, alone=False, reason="")
    assert "rejected" in anna.done("reject", proposal=second, reason="the wrong one")
    assert "was rejected" in anna.refused("approve", kind="declined", proposal=second, alone=False, reason="")
    states = {phone["id"]: phone["state"] for phone in phones(ruled)}
    assert (states[ids[20]], states[ids[21]]) == ("revoked", "active")
    # Other administrators have their own count. After an hour, the helpdesk's count starts again.
    anna.done("revoke-phone", phone=ids[21], reason="")
    ruled.database.sql("UPDATE revocation_tallies SET at = at - interval '61 minutes'")
    desk.done("revoke-phone", phone=ids[22], reason="")


def test_the_helpdesk_alone_revokes_at_most_sixty_phones_a_day_and_removes_no_box(ruled):
    ids = [add_phone(ruled, "user%d" % number, 7) for number in range(2)]
    desk, anna = acting(ruled, "helpdesk"), acting(ruled, "anna")
    ruled.database.sql("INSERT INTO revocation_tallies SELECT id, now() - interval '2 hours', 59 FROM administrators WHERE name = 'helpdesk'")
    desk.done("revoke-phone", phone=ids[0], reason="")
    desk.proposed("revoke-phone", phone=ids[1], reason="")
    ruled.database.sql("UPDATE revocation_tallies SET at = at - interval '23 hours'")
    desk.done("revoke-phone", phone=ids[1], reason="")
    ruled.server.add("ward7", "--group", "7")
    removal = desk.proposed("remove-box", name="ward7", reason="stolen")
    assert "ward7" in str(anna.ok("boxes"))
    anna.done("approve", proposal=removal, alone=False, reason="")


def test_root_alone_at_a_site_revokes_as_many_as_it_has_to(site):
    ids = [add_phone(site, "user%d" % number, 7) for number in range(22)]
    site.server.ok("phone", "revoke", *ids, "--yes")
    assert site.server.status()["number"] == 22
    site.server.ok("admin", "add", "anna", "--role", "administrator")
    more = [add_phone(site, "more%d" % number, 7) for number in range(2)]
    done = site.server.command("phone", "revoke", *more, "--yes")
    assert done.returncode == 3 and done.stderr.count("boxsite approve") == 2, done.stderr


def test_two_approvals_at_once_are_one(ruled):
    second = ruled.add_server()
    open_socket(ruled.server)
    open_socket(second)
    ids = [add_phone(ruled, "user%d" % number, 7) for number in range(3)]
    ruled.database.sql("INSERT INTO revocation_tallies SELECT id, now(), 20 FROM administrators WHERE name = 'helpdesk'")
    for phone in ids:
        proposal = acting(ruled, "helpdesk").proposed("revoke-phone", phone=phone, reason="")
        askers = [(Acting(Asker(server, PAGE), name), server) for server in (ruled.server, second) for name in ("anna", "bert")]
        said = []
        threads = [threading.Thread(target=lambda it=it: said.append(
            it.ask("approve", proposal=proposal, alone=False, reason=""))) for it, _ in askers]
        number = ruled.server.status()["number"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        texts = [reply["text"] for reply, in said if reply["type"] == "done"]
        # One request revoked the phone. The same administrator at the other server hears that the order was already approved. The
        # other administrator's two requests fail, because the proposal is decided.
        assert sum("revoked phone" in text for text in texts) == 1 and len(texts) == 2, said
        ruled.server.wait_until(lambda: ruled.server.status()["number"] == number + 1)
        assert sum("| approved |" in line and phone in line for line in audit(ruled)) == 1


def test_what_is_approved_is_what_was_proposed_and_not_what_has_the_name_by_now(ruled):
    ruled.database.sql("INSERT INTO revocation_tallies SELECT id, now(), 20 FROM administrators WHERE name = 'helpdesk'")
    desk, anna = acting(ruled, "helpdesk"), acting(ruled, "anna")
    ruled.server.add("one", "--group", "7")
    proposal = desk.proposed("remove-box", name="one", reason="")
    ruled.server.remove("one")
    ruled.server.add("one", "--group", "7")
    assert "is already removed" in anna.done("approve", proposal=proposal, alone=False, reason="")
    assert ruled.server.boxes()["one"]["state"] == "invited"
    # A ward's administrator proposed to revoke a phone, which then moved to a group outside the ward's.
    key = KeyPair.new()
    ruled.server.ok("phone", "add", "user", phone_text(key.public), "--group", "7")
    phone, = phones(ruled)
    ruled.database.sql("INSERT INTO revocation_tallies SELECT id, now(), 20 FROM administrators WHERE name = 'ward'")
    proposal = acting(ruled, "ward").proposed("revoke-phone", phone=phone["id"], reason="")
    ruled.server.ok("phone", "add", "user", phone_text(key.public), "--group", "3")
    assert "may no longer do it" in anna.refused("approve", kind="declined", proposal=proposal, alone=False, reason="")
    # The administrator to be removed has meanwhile become a root keeper.
    proposal = anna.proposed("remove-administrator", name="viewer", reason="")
    ruled.database.sql("UPDATE administrators SET role = 'root-keeper' WHERE name = 'viewer'")
    assert "may no longer do it" in acting(ruled, "keeper").refused(
        "approve", kind="declined", proposal=proposal, alone=False, reason="")
    assert len(json.loads(ruled.server.ok("admin", "list", "--json"))) == 6


def test_what_somebody_has_proposed_is_not_done_once_they_are_removed(ruled):
    anna, bert = acting(ruled, "anna"), acting(ruled, "bert")
    proposal = anna.proposed("add-administrator", name="friend", role="administrator", reason="")
    removal = bert.proposed("remove-administrator", name="anna", reason="")
    acting(ruled, "keeper").done("approve", proposal=removal, alone=False, reason="")
    assert "no administrator anna" in anna.refused("approve", proposal=removal, alone=False, reason="")
    assert "no administrator anna" in anna.refused("status")
    assert "is not an administrator of this site" in Asker(ruled.server, NEWS).refused("status")
    assert "may no longer do it" in bert.refused("approve", kind="declined", proposal=proposal, alone=False, reason="")
    # Another administrator who gets the same name does not revive the proposal.
    again = bert.proposed("add-administrator", name="anna", role="administrator", reason="")
    acting(ruled, "keeper").done("approve", proposal=again, alone=False, reason="")
    assert "may no longer do it" in bert.refused("approve", kind="declined", proposal=proposal, alone=False, reason="")
    assert "may no longer do it" in anna.refused("approve", kind="declined", proposal=proposal, alone=False, reason="")


def test_a_proposal_is_over_after_an_hour(ruled):
    anna = acting(ruled, "anna")
    proposal = anna.proposed("add-administrator", name="friend", role="viewer", reason="")
    ruled.database.sql("UPDATE proposals SET expires_at = now() - interval '1 second'")
    assert "proposal has expired" in acting(ruled, "bert").refused(
        "approve", kind="declined", proposal=proposal, alone=False, reason="")
    assert acting(ruled, "bert").ok("proposals") == []
    assert anna.proposed("add-administrator", name="friend", role="viewer", reason="") != proposal


def test_one_administrator_fills_the_table_with_no_more_than_a_hundred_proposals(ruled):
    anna = acting(ruled, "anna")
    for number in range(100):
        anna.proposed("add-administrator", name="friend%d" % number, role="viewer", reason="")
    assert "100 waiting proposals" in anna.refused("add-administrator", name="one-more", role="viewer", reason="")
    acting(ruled, "bert").proposed("add-administrator", name="one-more", role="viewer", reason="")


def test_who_asks_for_what_is_refused_over_and_over_fills_no_table(ruled):
    for _ in range(100):
        acting(ruled, "viewer").refused("accept-clock")
    deadline = time.monotonic() + 5
    count = 0
    while count < 40 and time.monotonic() < deadline:
        count = sum("| refused |" in line for line in audit(ruled))
    assert count == 40


@pytest.mark.parametrize("name", ["root", "an\nna", "an\x1b[2Jna", "-anna", "", "an/na", "<script>alert(1)</script>"])
def test_names_are_what_a_line_of_a_list_can_show(ruled, name):
    reply = acting(ruled, "anna").ask("add-administrator", name=name, role="viewer", account="", reason="")[-1]
    assert reply["type"] == "failure" and reply["kind"] == "invalid", reply
    for reason in ("a\nb", "a\x1b[2Jb", "a\0b"):
        reply = acting(ruled, "anna").ask("remove-administrator", name="viewer", reason=reason)[-1]
        assert reply["type"] == "failure" and reply["kind"] == "invalid", reply


def test_a_box_that_was_revoked_by_proposal_hears_of_it_within_a_second(ruled):
    box = LinkedBox(ruled.box("one"))
    box.take_until(lambda: box.head)
    ruled.database.sql("INSERT INTO revocation_tallies SELECT id, now(), 20 FROM administrators WHERE name = 'helpdesk'")
    phone = add_phone(ruled, "user", 1)
    proposal = acting(ruled, "helpdesk").proposed("revoke-phone", phone=phone, reason="")
    acting(ruled, "bert").done("approve", proposal=proposal, alone=False, reason="")
    box.take_until(lambda: box.head.number == 1)
    assert len(box.entries) == 1
