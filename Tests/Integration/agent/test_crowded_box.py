"""More phones watch a box than it keeps channels open. They share the channels, and a phone that wants to log in is served."""
import contextlib

import pytest
from test_independent_phone import code_of, enrolled

import loopback_air as air
from independent_phone import LOGIN, PROGRESS, STATUS

WATCHERS = 32
PLACES = 20  # the number of channels that stay open (docs/reference/protocol.md, section 14)


def watches(phone):
    """Opens a channel of a phone that watches. Returns None if the box closes it at once."""
    conversation = phone.open()
    with contextlib.suppress(air.LinkEnded):
        conversation.ask(STATUS)
        return conversation
    return None


def is_open(conversation):
    try:
        return code_of(conversation.ask(STATUS)) == "correct"
    except air.LinkEnded:
        return False


def logs_in(box, phone, password):
    conversation = phone.open()
    request, sealed = conversation.channel.request(LOGIN, password)
    conversation._send(sealed)
    assert conversation.next()[:2] == [PROGRESS, request]
    program = box.pam("alice")
    assert conversation.answers(request)[-1][2] == 0
    program.ok()
    return conversation


@pytest.fixture
def crowd(box):
    """Phones of bob, without open channels."""
    return [enrolled(box, "bob") for _ in range(WATCHERS)]


def test_a_box_at_which_thirty_two_phones_watch_is_found_and_logs_somebody_in(box, crowd):
    alice = enrolled(box, "alice")
    channels = [watches(phone) for phone in crowd]
    assert all(channels) and air.boxes(box.air)
    assert [is_open(channel) for channel in channels] == [False] * (WATCHERS - PLACES) + [True] * PLACES
    login = logs_in(box, alice, b"correct horse")
    assert is_open(login) and air.boxes(box.air)
    # A phone that just lost its channel cannot displace another phone's.
    assert watches(crowd[0]) is None
    assert sum(map(is_open, channels)) == PLACES - 1


def test_eight_phones_with_four_channels_each_leave_a_place_for_another(box, crowd):
    alice = enrolled(box, "alice")
    channels = [phone.open() for _ in range(4) for phone in crowd[:8]]
    assert air.boxes(box.air)
    login = logs_in(box, alice, b"correct horse")
    left = [[is_open(channel) for channel in channels[number::8]].count(True) for number in range(8)]
    assert sum(left) == PLACES - 1 and min(left) >= 2 and is_open(login)
