"""A phone is enrolled from the page: the code, the six digits that appear without a reload, and the administrator's decision."""
import html
import json
import re

import pytest

from page_browser import PageBrowser, signs_in
from test_enrolment import enrol, shown as digits_of
from test_one_enrolment import NUMBERS, add_joined_box


@pytest.fixture(scope="session")
def box(standing):
    """A box that has joined the site of the page."""
    made = []
    add_joined_box(made, standing.site, standing.site.directory.parent, NUMBERS[0])
    yield made[0]
    made[0].stop()


@pytest.fixture
def browser(page, tmp_path):
    made = PageBrowser(page, tmp_path)
    yield made
    made.stop()


def new_phone(box, page):
    page.administrators += 1
    return box.phone("phone%d" % page.administrators)


def begin(visitor, user="alice", groups="1"):
    """Starts an enrolment. Returns the code, its ID and the page that shows it."""
    answer = visitor.submit(visitor.get("/phone/enrol"), "/phone/enrol", user=user, label="", groups=groups)
    assert answer.status == 200, answer.text
    code = re.search(r"<textarea id=\"code\"[^>]*>([^<]+)</textarea>", answer.text)[1]
    return html.unescape(code), answer.field("data-enrolment"), answer


def active(page, user):
    return [each for each in json.loads(page.server.ok("phone", "list", "--json")) if each["user"] == user and each["state"] == "active"]


def until_compared(visitor, id):
    """Reloads the page until it shows the digits, as a browser without JavaScript does."""
    while True:
        answer = visitor.get("/enrolment?code=" + id)
        assert answer.status == 200, answer.text
        if "/enrolment/confirm" in answer.text:
            return answer


def test_a_phone_is_enrolled_from_the_page_without_javascript(page, anna, box):
    code, id, _ = begin(anna)
    assert code.startswith("boxsite-enrol:")
    waiting = anna.get("/enrolment?code=" + id)
    assert "Waiting for the phone" in waiting.text and code not in waiting.text
    phone = new_phone(box, page)
    tap = enrol(phone, code, NUMBERS[0])
    shown = until_compared(anna, id)
    digits = shown.field("digits")
    assert digits == digits_of(tap)
    before = len(active(page, "alice"))
    answer = anna.submit(shown, "/enrolment/confirm", code=id, digits=digits)
    assert (answer.status, answer.place) == (303, "/enrolment?code=" + id)
    tap.ok()
    assert "The phone is enrolled" in anna.get(answer.place).text and len(active(page, "alice")) == before + 1
    # Sending the form again changes nothing.
    assert anna.submit(shown, "/enrolment/confirm", code=id, digits=digits).status == 303
    assert len(active(page, "alice")) == before + 1
    actor = page.site.database.sql("SELECT actor_name FROM audit_entries WHERE event = 'phone enrolled' ORDER BY number DESC LIMIT 1")
    assert actor == anna.name


def test_other_digits_than_those_that_were_shown_confirm_nothing_and_a_no_voids_the_code(page, anna, box):
    code, id, _ = begin(anna, user="bert")
    phone = new_phone(box, page)
    tap = enrol(phone, code, NUMBERS[0])
    shown = until_compared(anna, id)
    other = "000000" if shown.field("digits") != "000000" else "000001"
    for digits in (other, "", "1"):
        assert anna.submit(shown, "/enrolment/confirm", code=id, digits=digits).status == 422
    assert active(page, "bert") == []
    anna.submit(shown, "/enrolment/decline", code=id)
    assert "The digits were different" in anna.get("/enrolment?code=" + id).text and tap.wait() != 0
    assert anna.submit(shown, "/enrolment/confirm", code=id, digits=shown.field("digits")).status == 422
    assert active(page, "bert") == []


def test_a_code_that_was_taken_back_enrols_nobody(page, anna, box):
    code, id, answer = begin(anna, user="carl")
    assert anna.submit(answer, "/enrolment/cancel", code=id).status == 303
    assert "The code was cancelled" in anna.get("/enrolment?code=" + id).text
    assert enrol(new_phone(box, page), code, NUMBERS[0]).wait() != 0 and active(page, "carl") == []


def test_codes_are_for_those_who_may_add_phones_and_within_their_groups(page, anna):
    _, id, _ = begin(anna, groups="7")
    viewer, ward = page.administrator("viewer").signed_in(), page.administrator("ward", [9]).signed_in()
    refused = viewer.submit(viewer.get("/phone/enrol"), "/phone/enrol", user="alice", groups="1")
    assert refused.status == 403 and "may not add phones" in refused.problem
    assert ward.submit(ward.get("/phone/enrol"), "/phone/enrol", user="alice", groups="7").status in (403, 422)
    assert viewer.get("/enrolment?code=" + id).status == 403 and ward.get("/enrolment?code=" + id).status == 404
    assert ward.submit(ward.get("/people"), "/enrolment/cancel", code=id).status == 403
    assert "Waiting for the phone" in anna.get("/enrolment?code=" + id).text
    for bent in ("", "0", "0" * 16, "G" * 16, "0" * 400):
        assert anna.get("/enrolment?code=" + bent).status == 404, bent
    wrong = anna.submit(anna.get("/phone/enrol"), "/phone/enrol", user="-rf", groups="1")
    assert wrong.status == 422 and wrong.problem
    wrong = anna.submit(anna.get("/phone/enrol"), "/phone/enrol", user="alice", groups="0")
    assert wrong.status == 422 and "1 to 8 groups" in wrong.problem


def test_a_phone_is_enrolled_by_keyboard_and_the_digits_come_by_themselves(page, box, browser):
    signs_in(browser, page)
    for path, heading in [("/boxes", "Found:"), ("/status", "Keys valid until")] * 3:
        browser.go(path, heading)
    found = {}
    browser.enter("People")
    browser.sees("Found:")
    browser.enter("Enrol a phone")
    browser.sees("You get a code")
    found["enrol"] = browser.complaints()
    browser.tabs_to("Account on the boxes")
    browser.types("dora")
    browser.enter("Show the code")
    browser.sees("Waiting for the phone")
    found["code"] = browser.complaints()
    drawn = browser.js("(b => [b.width > 100, b.height > 100])(document.querySelector('svg.qr path').getBoundingClientRect())")
    assert drawn == [True, True]
    tap = enrol(new_phone(box, page), browser.js("document.querySelector('#code').value"), NUMBERS[0])
    browser.sees("Does the phone show the same six digits?")
    assert "boxsite-enrol:" not in browser.js("document.documentElement.outerHTML")
    found["compare"] = browser.complaints()
    assert browser.js("document.querySelector('.digits').textContent.replace(/\\D/g, '')") == digits_of(tap)
    browser.enter("Same digits: enrol")
    browser.sees("The phone is enrolled")
    tap.ok()
    assert found == {"enrol": [], "code": [], "compare": []} and len(active(page, "dora")) == 1
