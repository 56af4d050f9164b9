"""A revocation takes effect everywhere: at every server, at every linked box, and at each box that links later."""
import time

from deadline import slowness
from independent_phone import KeyPair
from linked_box import LinkedBox
from site_box import REMOVED


def linked(site, name):
    box = LinkedBox(site.box(name))
    return box.take_until(lambda: box.head)


def test_a_removed_box_is_revoked_at_every_linked_box_within_a_second(site):
    boxes = [linked(site, "box%d" % number) for number in range(5)]
    lost = linked(site, "lost")
    begin = time.monotonic()
    site.server.remove("lost")
    for box in boxes:
        box.take_until(lambda: box.head.number == 1)
    took = time.monotonic() - begin
    for box in boxes:
        entry, = box.entries
        assert entry.kind == 3 and entry.subject == lost.link.static.public
        # The revocation outlives every certificate that the box can have.
        assert entry.expiry >= lost.certificate.expiry
    # The limit is a second. A busy machine gets more in proportion to its slowness.
    assert took < slowness()


def test_a_box_that_was_away_hears_of_all_that_it_missed_before_its_next_head(site):
    away = linked(site, "away")
    away.link.close()
    for number in range(70):
        box = site.join(site.server.add("gone%d" % number), KeyPair.new())
        box.receive()
        box.drop()
        site.server.remove("gone%d" % number)
    back = LinkedBox(site.link(away.link, number=away.head.number), away.entries, away.head)
    back.take_until(lambda: back.head.number == 70)
    assert len(back.entries) == 70


def test_a_new_box_gets_all_entries_and_comes_to_the_heads_hash(site):
    linked(site, "one")
    site.server.remove("one")
    fresh = linked(site, "two")
    assert len(fresh.entries) == 1 and fresh.head.number == 1


def test_what_one_server_has_taken_back_another_one_knows_within_a_second(site):
    second = site.add_server()
    member = linked(site, "member")
    lost = linked(site, "lost")
    elsewhere = LinkedBox(site.link(member.link, second, number=0))
    elsewhere.take_until(lambda: elsewhere.head)
    site.server.remove("lost")
    elsewhere.take_until(lambda: elsewhere.head.number == 1)
    assert LinkedBox(site.link(lost.link, second)).take_until_closed().refusal == REMOVED


def test_entries_survive_the_end_of_every_server(site):
    linked(site, "lost")
    site.server.remove("lost")
    site.server.kill()
    site.server.start()
    fresh = linked(site, "fresh")
    assert len(fresh.entries) == 1


def test_a_box_says_which_number_it_has_and_the_list_shows_it(site):
    member = linked(site, "member")
    linked(site, "lost")
    site.server.remove("lost")
    member.take_until(lambda: member.head.number == 1)
    site.server.wait_until(lambda: site.server.boxes()["member"]["took"] == 1)
