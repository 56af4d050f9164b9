"""Phones that send and never acknowledge. They delay no other phone, and once revoked they have no further effect.

The stalled phone is written from the document: it pipelines requests, reads nothing and acknowledges nothing. The segment window
towards it therefore stays closed (docs/reference/segmentation.md).
"""
import contextlib
import signal
import time

import pytest
from deadline import is_within
from test_independent_phone import code_of, enrolled
from test_sessions import Login

import loopback_air as air
from independent_phone import CANCEL_LOGIN, LOGIN, REVOKED, STATE, STATUS

# These requests fill the window of 32 segments exactly: the answer to hello, two messages for each status, and one for the last
# request. The box's next message cannot leave.
REQUESTS = 15


class Stalled:
    """A channel that sends many requests and reads nothing."""

    def __init__(self, phone, login=None, requests=REQUESTS):
        self.conversation = phone.open()
        for _ in range(requests):
            self.send(STATUS)
        self.send(LOGIN, login) if login is not None else self.send(CANCEL_LOGIN)

    def send(self, kind, *fields):
        request, sealed = self.conversation.channel.request(kind, *fields)
        self.conversation._send(sealed)
        return request

    def is_open(self):
        """Returns whether the box still holds the link. The box ignores an empty value, which is not a segment."""
        try:
            self.conversation.link.write(b"")
            return True
        except (air.LinkEnded, OSError):
            return False


def stalled_everywhere(box, count):
    """Opens `count` stalled channels, four for each device."""
    channels = []
    for number in range((count + 3) // 4):
        phone = enrolled(box, f"user{number}")
        channels += [Stalled(phone) for _ in range(min(4, count - len(channels)))]
    return channels


def test_a_revocation_of_several_phones_is_one_step_and_waits_for_none_of_them(box):
    stalled = Stalled(enrolled(box, "alice"))
    second = enrolled(box, "alice").open()
    order = box.command("revoke", "--user", "alice", "--yes")
    # When one row shows the revocation, all do.
    box.wait_until(lambda: "revoked" in [device["state"] for device in box.json("devices")])
    assert [device["state"] for device in box.json("devices")] == ["revoked", "revoked"]
    assert stalled.is_open() or order.wait() == 0
    order.ok()
    with pytest.raises(air.LinkEnded):
        # The box may only send `revoked` before it ends the link.
        second.ask(LOGIN, b"correct horse")
    assert not box.tap_held()


def test_nothing_that_a_revoked_phone_sends_has_an_effect_once_the_command_has_returned(box):
    phones = [enrolled(box, "alice") for _ in range(4)]
    stalled = [Stalled(phone) for phone in phones for _ in range(2)]
    listening = [phone.open() for phone in phones]
    box.command("revoke", "--user", "alice", "--yes").ok()
    for channel in stalled:
        with contextlib.suppress(air.LinkEnded, OSError):
            channel.send(LOGIN, b"correct horse")
    for channel in listening:
        with pytest.raises(air.LinkEnded):
            channel.ask(LOGIN, b"correct horse")
    # The agent answers after it has received everything, so an effect would be visible.
    status = box.json("status")
    assert not status["tap_held"] and status["channels_authenticated"] == 0
    for phone in phones:
        with pytest.raises(air.LinkEnded):
            phone.open().ask(STATUS)


def test_a_revoked_phone_that_reads_late_still_hears_that_it_is_revoked(box):
    stalled = Stalled(enrolled(box, "alice"))
    # The messages of the revocation wait behind the segments under way, which fill the window.
    box.command("revoke", "--user", "alice", "--yes").ok()
    heard = []
    while (message := stalled.conversation.next()) is not None:
        heard.append(message[0])
    assert heard[-1] == REVOKED and heard.count(REVOKED) == 1


def test_a_tap_that_waits_goes_with_its_phone_and_serves_no_program_after_the_revocation(box):
    box.pam_service(users={"alice": b"correct horse"})
    stalled = Stalled(enrolled(box, "alice"), login=b"correct horse")
    box.wait_until(box.tap_held)
    box.command("revoke", "--user", "alice", "--yes").ok()
    assert not box.tap_held()
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    program.stop()
    del stalled


def test_another_persons_deadline_does_not_wait_for_a_stalled_phone(make_box):
    box = make_box(**{"login.hold_seconds": "2"})
    alice = Stalled(enrolled(box, "alice"), login=b"correct horse")
    bob = enrolled(box, "bob").open()
    # The same timer ends both taps, but alice's phone never takes its answer.
    assert code_of(bob.ask(LOGIN, b"battery staple")) == "timed-out"
    assert alice.is_open(), "the answer came only after the stalled phone's link had ended"


def test_a_session_is_followed_although_its_phone_takes_no_answer(box):
    box.pam_service(users={"alice": b"correct horse"})
    alice = Stalled(enrolled(box, "alice"), login=b"correct horse")
    box.wait_until(box.tap_held)
    login = Login(box, "alice")

    def logged():
        return [entry["event"] for entry in box.json("audit") if entry["event"].startswith("session-")]

    # The log shows the opening and the closing in order while the phone still does not read.
    box.wait_until(lambda: logged() == ["session-opened"])
    login.close()
    box.wait_until(lambda: logged() == ["session-opened", "session-closed"])
    assert alice.is_open()


def test_the_agent_ends_in_two_seconds_with_thirty_two_stalled_phones(make_box):
    box = make_box(**{"limits.links": "64"})
    box.agent.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    box.agent.wait()
    idle = time.monotonic() - began
    box.start()
    channels = stalled_everywhere(box, 32)
    box.agent.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    assert box.agent.wait() == 0
    # Allows for the time that this machine needs without phones.
    assert is_within(time.monotonic() - began, 2 + 2 * idle)
    del channels


def test_a_reload_acts_at_once_with_thirty_two_stalled_phones(make_box):
    def reload():
        lines = box.agent.err.count("configuration reloaded")
        began = time.monotonic()
        box.agent.process.send_signal(signal.SIGHUP)
        box.wait_until(lambda: box.agent.err.count("configuration reloaded") > lines)
        return time.monotonic() - began

    box = make_box(**{"limits.links": "64"})
    idle = min(reload() for _ in range(3))
    channels = stalled_everywhere(box, 32)
    box.write_config(**{"auto_logout.idle_seconds": "600"})
    assert min(reload() for _ in range(3)) < 0.1 + 3 * idle
    del channels


def test_a_phone_that_takes_nothing_is_let_go_of_and_its_next_channel_is_served(box):
    phone = enrolled(box, "alice")
    # The answers exceed the window and the box's queue.
    stalled = Stalled(phone, requests=26)
    assert stalled.is_open()
    assert any(message[0] == STATE for message in phone.open().ask(STATUS))
    del stalled
