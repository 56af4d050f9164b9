"""Phones of a site log in at its boxes with their grants, without an enrolment there."""
import json
import os
import time

import pytest

import independent_phone as protocol
import loopback_air as air
from box import Box, pipe_with
from independent_phone import HELLO, HELLO_ANSWER, LOGIN, LOGOUT, RESULT, SITE_ENTRY, SITE_GRANTS, KeyPair, Identity, Opening, Segments
from independent_site import Certificate, check_signature
from site_box import WANT_ENTRIES
from site_issuer import PHONE, USER, Issuers
from user_names import ANNA, SPELLINGS, know, preload

DAY = 86_400


class SitePhone:
    """A phone of the site: one key, a user, and the grant from the test's administrator."""

    def __init__(self, issuers, user=b"alice", user_id=None, days=30, **how):
        self.issuers, self.key, self.user_id = issuers, KeyPair.new(), user_id or os.urandom(16)
        self.grant = issuers.grant(self.key.public, user, self.user_id, int(time.time()) + days * DAY, **how)

    def visit(self, box, shown=None, capabilities=SITE_GRANTS, greets=True, number="004711"):
        try:
            return Visit(self, box, self.grant.bytes if shown is None else shown, capabilities, greets, number)
        except NotShaken:
            # The box got a new certificate after its identity was read, as with each new link to its site. A phone tries again.
            return Visit(self, box, self.grant.bytes if shown is None else shown, capabilities, greets, number)


class NotShaken(Exception):
    """The box ended the link instead of sending message 2."""


class Visit:
    """A channel to a box of the site: the certificate first, then the handshake, then hello with a grant or its hash."""

    def __init__(self, phone, box, shown, capabilities, greets, number):
        self.link = air.Link(air.boxes(box.air)["Box " + number])
        identity = Identity(self.link.read(air.IDENTITY))
        document = phone.issuers.document
        certificate = Certificate(identity.additions[1])
        key, expiry = document.issuer(certificate.issuer, 1)
        check_signature(b"boxlink-site-box-1", document.site, key, certificate.bytes)
        assert certificate.tag == document.tag and certificate.key == identity.box_key and time.time() < expiry
        assert certificate.box_id.decode() == identity.box_id == number
        self.link.subscribe()
        self.segments, self.messages = Segments(self.link.att_mtu), []
        opening = Opening(identity.bytes, phone.key, certificate.key)
        self.send(opening.message)
        try:
            message2 = self.receive()
        except air.LinkEnded as error:
            raise NotShaken() from error
        self.channel = opening.channel(message2)
        if greets:
            fields = [protocol.VERSIONS, capabilities] + ([shown] if shown else [])
            self.ask(HELLO, *fields)

    def send(self, message):
        for segment in self.segments.cut(message):
            self.link.write(segment)

    def receive(self):
        while not self.messages:
            whole, back = self.segments.arrived(self.link.notification())
            self.messages += whole
            for segment in back:
                self.link.write(segment)
        return self.messages.pop(0)

    def ask(self, kind, *fields):
        request, sealed = self.channel.request(kind, *fields)
        self.send(sealed)
        return request

    def next(self):
        """Returns the next message, or None if the box has closed."""
        try:
            return self.channel.open(self.receive())
        except air.LinkEnded:
            return None

    def greeted(self):
        """Returns True if hello was accepted, otherwise all messages of the box."""
        said = self.next()
        if said and said[0] == HELLO_ANSWER:
            assert said[3] & SITE_GRANTS
            return True
        heard = []
        while said:
            heard.append(said)
            said = self.next()
        return heard

    def result(self, request):
        while (said := self.next()) and not (said[0] == RESULT and said[1] == request):
            pass
        return said and protocol.RESULT_CODES[said[2]]


def refused(heard):
    assert heard is not True and heard, "let in, or nothing was said"
    return protocol.RESULT_CODES[heard[-1][2]]


@pytest.fixture
def issuers(site):
    document = site.box("reader").pin
    return Issuers((site.server.state / "issuers.key").read_bytes(), document)


@pytest.fixture
def box(site, directory):
    made = Box(directory / "box", directory / "air").start()
    made.pam_service(users={"alice": b"correct horse"})
    made.own_id = made.id
    join(made, site)
    yield made
    made.stop()


def join(box, site):
    code = site.server.ok("box", "add", "ward", "--number", "004711", "--group", "1")
    box.command("join", stdin=pipe_with(code.encode())).ok()
    box.wait_until(lambda: json.loads(box.command("site", "--json").ok())["head_number"] is not None)
    box.wait_until(lambda: "Box 004711" in air.boxes(box.air))


def devices(box):
    return [device for device in box.json("devices") if device["site"]]


def take_back(site, *entries):
    """Uploads entries as a box that still has entries which the site has lost. The site requests them."""
    member = site.box("other%d" % len(site.boxes))
    member.receive()
    member.drop()
    link = site.link(member, number=1 << 20)
    while link.receive().kind != WANT_ENTRIES:
        pass
    link.upload(entries)


def log_in(box, visit, user="alice"):
    program = box.pam(user)
    box.wait_until(box.programs_waiting)
    assert visit.result(visit.ask(LOGIN, b"correct horse")) == "correct"
    program.ok()


def test_a_phone_of_the_site_logs_in_and_comes_again_by_the_hash_of_its_grant(box, issuers):
    phone = SitePhone(issuers)
    visit = phone.visit(box)
    assert visit.greeted() is True
    log_in(box, visit)
    visit.link.close()
    again = phone.visit(box, phone.grant.hash)
    assert again.greeted() is True
    device, = devices(box)
    assert (device["user"], device["state"], device["label"], device["box_held"]) == ("alice", "active", "site phone", False)
    audit = [entry["event"] for entry in box.json("audit")]
    assert audit.count("device-enrolled") == 1


def test_a_grant_for_another_spelling_of_an_account_is_for_the_name_that_the_boxs_user_database_has(site, directory, issuers):
    box = Box(directory / "box", directory / "air")
    preload(box, ANNA)
    box.start().pam_service(users={"anna": b"correct horse", "Anna": b"correct horse"})
    try:
        join(box, site)
        phone = SitePhone(issuers, b"anna@corp.example")
        visit = phone.visit(box)
        assert visit.greeted() is True
        assert [device["user"] for device in devices(box)] == ["anna"]
        log_in(box, visit, "anna")
        log_in(box, visit, "Anna")
        visit.link.close()
        # A second grant of the same phone, while the user database does not answer. The device stays anna's.
        know(box, [(spelling, "-", 0) for spelling in SPELLINGS])
        phone.grant = issuers.grant(phone.key.public, b"anna@corp.example", phone.user_id, int(time.time()) + 20 * DAY)
        visit = phone.visit(box)
        assert visit.greeted() is True
        log_in(box, visit, "anna")
        assert [device["user"] for device in devices(box)] == ["anna"]
    finally:
        box.stop()


def test_a_phone_stays_a_device_when_the_agent_is_started_anew_and_the_box_keeps_its_number(box, issuers, site):
    phone = SitePhone(issuers)
    assert phone.visit(box).greeted() is True
    site.server.stop()
    box.kill()
    box.start()
    box.wait_until(lambda: "Box 004711" in air.boxes(box.air))
    visit = phone.visit(box, phone.grant.hash)
    assert visit.greeted() is True
    log_in(box, visit)


@pytest.mark.parametrize("what, says", [
    (dict(groups=(2,)), "not-at-this-box"),
    (dict(days=-1), "grant-expired"),
    (dict(role="boxes"), "grant-not-accepted"),
], ids=["another group", "expired", "an issuer of boxes"])
def test_a_grant_that_does_not_count_is_refused_and_nothing_is_kept(box, issuers, what, says):
    assert refused(SitePhone(issuers, **what).visit(box).greeted()) == says
    assert devices(box) == []


def test_a_forged_grant_one_of_another_phone_and_an_unknown_hash_are_refused(box, issuers):
    phone, other = SitePhone(issuers), SitePhone(issuers)
    forged = phone.grant.bytes[:-1] + bytes([phone.grant.bytes[-1] ^ 1])
    assert refused(phone.visit(box, forged).greeted()) == "grant-not-accepted"
    assert refused(phone.visit(box, other.grant.bytes).greeted()) == "grant-not-accepted"
    assert refused(phone.visit(box, phone.grant.hash).greeted()) == "grant-wanted"
    assert phone.visit(box, b"").greeted() == []
    assert devices(box) == []


def test_whoever_asks_for_something_else_before_hello_hears_nothing(box, issuers):
    visit = SitePhone(issuers).visit(box, greets=False)
    visit.ask(LOGOUT)
    assert visit.next() is None


@pytest.mark.parametrize("kind", [PHONE, USER])
def test_what_the_site_takes_back_ends_the_channel_at_once_and_is_refused_with_the_sites_word(box, issuers, site, kind):
    phone, stays = SitePhone(issuers), SitePhone(issuers)
    visit, other = phone.visit(box), stays.visit(box)
    assert visit.greeted() is True and other.greeted() is True
    subject = phone.key.public if kind == PHONE else phone.user_id + (0).to_bytes(8, "big") + bytes(8)
    entry = issuers.revocation(kind, subject, int(time.time()) + 31 * DAY)
    take_back(site, entry)
    said = visit.next()
    assert said == [SITE_ENTRY, 0, entry.bytes]
    assert visit.next() is None
    box.wait_until(lambda: len(devices(box)) == 1)
    heard = phone.visit(box).greeted()
    assert heard[0] == [SITE_ENTRY, 0, entry.bytes] and refused(heard) == "revoked-by-site"
    assert stays.visit(box, stays.grant.hash).greeted() is True
    assert "device-revoked" in [line["event"] for line in box.json("audit")]


def test_a_phone_that_the_boxs_administrator_revoked_is_refused_here_whatever_it_shows(box, issuers):
    phone = SitePhone(issuers)
    visit = phone.visit(box)
    assert visit.greeted() is True
    said = box.command("revoke", devices(box)[0]["id"], "--yes").ok()
    assert "boxsite phone revoke" in said
    # The site decides about this key, so a box never tells the phone to destroy it.
    assert visit.next() is None
    assert refused(phone.visit(box).greeted()) == "grant-not-accepted"
    box.kill()
    box.start()
    box.wait_until(lambda: "Box 004711" in air.boxes(box.air))
    assert refused(phone.visit(box).greeted()) == "grant-not-accepted"


def test_a_box_that_leaves_its_site_forgets_the_sites_phones_and_has_its_own_digits_again(box, issuers):
    phone = SitePhone(issuers)
    visit = phone.visit(box)
    assert visit.greeted() is True
    box.command("leave", "--yes").ok()
    assert visit.next() is None
    box.wait_until(lambda: "Box " + box.own_id in air.boxes(box.air))
    assert devices(box) == [] and box.id == box.own_id
