"""An issuer is replaced. Phones and boxes that do not know it yet get the newer site document from each other."""
import json

import loopback_air as air
from box import Box, pipe_with
from site_issuer import replace_issuer
from test_one_enrolment import NUMBERS, add, boxes, log_in, new_phone, refused  # noqa: F401


def info(box):
    return json.loads(box.command("site", "--json").ok())


def version(box):
    return info(box)["document_version"]


def test_a_phone_logs_in_where_an_issuer_of_boxes_was_replaced_that_it_never_heard_of(site, boxes):
    phone = new_phone(boxes[0], site, "alice")
    log_in(boxes[0], phone, NUMBERS[0])
    before = version(boxes[0])
    site.server.stop()
    replace_issuer(site, "boxes")
    site.server.start()
    for box in boxes:
        box.wait_until(lambda box=box: version(box) != before, timeout=90)
    # The phone's document does not list the issuer of the boxes' new certificates.
    for box, number in zip(boxes, NUMBERS):
        assert "Logged in" in log_in(box, phone, number)


def test_a_box_that_is_cut_off_takes_the_document_from_the_phone_whose_issuer_it_does_not_know(site, boxes):
    phone = new_phone(boxes[0], site, "alice")
    cut_off, number = boxes[1], NUMBERS[1]
    before = version(cut_off)
    cut_off.kill()
    site.server.stop()
    replace_issuer(site, "phones")
    site.server.start()
    add(site, phone)
    site.server.stop()
    cut_off.start()
    cut_off.wait_until(lambda: "Box " + number in air.boxes(cut_off.air))
    assert version(cut_off) == before
    phone.command("status", number).ok()
    assert version(cut_off) != before
    assert "Logged in" in log_in(cut_off, phone, number)
    # The box stored the document before it answered the phone.
    cut_off.kill()
    cut_off.start()
    assert version(cut_off) != before


def test_a_phone_whose_issuer_was_dropped_is_refused_at_a_box_that_knows_and_hears_why(site, boxes):
    phone = new_phone(boxes[0], site, "alice")
    before = version(boxes[0])
    site.server.stop()
    replace_issuer(site, "phones")
    site.server.start()
    boxes[0].wait_until(lambda: version(boxes[0]) != before, timeout=90)
    # Until the box gets its new certificate, a phone may see the old one.
    boxes[0].wait_until(lambda: "new grant" in refused(boxes[0], phone, NUMBERS[0]))
    add(site, phone)
    log_in(boxes[0], phone, NUMBERS[0])
