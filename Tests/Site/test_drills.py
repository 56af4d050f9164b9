"""The emergencies of docs/how-to/site-emergencies.md: what happens to a site's keys, and what an administrator does."""
import json
import time

import pytest

import loopback_air as air
from box import Box, pipe_with
from box_clock import BoxClock
from independent_phone import KeyPair
from independent_site import GrantText, Refused, phone_text
from linked_box import LinkedBox
from site_box import DOCUMENT
from site_issuer import Issuers
from site_root import Request, Root, document_text, drop_all, read_document_text
from test_bundle import bring, cut, make, move
from test_one_enrolment import PASSWORD, give, log_in, new_phone, phone_id, refused
from test_site_login import SitePhone
from wrong_clock import WrongClock

DAY = 86_400
NUMBER = "004711"


@pytest.fixture
def root(site):
    return Root(site)


@pytest.fixture
def box(site, directory):
    made = Box(directory / "box", directory / "air").start()
    made.pam_service(users={"alice": PASSWORD})
    made.command("join", stdin=pipe_with(site.server.ok("box", "add", "ward", "--number", NUMBER).encode())).ok()
    made.wait_until(lambda: info(made)["head_number"] is not None)
    made.wait_until(lambda: "Box " + NUMBER in air.boxes(made.air))
    yield made
    made.stop()


def info(box):
    return json.loads(box.command("site", "--json").ok())


def linked(site, name):
    box = LinkedBox(site.box(name))
    return box.take_until(lambda: box.head)


def present(site):
    return read_document_text(site.server.ok("document", "show"))


def add(site, user):
    key = KeyPair.new()
    return GrantText(site.server.ok("phone", "add", user, phone_text(key.public)))


def shown(box):
    """Returns the certificate in the box's identity."""
    from independent_phone import Identity
    from independent_site import Certificate
    return Certificate(Identity(air.Link(air.boxes(box.air)["Box " + NUMBER]).read(air.IDENTITY)).additions[1])


def has_followed(site, box):
    """Waits until the box's certificate is from an issuer of the newest document."""
    document = present(site)
    box.wait_until(lambda: shown(box).issuer in document.issuers)


def replace_all(site, root):
    """Replaces all keys of issuers.key with new ones, and drops the old ones."""
    request = site.server.ok("issuers", "new")
    text = root.sign(*drop_all(present(site)), request=request)
    assert "published" in root.publish(text)


def test_drill_stolen_issuers(site, root, box):
    phone = new_phone(box, site, "alice")
    log_in(box, phone, NUMBER)
    gone = add(site, "bert").grant
    site.server.ok("user", "revoke", "bert", "--yes")
    # The thief has the file and makes a grant for his own phone.
    thief = SitePhone(Issuers((site.server.state / "issuers.key").read_bytes(), present(site)), user=b"alice")
    assert thief.visit(box).greeted() is True
    replace_all(site, root)
    has_followed(site, box)
    thief.issuers.document = present(site)
    assert refused_code(thief.visit(box)) == "site-document-needed"
    # The stolen keys can no longer sign a status or an entry. The site's revocations stay valid, also at a box that joins now.
    member = linked(site, "new")
    with pytest.raises(Refused, match="unknown issuer"):
        member.set.add(thief.issuers.revocation(1, bytes(32), int(time.time()) + DAY), member.pin)
    with pytest.raises(Refused, match="user revoked"):
        member.set.check(gone)
    # The user gives the phone a new grant. The box needs nothing.
    give(phone, site.server.ok("phone", "grant", phone_id(site, phone)))
    log_in(box, phone, NUMBER)
    assert info(box)["linked_server"] and not info(box)["problem"]


def refused_code(visit):
    from test_site_login import refused as said
    return said(visit.greeted())


def test_drill_lost_root(site, root, box):
    root.key.unlink()
    before = present(site)
    assert "starts generation 2.1" in root.publish(root.succeed())
    # Phones refuse the site key statement of the lost root.
    unsigned = site.server.command("phone", "add", "erin", phone_text(KeyPair.new().public), "--site-held", "--group", "1")
    assert unsigned.returncode == 65 and "its root has not signed its key" in unsigned.stderr, unsigned.stderr
    has_followed(site, box)
    document = present(site)
    assert document.version == (2 << 32) + 1 and document.root != before.root
    box.wait_until(lambda: info(box)["head_number"] == 0)
    # The new root signs like the old one.
    root.publish(root.sign(request=site.server.ok("issuers", "new")))
    assert present(site).version == (2 << 32) + 2 and len(present(site).issuers) == 8
    phone = new_phone(box, site, "alice")
    log_in(box, phone, NUMBER)
    # Earlier join codes name the old root. A new code joins a box.
    linked(site, "joins")


def test_drill_thief_of_the_root(site, root):
    member = linked(site, "member")
    gone = add(site, "bert").grant
    site.server.ok("user", "revoke", "bert", "--yes")
    member.take_until(lambda: member.head.number == 1)
    # The thief lists his own issuers and uses arbitrarily high numbers.
    own = [KeyPair.new().public for _ in range(4)]
    theirs = Request(present(site).site, [(role + 1, key, int(time.time()) + 300 * DAY) for role, key in enumerate(own)])
    evil = read_document_text(root.sign(*drop_all(present(site)), request=theirs.text))
    member.take_document(evil)
    assert all(key in [each for _, each, _ in member.pin.issuers.values()] for key in own)
    member.link.drop()
    # The next root takes over, with a key and issuers that the thief does not have.
    text = root.succeed(*drop_all(present(site)), request=site.server.ok("issuers", "new"))
    root.publish(text)
    back = LinkedBox(site.link(member.link, number=0))
    back.take_until(lambda: back.head)
    assert back.pin.version == (2 << 32) + 1
    with pytest.raises(Refused, match="user revoked"):
        back.set.check(gone)
    # No box and no server accepts what the thief signs from now on.
    later = root.sign(*drop_all(evil), request=Request(theirs.site, [
        (role + 1, KeyPair.new().public, int(time.time()) + 300 * DAY) for role in range(4)]).text,
        document=document_text(evil.bytes), key=root.directory / "root.key")
    with pytest.raises(Refused):
        back.pin.followed_by(read_document_text(later))
    assert "another root" in root.refused(later)


def test_drill_a_clock_that_was_far_ahead(site, root, box, directory):
    clock = WrongClock(site, directory)
    phone = new_phone(box, site, "alice")
    gone = add(site, "bert").grant
    site.server.ok("user", "revoke", "bert", "--yes")
    member = linked(site, "member")
    # The clock jumps, but not past the issuers' 400 days. Therefore the site still signs, and boxes trust it.
    clock.jump(300 * DAY)
    member.take_until(lambda: member.head.time > time.time() + 200 * DAY)
    box.wait_until(lambda: refuses(box, phone))
    # The clocks are right again. Boxes refuse an older status, and restarts do not help.
    clock.jump(0)
    site.server.stop()
    site.server.start()
    site.server.wait_until(lambda: not site.server.status()["doubt"])
    box.wait_until(lambda: refuses(box, phone))
    generation = info(box)["generation"]
    assert "signed again" in root.publish(root.sign("--generation"))
    has_followed(site, box)
    # The number alone is not enough, because the previous status has the same one.
    box.wait_until(lambda: (after := info(box))["generation"] != generation and after["head_number"] == 1)
    box.wait_until(lambda: shown(box).expiry < time.time() + 2 * DAY)
    log_in(box, phone, NUMBER)
    fresh = linked(site, "fresh")
    assert fresh.head.time < time.time() + DAY
    with pytest.raises(Refused, match="user revoked"):
        fresh.set.check(gone)


def refuses(box, phone):
    tap = phone.command("login", NUMBER)
    if tap.wait() == 0:
        return False
    return "expired" in tap.err or "has been without" in tap.err or "renew" in tap.err


def test_drill_issuers_that_expire_and_are_replaced_while_boxes_stay_linked(site, root, box):
    phone = new_phone(box, site, "alice")
    member = linked(site, "member")
    # The guide's year in seconds: these keys expire soon.
    first = Request.read(site.server.ok("issuers", "new"))
    end = int(time.time()) + 8
    short = Request(first.site, [(role, key, end) for role, key, _ in first.issuers])
    root.publish(root.sign(*drop_all(present(site)), request=short.text))
    status = site.server.command("status")
    assert status.returncode == 2 and "to do: the site's keys for boxes, phones, revocations, servers" in status.stdout, status
    site.server.wait_until(lambda: "the key has expired" in (site.server.status()["doubt"] or ""))
    assert site.server.command("status").returncode == 1
    assert site.server.boxes()["ward"]["address"] and site.server.boxes()["member"]["address"]
    # The dropped keys' file can be used again.
    request = site.server.ok("issuers", "new")
    root.publish(root.sign(request=request))
    assert site.server.command("status").returncode == 0
    document = present(site)
    assert set(Request.read(request).issuers) == set(document.issuers.values()) - {
        each for each in document.issuers.values() if each[2] == end}
    member.take_until(lambda: member.pin.version == document.version)
    has_followed(site, box)
    log_in_again(site, box, phone)
    member.take_until(lambda: member.head.time >= end)


def log_in_again(site, box, phone):
    give(phone, site.server.ok("phone", "grant", phone_id(site, phone)))
    log_in(box, phone, NUMBER)


def test_drill_two_servers_of_which_one_lacks_the_new_keys(site, root):
    second = site.add_server()
    member = linked(site, "member")
    elsewhere = LinkedBox(site.link(member.link, second))
    elsewhere.take_until(lambda: elsewhere.head)
    request = site.server.ok("issuers", "new")
    # The second server refuses to publish a document for which it cannot sign.
    alone = root.sign(*drop_all(present(site)), request=request)
    assert "no key that the document lists" in root.refused(alone, second)
    root.publish(alone)
    second.wait_until(lambda: "lists no key of this server" in (second.status()["doubt"] or ""))
    said = second.command("status")
    assert said.returncode == 1 and "copy issuers.key and issuers-2.key" in said.stdout, said.stdout
    assert "lists no key of this server" in second.running.err and "copy issuers.key" in second.running.err
    done = second.command("phone", "add", "anna", phone_text(KeyPair.new().public))
    assert done.returncode != 0 and "cannot sign now" in done.stderr
    assert site.server.command("status").returncode == 0
    add(site, "anna")
    # The second server's box gets revocations that the first server signed. Data that the second server must sign comes after the
    # file is there.
    elsewhere.take_until(lambda: elsewhere.pin.version == present(site).version)
    file = second.state / "issuers-2.key"
    file.write_bytes((site.server.state / "issuers-2.key").read_bytes())
    file.chmod(0o600)
    second.wait_until(lambda: not second.status()["doubt"])
    assert second.command("status").returncode == 0
    elsewhere.take_until(lambda: elsewhere.head.version == present(site).version)
    with pytest.raises(Refused, match="unknown issuer"):
        LinkedBox(site.link(member.link, second)).pin.issuer(bytes(8), 1)


def test_drill_three_weeks_without_network(site, directory):
    # Phones trust certificates for as long as possible here, so that the box's own offline allowance ends first.
    site.server.extra = ["certificate_hours = 504"]
    site.write_configs()
    clock, clocks = WrongClock(site, directory), BoxClock(directory)
    box = clocks.rule(Box(directory / "box", directory / "air"))
    try:
        three_weeks(site, directory, clock, clocks, box)
    finally:
        box.stop()


def three_weeks(site, directory, clock, clocks, box):
    box.start()
    box.pam_service(users={"alice": PASSWORD})
    box.command("join", stdin=pipe_with(site.server.ok("box", "add", "ward", "--number", NUMBER).encode())).ok()
    box.wait_until(lambda: info(box)["head_number"] is not None)
    box.wait_until(lambda: "Box " + NUMBER in air.boxes(box.air))
    phone, lost = (new_phone(box, site, name) for name in ("kept", "lost"))
    for each in (phone, lost):
        log_in(box, each, NUMBER)
    # The network is gone. The box works for its allowed hours, and then reports why it stopped.
    port = cut(site, box)
    clocks.pass_hours(box, 22)
    log_in(box, phone, NUMBER)
    clocks.pass_hours(box, 2)
    box.wait_until(lambda: info(box)["hours_left"] == 0)
    assert "has been without its site for too long" in refused(box, phone, NUMBER)
    # Three weeks later, after one phone was lost, an administrator brings a stick.
    clocks.pass_hours(box, 20 * 24)
    clock.jump(21 * DAY)
    site.server.ok("phone", "revoke", phone_id(site, lost), "--yes", "--reason", "lost")
    took = bring(box, make(site, directory))
    assert took["new_certificate"] and took["entries_added"] == 1 and took["hours_left"] == 24
    log_in(box, phone, NUMBER)
    assert refused(box, lost, NUMBER)
    # The same stick brings nothing new, and the hours run out as before. The next stick brings more hours.
    clocks.pass_hours(box, 24)
    assert not bring(box, directory / "site.bundle")["changed"]
    assert "has been without its site for too long" in refused(box, phone, NUMBER)
    clock.jump(22 * DAY)
    stick = make(site, directory)
    clocks.pass_hours(box, 6)
    took = bring(box, stick)
    assert took["changed"] and took["hours_left"] in (17, 18), took
    log_in(box, phone, NUMBER)
    # The network is back, and everything works again.
    clock.jump(22 * DAY + 7 * 3_600)
    move(site, port)
    clocks.pass_hours(box, 1)
    box.wait_until(lambda: info(box)["linked_server"] is not None, timeout=90)
    box.wait_until(lambda: info(box)["hours_left"] == 24)
    log_in(box, phone, NUMBER)
    assert refused(box, lost, NUMBER)
