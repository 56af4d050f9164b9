"""The phone that was written from the document alone, against the real agent."""

import contextlib
import json
import os
import pathlib
import select
import sys

import pexpect
import pytest

from box import BIN, PATIENCE

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import independent_phone as protocol  # noqa: E402
import loopback_air as air  # noqa: E402
from independent_phone import (  # noqa: E402
    CHANGE_PIN, ENROL, ENROL_NONCE, ENROL_PENDING, ENROLLED, ENROLMENT, EXTEND, HELLO, HELLO_ANSWER, LOGIN, LOGIN_WITH_PIN, LOGOUT,
    LOGOUT_CAUSES, LOGOUT_WARNING, LOGOUT_WARNINGS, OFFER, PING, PONG, PRESENCE, PROGRESS, REPORT_SIGNAL, RESULT, REVEAL, SET_AUTO_LOGOUT, SET_THRESHOLDS, STATE, STATUS, STORE_CREDENTIAL, EnrolmentCode, Identity, KeyPair, Opening, Segments)


class NotAsked(Exception):
    """The box refused `enrol`."""


class Conversation:
    """One channel to a box."""

    def __init__(self, box, phone, code=None, att_mtu=185, l2cap=False, claims=None, greets=True,
                 capabilities=0, sdu=2_048):
        found = air.boxes(box.air)
        self.link = air.Link(found["Box " + phone.box_id], att_mtu)
        identity = Identity(self.link.read(air.IDENTITY))
        identity.check(phone.authority, phone.box_key, phone.box_id)
        psm = int.from_bytes(self.link.read(air.PSM), "little")
        assert 0x80 <= psm <= 0xFF
        if l2cap:
            self.link.open_channel(psm, sdu)
        else:
            self.link.subscribe()
        self.segments = Segments(self.link.att_mtu, self.link.sdu)
        self.messages = []
        psm = psm if l2cap else 0
        opening = Opening(identity.bytes, phone.key, phone.box_key, code, psm=psm if claims is None else claims)
        self._send(opening.message)
        self.channel = opening.channel(self._receive())
        if greets:
            self.hello, sealed = self.channel.request(HELLO, protocol.VERSIONS, capabilities)
            self._send(sealed)

    def ask(self, kind, *fields):
        """Sends a request. Returns the box's messages up to and including the result."""
        request, sealed = self.channel.request(kind, *fields)
        self._send(sealed)
        return self.answers(request)

    def answers(self, request):
        heard = []
        while True:
            message = self.next()
            # None is the box's `close`, which may or may not arrive before the link ends.
            if message is None:
                raise air.LinkEnded()
            heard.append(message)
            if message[0] in (RESULT, ENROLLED, ENROL_NONCE, PONG) and message[1] == request:
                return heard

    def enrol(self, label="independent"):
        """Enrols: commits to a nonce, gets the box's nonce, reveals its own. Returns (the last answer, the six digits)."""
        request, nonce, digits = self.reveal(label)
        return self.answers(request)[-1], digits

    def reveal(self, label="independent"):
        """Enrols without waiting for the outcome. Returns (the request to be answered, the phone's nonce, the digits)."""
        nonce = os.urandom(32)
        answer = self.ask(ENROL, label, self.channel.commitment(nonce))[-1]
        if answer[0] != ENROL_NONCE:
            raise NotAsked(protocol.RESULT_CODES[answer[2]])
        request, sealed = self.channel.request(REVEAL, nonce)
        self._send(sealed)
        return request, nonce, self.channel.six_digits(nonce, answer[2])

    def next(self):
        message = self.channel.open(self._receive())
        if message is not None and message[0] == HELLO_ANSWER:
            assert message[1:3] == [self.hello, 2]
            self.capabilities = message[3]
            return self.next()
        return message

    def close(self):
        self._send(self.channel.seal_close())
        self.link.close()

    def _send(self, message):
        for segment in self.segments.cut(message):
            self.link.write(segment)

    def _receive(self):
        while not self.messages:
            whole, back = self.segments.arrived(self.link.notification())
            self.messages += whole
            for segment in back:
                # Ignores the link's end: messages that have arrived still count, and the next read reports the end.
                with contextlib.suppress(air.LinkEnded):
                    self.link.write(segment)
        return self.messages.pop(0)


class IndependentPhone:
    def __init__(self, box, code):
        self.box, self.key = box, KeyPair.new()
        self.authority, self.box_key, self.box_id = code.authority, code.box_key, code.box_id

    def open(self, code=None, **how):
        return Conversation(self.box, self, code, **how)


def order(box, *words):
    """Starts the administrator's command. Returns (command, the code that it shows)."""
    command = box.command("enrol", *words)
    return command, EnrolmentCode(command.wait_for_code())


def enrolled(box, user, *words):
    command, code = order(box, user, "--yes", *words)
    phone = IndependentPhone(box, code)
    conversation = phone.open(code)
    answer, _ = conversation.enrol()
    conversation.close()
    command.ok()
    assert answer[0] == ENROLLED and answer[3] == user.encode() and answer[5] == code.box_id
    assert answer[4] == (1 if "--box-held" in words else 0)
    return phone


def code_of(answers):
    assert answers[-1][0] == RESULT
    return protocol.RESULT_CODES[answers[-1][2]]


def test_both_sides_show_the_same_digits_and_nobody_is_enrolled_unless_the_administrator_says_so(box):
    command, code = order(box, "alice")
    phone = IndependentPhone(box, code)
    conversation = phone.open(code)
    request, _, digits = conversation.reveal()
    assert conversation.next() == [ENROL_PENDING, request]
    # Standard input is empty, so the comparison is not confirmed.
    command.wait_for(digits[:3] + " " + digits[3:])
    assert code_of(conversation.answers(request)) == "not-allowed"
    assert command.wait() != 0
    assert box.json("devices") == []


@pytest.fixture
def administrator(box):
    """Runs `boxagent enrol alice` at a terminal. Yields (terminal, the code that it shows). The command is ended in any case."""
    child = pexpect.spawn(
        str(BIN / "boxagent"), ["enrol", "alice", "--socket", str(box.run / "control.sock")], encoding="utf-8",
        timeout=PATIENCE, dimensions=(60, 700))
    child.expect(r"boxlink:\S+")
    yield child, EnrolmentCode(child.after)
    child.close(force=True)


def asked_for_digits(phone, code):
    """Starts an enrolment with the code. The phone then waits for the administrator, who sees the digits."""
    conversation = phone.open(code)
    request, _, digits = conversation.reveal()
    assert conversation.next() == [ENROL_PENDING, request]
    return conversation, request, digits


def test_whoever_photographed_the_code_is_not_enrolled_by_the_yes_to_another_phone(box, administrator):
    terminal, code = administrator
    mine, request, digits = asked_for_digits(IndependentPhone(box, code), code)
    terminal.expect_exact(digits[:3] + " " + digits[3:])
    terminal.expect("exactly these digits")
    # The phone that photographed the code comes during the question and is refused. The question is still about the first phone.
    photographer = IndependentPhone(box, code)
    with pytest.raises(NotAsked, match="busy"):
        photographer.open(code).reveal()
    # The first phone disconnects before the answer, which cancels the question and the code.
    mine.link.close()
    terminal.expect("the phone has disconnected")
    terminal.expect("the phone disconnected before it was enrolled")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 1
    for phone in (photographer, IndependentPhone(box, code)):
        with pytest.raises(air.LinkEnded):
            phone.open(code)
    assert box.json("devices") == []


def test_a_yes_enrols_the_phone_whose_digits_were_shown_and_no_other(box, administrator):
    terminal, code = administrator
    phone = IndependentPhone(box, code)
    mine, request, digits = asked_for_digits(phone, code)
    terminal.expect_exact(digits[:3] + " " + digits[3:])
    terminal.expect("exactly these digits")
    with pytest.raises(NotAsked, match="busy"):
        IndependentPhone(box, code).open(code).reveal()
    terminal.sendline("y")
    assert mine.answers(request)[-1][0] == ENROLLED
    terminal.expect(pexpect.EOF)
    assert code_of(phone.open().ask(STATUS)) == "correct"
    assert len(box.json("devices")) == 1


def test_a_phone_that_shows_another_nonce_than_it_committed_to_is_refused_and_the_code_is_void(box, administrator):
    terminal, code = administrator
    phone = IndependentPhone(box, code)
    conversation = phone.open(code)
    honest = os.urandom(32)
    answer = conversation.ask(ENROL, "chooser", conversation.channel.commitment(honest))[-1]
    assert answer[0] == ENROL_NONCE
    # Searches for a nonce that gives other digits than those committed to. A million tries are enough.
    chosen = next(nonce for nonce in (os.urandom(32) for _ in range(1_000_000))
                  if conversation.channel.six_digits(nonce, answer[2]).startswith("0"))
    assert code_of(conversation.ask(REVEAL, chosen)) == "not-allowed"
    assert conversation.next() is None, "the box closes"
    terminal.expect("tried to choose its digits")
    terminal.expect(pexpect.EOF)
    with pytest.raises(air.LinkEnded):
        phone.open(code)
    assert box.json("devices") == []


def test_a_commitment_of_another_handshake_holds_nothing(box, administrator):
    terminal, code = administrator
    first, second = (IndependentPhone(box, code).open(code) for _ in range(2))
    nonce = os.urandom(32)
    answer = second.ask(ENROL, "relayed", first.channel.commitment(nonce))[-1]
    assert answer[0] == ENROL_NONCE
    assert code_of(second.ask(REVEAL, nonce)) == "not-allowed"
    terminal.expect(pexpect.EOF)
    assert box.json("devices") == []


def test_a_second_enrol_and_a_reveal_out_of_its_place_change_nothing(box, administrator):
    terminal, code = administrator
    conversation = IndependentPhone(box, code).open(code)
    assert code_of(conversation.ask(REVEAL, os.urandom(32))) == "bad-request"
    request, nonce, digits = conversation.reveal()
    assert conversation.next() == [ENROL_PENDING, request]
    for kind, fields in ((ENROL, ["again", os.urandom(32)]), (REVEAL, [nonce]), (ENROLMENT, []), (STATUS, [])):
        assert code_of(conversation.ask(kind, *fields)) == "bad-request"
    terminal.expect_exact(digits[:3] + " " + digits[3:])
    terminal.sendline("y")
    assert conversation.answers(request)[-1][0] == ENROLLED


def test_a_key_that_is_enrolled_already_is_told_so_and_the_code_still_holds(box):
    phone = enrolled(box, "alice")
    command, code = order(box, "alice", "--yes")
    with pytest.raises(NotAsked, match="already-enrolled"):
        phone.open(code).reveal()
    assert IndependentPhone(box, code).open(code).enrol()[0][0] == ENROLLED
    command.ok()


def test_a_yes_typed_before_the_digits_are_shown_answers_nothing(box, administrator):
    terminal, code = administrator
    terminal.sendline("y")
    terminal.expect("y")
    mine, request, digits = asked_for_digits(IndependentPhone(box, code), code)
    terminal.expect("exactly these digits")
    terminal.sendline("n")
    assert code_of(mine.answers(request)) == "not-allowed"
    terminal.expect(pexpect.EOF)
    assert box.json("devices") == []


def test_a_phone_that_is_being_enrolled_outlasts_a_flood_of_half_open_links(box, administrator):
    terminal, code = administrator
    mine, request, digits = asked_for_digits(IndependentPhone(box, code), code)
    terminal.expect("exactly these digits")
    flood = []
    for _ in range(60):
        link = air.Link(air.boxes(box.air)["Box " + code.box_id], 185)
        link.subscribe()
        flood.append(link)
    box.wait_until(lambda: box.json("status")["links_open"] <= 9)
    terminal.sendline("y")
    assert mine.answers(request)[-1][0] == ENROLLED
    terminal.expect(pexpect.EOF)
    for link in flood:
        link.close()


@pytest.mark.parametrize("att_mtu", [23, 64, 185, 517])
def test_it_logs_a_person_in_whatever_the_att_mtu(box, att_mtu):
    phone = enrolled(box, "alice")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    conversation = phone.open(att_mtu=att_mtu)
    answers = conversation.ask(LOGIN, b"correct horse")
    assert code_of(answers) == "correct"
    assert [PROGRESS, 2, 1] in answers
    program.ok()
    conversation.close()


def test_it_hears_that_a_password_was_wrong(box):
    phone = enrolled(box, "alice")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    conversation = phone.open()
    assert code_of(conversation.ask(LOGIN, b"wrong horse")) == "wrong-credentials"
    assert program.wait() != 0


def test_it_keeps_a_credential_on_the_box_under_a_pin(box):
    phone = enrolled(box, "alice", "--box-held")
    secret = bytes(range(32))
    conversation = phone.open()
    assert code_of(conversation.ask(LOGIN_WITH_PIN, "4711", secret)) == "no-credential"
    assert code_of(conversation.ask(STORE_CREDENTIAL, "4711", secret, b"correct horse")) == "correct"
    answers = conversation.ask(LOGIN_WITH_PIN, "0000", secret)
    assert code_of(answers) == "pin-wrong" and answers[-1][3] == 9
    assert code_of(conversation.ask(CHANGE_PIN, "4711", "caf\u00e9", secret)) == "correct"
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    assert code_of(conversation.ask(LOGIN_WITH_PIN, "caf\u00e9", secret)) == "correct"
    program.ok()
    assert code_of(conversation.ask(LOGIN, b"correct horse")) == "not-allowed"


ATTEMPTS = 10  # the index of pin-attempts-left in a state


def test_every_change_of_the_pin_attempts_is_pushed_to_all_channels_ahead_of_the_result(box):
    phone = enrolled(box, "alice", "--box-held")
    secret = bytes(range(32))
    conversation, other = phone.open(), phone.open()
    for asked in (conversation, other):
        assert asked.ask(STATUS)[0][ATTEMPTS] is None

    def both_hear(attempts, kind, *fields):
        *_, state, result = conversation.ask(kind, *fields)
        assert (state[0], state[ATTEMPTS]) == (STATE, attempts), "ahead of the result"
        pushed = other.next()
        assert (pushed[0], pushed[ATTEMPTS]) == (STATE, attempts)
        return protocol.RESULT_CODES[result[2]]

    assert both_hear(10, STORE_CREDENTIAL, "4711", secret, b"correct horse") == "correct"
    assert both_hear(9, LOGIN_WITH_PIN, "0000", secret) == "pin-wrong"
    assert both_hear(8, CHANGE_PIN, "0000", "1111", secret) == "pin-wrong"
    assert both_hear(10, CHANGE_PIN, "4711", "1111", secret) == "correct"
    box.command("wipe", "--user", "alice", "--yes").ok()
    for told in (conversation, other):
        pushed = told.next()
        assert (pushed[0], pushed[ATTEMPTS]) == (STATE, None)
    assert code_of(conversation.ask(LOGIN_WITH_PIN, "1111", secret)) == "wiped"


def test_the_state_during_the_tenth_try_ends_no_channel(make_box):
    box = make_box(**{"pin.hash_milliseconds": "1000"})
    phone = enrolled(box, "alice", "--box-held")
    secret = bytes(range(32))
    trying, watching = phone.open(), phone.open()
    assert code_of(trying.ask(STORE_CREDENTIAL, "4711", secret, b"correct horse")) == "correct"
    for _ in range(9):
        assert code_of(trying.ask(LOGIN_WITH_PIN, "0000", secret)) == "pin-wrong"
    watching.ask(STATUS)
    tenth, sealed = trying.channel.request(LOGIN_WITH_PIN, "0000", secret)
    trying._send(sealed)
    seen = [1]
    # Asks until the try is over. 1 is left before the try is counted, 0 while its PIN is hashed, and None afterwards.
    while seen[-1] is not None:
        seen += [message[ATTEMPTS] for message in watching.ask(STATUS) if message[0] == STATE]
    assert seen == sorted(seen, key=lambda left: -1 if left is None else left, reverse=True)
    assert code_of(trying.answers(tenth)) == "wiped"
    assert code_of(watching.ask(STATUS)) == "correct"


def test_a_second_hello_is_a_bad_request_and_the_first_one_stays(box):
    conversation = enrolled(box, "alice").open()
    conversation.ask(STATUS)
    assert code_of(conversation.ask(HELLO, protocol.VERSIONS, 0)) == "bad-request"
    assert code_of(conversation.ask(STATUS)) == "correct"


def test_it_reads_the_state_and_sets_the_automatic_logout(box):
    conversation = enrolled(box, "alice").open()
    state, result = conversation.ask(STATUS)
    assert state[:4] == [STATE, 0, 0, None] and result[2] == 0
    minimum, maximum = state[5:7]
    assert code_of(conversation.ask(SET_AUTO_LOGOUT, minimum)) == "correct"
    state, _ = conversation.ask(STATUS)
    assert state[4] == minimum
    assert code_of(conversation.ask(SET_AUTO_LOGOUT, maximum + 1)) == "not-allowed"
    assert code_of(conversation.ask(LOGOUT)) == "no-session"


def test_an_enrolled_phone_that_lost_the_answer_asks_again_and_nothing_changes(box):
    conversation = enrolled(box, "alice").open()
    answer = conversation.ask(ENROLMENT)[-1]
    assert answer[0] == ENROLLED and answer[3] == b"alice"
    assert code_of(conversation.ask(ENROL, "another name", bytes(32))) == "bad-request"
    assert [device["label"] for device in box.json("devices")] == ["independent"]


def test_a_revoked_phone_is_told_and_then_not_heard(box):
    phone = enrolled(box, "alice")
    conversation = phone.open()
    conversation.ask(STATUS)
    box.command("revoke", "--user", "alice", "--yes").ok()
    assert conversation.next() == [protocol.REVOKED, 0]
    assert conversation.next() is None
    with pytest.raises(air.LinkEnded):
        phone.open()


def test_it_enrols_and_logs_in_over_l2cap(box):
    command, code = order(box, "alice", "--yes")
    phone = IndependentPhone(box, code)
    conversation = phone.open(code, l2cap=True)
    assert conversation.enrol()[0][0] == ENROLLED
    conversation.close()
    command.ok()
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    assert code_of(phone.open(l2cap=True).ask(LOGIN, b"correct horse")) == "correct"
    program.ok()


@pytest.mark.parametrize("l2cap, claims", [(False, 0x80), (True, 0), (True, 0x81)])
def test_a_handshake_for_another_bearer_or_psm_is_refused(box, l2cap, claims):
    phone = enrolled(box, "alice")
    with pytest.raises(air.LinkEnded):
        phone.open(l2cap=l2cap, claims=claims)


@pytest.mark.parametrize("l2cap", [False, True])
def test_its_pings_come_back_whole(box, l2cap):
    conversation = enrolled(box, "alice").open(att_mtu=517, l2cap=l2cap)
    # All sizes fit into the window, because this phone never waits for credit.
    for size in (0, 1, 1_000, 7_000 if not l2cap else 16_384):
        payload = bytes(number * 7 % 256 for number in range(size))
        assert conversation.ask(PING, payload)[-1] == [PONG, conversation.channel.next_id - 1, payload]
    assert code_of(conversation.ask(STATUS)) == "correct"


def test_a_ping_over_the_limit_ends_the_channel(box):
    conversation = enrolled(box, "alice").open(l2cap=True)
    with pytest.raises(air.LinkEnded):
        conversation.ask(PING, bytes(16_385))


def test_a_phone_that_is_not_enrolled_gets_no_ping_back(box):
    command, code = order(box, "alice")
    conversation = IndependentPhone(box, code).open(code)
    assert code_of(conversation.ask(PING, b"there and back")) == "bad-request"
    conversation.close()
    command.stop()


@pytest.mark.parametrize("kind, fields", [(STATUS, []), (PING, [b"x"]), (LOGIN, [b"correct horse"])])
def test_a_channel_that_does_not_begin_with_hello_is_ended(box, kind, fields):
    conversation = enrolled(box, "alice").open(greets=False)
    _, sealed = conversation.channel.request(kind, *fields)
    conversation._send(sealed)
    assert conversation.next() is None, "nothing but the close message"
    box.wait_until(lambda: box.json("status")["links_open"] == 0)


def test_a_phone_that_pings_without_end_delays_itself_only(box):
    flood = enrolled(box, "alice").open(l2cap=True)
    other = enrolled(box, "bob").open()
    for _ in range(30):
        request, sealed = flood.channel.request(PING, bytes(1_000))
        flood._send(sealed)
    assert code_of(other.ask(STATUS)) == "correct"
    assert flood.answers(request)[-1][0] == PONG


def test_it_reports_its_signal_and_is_offered_a_tap(box):
    phone = enrolled(box, "alice")
    conversation = phone.open(capabilities=PRESENCE)
    conversation.ask(STATUS)
    assert conversation.capabilities & PRESENCE

    def explained():
        return json.loads(box.command("status", "--explain", "--json").ok())["presence"][0]

    while explained()["state"] != "near":
        conversation._send(conversation.channel.request(REPORT_SIGNAL, 45)[1])
        select.select([], [], [], 0.6)
    # Reports are not answered. The next message is the offer of a login.
    assert conversation.next() == [OFFER, 0, 2]
    # A channel that opens while the offer is valid gets it too.
    late = phone.open(capabilities=PRESENCE)
    assert late.ask(STATUS)[0] == [OFFER, 0, 2]
    late.close()
    assert code_of(conversation.ask(SET_THRESHOLDS, 40, 81)) == "correct"
    assert (explained()["near_dbm"], explained()["far_dbm"], explained()["calibrated"]) == (-40, -81, True)
    assert code_of(conversation.ask(SET_THRESHOLDS, None, None)) == "correct"
    assert not explained()["calibrated"]
    conversation.close()
