"""Points where the protocol could be read in two ways: the sentence that decides, and a check that the box obeys it. Each test
names its sentences. It fails if the pages no longer have them, or if the box behaves differently. The phone is the one that was
written from the pages."""
import contextlib
import os
import pathlib
import select
import socket

import cbor2
import pytest
from test_independent_phone import IndependentPhone, code_of, enrolled, order

import independent_phone as protocol
import loopback_air as air
from independent_phone import (
    CHANGE_PIN, ENROL, ENROL_NONCE, ENROL_PENDING, EXTEND, HELLO, LOGIN, LOGIN_WITH_PIN, OFFER, PING, PONG, PRESENCE,
    PROGRESS, REPORT_SIGNAL, RESULT, REVEAL, STATUS, STORE_CREDENTIAL, VERSIONS)

REFERENCE = pathlib.Path(__file__).resolve().parents[3] / "docs/reference"
PAGES = " ".join(" ".join((REFERENCE / name).read_text(encoding="utf-8").split())
                 for name in ("protocol.md", "segmentation.md", "proximity.md"))
SECRET = bytes(range(32))
CARRY, SITE_NEWS_WANTED = 39, 43
WAITING = 0  # the value of `progress` while a login waits


def decided_by(*sentences):
    """Marks a test with the sentences that it checks."""
    def mark(test):
        test.__doc__ = " ".join(sentences)
        missing = [sentence for sentence in sentences if sentence not in PAGES]
        return pytest.mark.usefixtures(*(["missing_sentence"] if missing else []))(test)
    return mark


@pytest.fixture
def missing_sentence(request):
    pytest.fail("the pages do not say all of: %s" % request.function.__doc__)


def sent(conversation, kind, *fields):
    """Sends a request without waiting for the answer. Returns its ID."""
    request, sealed = conversation.channel.request(kind, *fields)
    conversation._send(sealed)
    return request


def box_held(box):
    """Enrols a phone whose credential is on the box. Returns (phone, channel)."""
    phone = enrolled(box, "alice", "--box-held")
    conversation = phone.open()
    assert code_of(conversation.ask(STORE_CREDENTIAL, "4711", SECRET, b"correct horse")) == "correct"
    return phone, conversation


# Requests that end a waiting login

@decided_by("`store-credential` and `change-pin` leave it waiting.")
def test_storing_a_credential_leaves_a_login_waiting(box):
    phone, conversation = box_held(box)
    login = sent(conversation, LOGIN_WITH_PIN, "4711", SECRET)
    while conversation.next() != [PROGRESS, login, WAITING]:
        pass
    other = phone.open()
    assert code_of(other.ask(CHANGE_PIN, "4711", "4712", SECRET)) == "correct"
    assert code_of(other.ask(STORE_CREDENTIAL, "4711", SECRET, b"another horse")) == "correct"
    assert box.tap_held()


@decided_by("its channel ends, or the device is revoked.")
@pytest.mark.parametrize("how", ["closed", "revoked"])
def test_a_login_ends_with_its_channel_and_with_its_device(box, how):
    phone = enrolled(box, "alice")
    conversation = phone.open()
    login = sent(conversation, LOGIN, b"correct horse")
    assert conversation.next() == [PROGRESS, login, WAITING]
    if how == "closed":
        conversation.close()
    else:
        box.command("revoke", "--user", "alice", "--yes").ok()
    box.wait_until(lambda: not box.tap_held())


# A full box

@decided_by("32 unless configured; while there are as many, the box does not advertise, and a scan finds nothing",
            "A box that a scan does not find may be full: scan again later.")
def test_a_full_box_is_not_found_until_a_link_ends(make_box):
    box = make_box(**{"limits.links": "2", "limits.half_open_links": "1"})
    phone = enrolled(box, "alice")
    conversation = phone.open()
    conversation.ask(STATUS)
    half_open = air.Link(next(iter(air.boxes(box.air).values())))
    half_open.subscribe()
    box.wait_until(lambda: not air.boxes(box.air))
    half_open.close()
    box.wait_until(lambda: air.boxes(box.air))
    conversation.ask(STATUS)


# Capabilities that were not agreed on

@decided_by("It serves `extend` also without the phone's bit 4.",
            "It answers `carry` of an enrolled phone, and `site-news-wanted` of a phone that no grant has let in, with `bad-request`; "
            "the channel stays open.")
def test_requests_of_capabilities_that_were_not_agreed_end_no_channel(box):
    conversation = enrolled(box, "alice").open(capabilities=0)
    assert code_of(conversation.ask(CARRY, bytes(16))) == "bad-request"
    assert code_of(conversation.ask(SITE_NEWS_WANTED, bytes(35))) == "bad-request"
    assert code_of(conversation.ask(EXTEND)) == "no-session"
    assert code_of(conversation.ask(STATUS)) == "correct"


# hello with a grant

@decided_by("A first `hello` with a grant gets `bad-request`, and the channel ends, on an enrolment channel and from a phone that was "
            "enrolled at this box.",
            "So does a second `hello`, with or without a grant: the first agreement stays.")
@pytest.mark.parametrize("grant", [bytes(16), bytes(151)])
def test_a_hello_with_a_grant_has_no_place_where_nobody_needs_one(box, grant):
    phone = enrolled(box, "alice")
    command, code = order(box, "bob")
    for opened in (phone.open(greets=False), IndependentPhone(box, code).open(code, greets=False)):
        hello = sent(opened, HELLO, VERSIONS, 0, grant)
        assert opened.next()[:3] == [RESULT, hello, protocol.RESULT_CODES.index("bad-request")]
        assert opened.next() is None
    later = phone.open()
    later.ask(STATUS)
    assert code_of(later.ask(HELLO, VERSIONS, 0, grant)) == "bad-request"
    assert code_of(later.ask(STATUS)) == "correct"
    command.stop()


# `reveal` too early, and the IDs of an enrolment's results

@decided_by("The box does not check this: it takes a `reveal` that comes right after `enrol`, and that phone gives up the protection below.",
            "A result carries the id of `reveal` once the box has received it, and before that the id of `enrol`, even if `enrol-nonce` "
            "has answered `enrol` already.")
@pytest.mark.parametrize("honest", [False, True])
def test_a_reveal_that_comes_early_is_taken_and_what_follows_carries_its_id(box, honest):
    command, code = order(box, "alice")
    conversation = IndependentPhone(box, code).open(code)
    nonce = os.urandom(32)
    enrol = sent(conversation, ENROL, "early", conversation.channel.commitment(nonce))
    reveal = sent(conversation, REVEAL, nonce if honest else bytes(32))
    answer = conversation.next()
    assert answer[:2] == [ENROL_NONCE, enrol]
    if honest:
        assert conversation.next() == [ENROL_PENDING, reveal]
        digits = conversation.channel.six_digits(nonce, answer[2])
        command.wait_for("%s %s" % (digits[:3], digits[3:]))
        # The enrolment ends when its command ends.
        command.stop()
        assert conversation.next()[:2] == [RESULT, reveal]
    else:
        assert conversation.next()[:3] == [RESULT, reveal, protocol.RESULT_CODES.index("not-allowed")]
    assert conversation.next() is None


@decided_by("A result carries the id of `reveal` once the box has received it, and before that the id of `enrol`, even if `enrol-nonce` "
            "has answered `enrol` already.",
            "A `reveal` before `enrol` gets `bad-request`, and the enrolment goes on.")
def test_an_enrolment_that_ends_before_reveal_is_answered_under_the_id_of_enrol(box):
    command, code = order(box, "alice")
    conversation = IndependentPhone(box, code).open(code)
    assert code_of(conversation.ask(REVEAL, bytes(32))) == "bad-request"
    enrol = sent(conversation, ENROL, "slow", conversation.channel.commitment(bytes(32)))
    assert conversation.next()[:2] == [ENROL_NONCE, enrol]
    command.stop()
    assert conversation.next()[:3] == [RESULT, enrol, protocol.RESULT_CODES.index("cancelled")]
    assert conversation.next() is None


# A tag alone

@decided_by("A receiver ignores a value under a tag that is not its own, and a value with nothing after the tag.")
def test_a_value_with_nothing_after_its_tag_is_ignored(box):
    conversation = enrolled(box, "alice").open()
    for _ in range(3):
        conversation.link.write(b"")
        assert code_of(conversation.ask(STATUS)) == "correct"


# The smallest MTU of a channel

@decided_by("A box of this version takes 23 to 63 too, and refuses less.",
            "2 for a PSM that is not offered, and 11 for an MTU under 23.", "After a refused channel GATT works as before.")
def test_an_l2cap_channel_of_a_small_mtu_is_taken_down_to_23(box):
    phone = enrolled(box, "alice")
    for sdu in (23, 63, 64):
        conversation = phone.open(l2cap=True, sdu=sdu)
        assert code_of(conversation.ask(STATUS)) == "correct"
        conversation.close()
    link = air.Link(next(iter(air.boxes(box.air).values())))
    psm = int.from_bytes(link.read(air.PSM), "little")
    for number, mtu, result in ((psm, 22, 11), (psm ^ 1, 64, 2)):
        with pytest.raises(air.ChannelRefused) as refused:
            link.open_channel(number, mtu)
        assert refused.value.result == result
    link.subscribe()
    link.close()


# Bytes under way before `hello` is answered

UNDER_WAY = 1_024  # bytes


def sealed_length(conversation, *message):
    return len(cbor2.dumps(list(message), canonical=True)) + 1 + 16


def withheld(conversation, *requests):
    """Delays the only segment of `hello` until the requests are sent. Returns (the last request's ID, the total bytes)."""
    _, hello = conversation.channel.request(HELLO, VERSIONS, 0)
    first = conversation.segments.cut(hello)
    assert len(first) == 1
    total = len(hello)
    for kind, *fields in requests:
        request, sealed = conversation.channel.request(kind, *fields)
        total += len(sealed)
        conversation._send(sealed)
    conversation.link.write(first[0])
    conversation.hello = 1
    return request, total


@decided_by("**Until hello is answered** a phone has at most **1,024 bytes** under way, counted as sealed messages, without the heads of "
            "segments.",
            "`hello` has at most 45 of them, or 257 with a whole grant.",
            "A request that does not fit after it waits for the answer, and so does every other one.")
def test_a_kibibyte_may_be_under_way_before_hello_is_answered(box):
    phone = enrolled(box, "alice")
    conversation = phone.open(greets=False, att_mtu=517)
    assert sealed_length(conversation, HELLO, 255, VERSIONS, 2**32 - 1, bytes(16)) == 45
    assert sealed_length(conversation, HELLO, 23, VERSIONS, 2**32 - 1, bytes(228)) == 257
    hello = sealed_length(conversation, HELLO, 1, VERSIONS, 0)
    room = UNDER_WAY - hello - sealed_length(conversation, PING, 2, b"") - 2
    request, total = withheld(conversation, (PING, bytes(room)))
    assert total == UNDER_WAY
    assert conversation.answers(request)[-1] == [PONG, request, bytes(room)]


@decided_by("A receiver keeps at most twice that as payload, in segments that arrived and were not yet taken as whole messages. More ends "
            "the link.")
def test_more_than_twice_of_what_may_be_under_way_ends_the_link(box):
    conversation = enrolled(box, "alice").open(greets=False, att_mtu=517)
    with pytest.raises(air.LinkEnded):
        withheld(conversation, (PING, bytes(1_000)), (PING, bytes(1_000)), (PING, bytes(100)))
        conversation.next()


# The loopback radio's sockets

@decided_by("A box's socket has the same name at each start, as an adapter keeps its address. A box that has ended may leave its socket, "
            "which refuses connections.")
def test_a_box_that_starts_again_has_the_same_socket(box):
    phone = enrolled(box, "alice")
    old, = air.boxes(box.air).values()
    box.kill()
    assert old.exists()
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)) as link, pytest.raises(ConnectionRefusedError):
        link.connect(str(old))
    box.start()
    new, = air.boxes(box.air).values()
    assert new == old
    assert code_of(phone.open().ask(STATUS)) == "correct"


# Nearness

@decided_by("2 (log in) whenever this phone has no session here, even if no program waits",
            "It is pushed when the phone has come near, which takes about seven reports",
            "the average is -60 dBm or more for 3 s, from at least 5 samples of the last 10 s")
def test_a_login_is_offered_after_some_reports_though_no_program_waits(box):
    conversation = enrolled(box, "alice").open(capabilities=PRESENCE)
    conversation.ask(STATUS)
    assert box.programs_waiting() == 0
    reports = 0
    while not select.select([conversation.link.socket], [], [], 1.0)[0]:
        sent(conversation, REPORT_SIGNAL, 45)
        reports += 1
    assert conversation.next() == [OFFER, 0, 2]
    assert 5 <= reports <= 9
