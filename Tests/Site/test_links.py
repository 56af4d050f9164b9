"""Links of boxes: which are served and which are not. No box delays the others."""
import random
import resource
import socket

import pytest

from box import PATIENCE
from independent_phone import KeyPair
from independent_site import Refused
from linked_box import LinkedBox
from site_box import CERTIFICATE, HEAD, REFUSED, REMOVED, SUSPENDED, UNKNOWN_BOX, WANT_ENTRIES, Ended, SiteBox, hello


def raw(site):
    return socket.create_connection(("127.0.0.1", site.server.port), 30)


def test_a_key_that_never_joined_hears_so(site):
    member = site.box("one")
    stranger = SiteBox(KeyPair.new(), pin=member.pin)
    site.boxes.append(stranger)
    assert site.link(stranger).expect(REFUSED) == UNKNOWN_BOX


def test_a_removed_box_hears_so_at_once_and_never_comes_back(site):
    box = LinkedBox(site.box("one"))
    box.take_until(lambda: box.head)
    site.server.remove("one")
    assert box.take_until_closed().refusal == REMOVED
    assert site.link(box.link).expect(REFUSED) == REMOVED


def test_a_second_link_of_a_box_ends_the_first(site):
    box = site.box("one")
    box.expect(CERTIFICATE)
    box.expect(HEAD)
    again = site.link(box)
    again.expect(CERTIFICATE)
    assert box.receive() is None
    again.expect(HEAD)


def test_a_key_that_comes_from_two_addresses_by_turns_is_suspended_at_both(site):
    box = site.box("one")
    box.expect(CERTIFICATE)
    links = [box]
    for number in range(4):
        links.append(site.link(box, source="127.0.0.%d" % (2 + number % 2)))
        said = links[-1].receive()
    assert said.kind == REFUSED and said.value == SUSPENDED
    site.server.wait_until(lambda: site.server.boxes()["one"]["state"] == "suspended")
    assert site.link(box).expect(REFUSED) == SUSPENDED


def test_boxes_link_while_five_addresses_hold_all_the_places_that_they_can(site):
    boxes = [site.box("box%d" % number) for number in range(20)]
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    held = []
    try:
        for number in range(5 * 1_100):
            held.append(socket.create_connection(
                ("127.0.0.1", site.server.port), PATIENCE, source_address=("127.0.1.%d" % (number % 5 + 1), 0)))
        for box in boxes:
            site.link(box).expect(CERTIFICATE)
    finally:
        for each in held:
            each.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def suspend(site, box, name="one"):
    for number in range(4):
        said = site.link(box, source="127.0.0.%d" % (2 + number % 2)).receive()
    assert said.kind == REFUSED and said.value == SUSPENDED
    site.server.wait_until(lambda: site.server.boxes()[name]["state"] == "suspended")


def test_a_suspended_box_is_an_alarm_and_is_served_again_once_an_administrator_says_so(site):
    box = site.box("one")
    box.expect(CERTIFICATE)
    number = site.server.boxes()["one"]["number"]
    early = site.server.command("box", "unsuspend", number)
    assert early.returncode == 65 and "is not suspended" in early.stderr
    suspend(site, box)
    alarm = site.server.command("status")
    assert alarm.returncode == 2 and "to do: a box is suspended" in alarm.stdout, alarm
    nobody = site.server.command("box", "unsuspend", "999999")
    assert nobody.returncode == 1 and "there is no box" in nobody.stderr
    assert site.server.command("box", "unsuspend", "ward").returncode == 64
    said = site.server.ok("box", "unsuspend", number, "--reason", "the disk was copied")
    assert "is served again" in said and site.server.command("status").returncode == 0
    site.link(box, source="127.0.0.5").expect(CERTIFICATE)
    written = site.database.sql("SELECT event, detail FROM audit_entries WHERE event LIKE 'box %suspended' ORDER BY number")
    assert "box suspended" in written and "the disk was copied" in written
    # The cause was not found, so the box is suspended again.
    suspend(site, box)
    # `unsuspend` does not bring back a removed box.
    site.server.remove("one")
    assert site.server.command("box", "unsuspend", number).returncode == 1


RUBBISH = {
    "nothing": b"", "half a length": b"\0", "an empty frame": b"\0\0", "the longest length": b"\xff\xff" + bytes(100),
    "a frame that is too long": b"\x04\x01" + bytes(1025), "zeros for a link": b"\0\x61\x01" + bytes(96),
    "zeros to join": b"\0\x69\x02" + bytes(104), "another protocol": b"GET / HTTP/1.1\r\n\r\n",
    "noise": random.Random(13).randbytes(4096)}


@pytest.mark.parametrize("bytes_", RUBBISH.values(), ids=RUBBISH.keys())
def test_rubbish_ends_its_own_link_and_nothing_else(site, bytes_):
    box = site.box("one")
    with raw(site) as connection:
        connection.sendall(bytes_)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass
    box.expect(CERTIFICATE)
    box.expect(HEAD)


def test_a_box_that_breaks_the_protocol_inside_its_channel_ends_its_own_link_only(site):
    good, bad = site.box("good"), site.box("bad")
    bad.expect(CERTIFICATE)
    bad.expect(HEAD)
    bad.send(hello(bad.pin))
    with pytest.raises((Ended, Refused)):
        bad.receive()
    good.expect(CERTIFICATE)


def test_hundreds_who_connect_and_say_nothing_keep_no_box_away(site):
    member = site.box("one")
    member.expect(CERTIFICATE)
    silent = [raw(site) for _ in range(400)]
    again = site.link(member)
    again.expect(CERTIFICATE)
    for connection in silent:
        connection.close()


def test_a_box_that_claims_a_number_that_nobody_gave_out_is_asked_and_raises_nothing_without_proof(site):
    liar = site.box("liar")
    liar.expect(CERTIFICATE)
    liar.drop()
    liar = site.link(liar, number=1 << 61)
    liar.expect(CERTIFICATE)
    liar.expect(WANT_ENTRIES)
    liar.upload([])
    other = LinkedBox(site.box("other"))
    other.take_until(lambda: other.head)
    assert other.head.number == 0 and site.server.status()["number"] == 0


def test_a_frame_that_comes_byte_by_byte_is_read(site):
    member = site.box("one")
    member.expect(CERTIFICATE)
    again = SiteBox(member.static, pin=member.pin)
    site.boxes.append(again)
    again.connect("127.0.0.1", site.server.port)
    whole = again.send_bytes
    again.send_bytes = lambda data: [whole(data[i:i + 1]) for i in range(len(data))]
    again.link()
    again.hello()
    again.expect(CERTIFICATE)
