"""The page as a phone of a site, when it is refused or refuses: stolen boxes, expired data, and codes that are wrong or old."""
import json

import pytest

from test_enrolment import Enrolment, phones
from test_one_enrolment import NUMBERS
from test_web_phone import boxes, enrol, log_in, settings, web  # noqa: F401
# The import above puts this module's directory on the path.
from test_page_clock import CLOCKS, YEAR  # noqa: I001
from wrong_clock import WrongClock

DAY = 86_400


@pytest.fixture
def joined(site, web, boxes):  # noqa: F811
    """The page on the screen after its enrolment."""
    web.launch().sees("No boxes yet")
    web.browser.call("Page.addScriptToEvaluateOnNewDocument", source=CLOCKS)
    web.load().sees("No boxes yet")
    enrol(web, site, NUMBERS[0])
    web.sees("This phone belongs to site")
    return boxes


def information(box):
    return json.loads(box.command("site", "--json").ok())


def logs_in(web, box, number):  # noqa: F811
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    log_in(web, box, number)
    web.sees("You are logged in at box " + number)
    assert program.wait() == 0


def is_refused(web, box, number, words):  # noqa: F811
    """Checks that a waiting program gets no password."""
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    log_in(web, box, number)
    web.sees(words)
    assert box.programs_waiting()
    program.stop()
    web.tap("To the boxes")
    web.tap("Log in at a box of the site")


def test_a_page_that_was_at_another_box_since_tells_a_stolen_box_nothing(site, web, joined):  # noqa: F811
    stolen, other = joined
    logs_in(web, stolen, NUMBERS[0])
    site.server.ok("box", "remove", "ward" + NUMBERS[0], "--yes", "--reason", "stolen from ward 3")
    other.wait_until(lambda: information(other)["entries"] == 1)
    web.tap("To the boxes")
    web.tap("Log in at a box of the site")
    logs_in(web, other, NUMBERS[1])
    # The page has stored what it learned.
    web.relaunch().tap("Log in at a box of the site")
    is_refused(web, stolen, NUMBERS[0], "Box %s was removed from your site. It learned nothing about you." % NUMBERS[0])
    logs_in(web, other, NUMBERS[1])


def test_a_box_whose_certificate_has_expired_by_the_phones_clock_hears_nothing(site, web, joined):  # noqa: F811
    web.js("ahead.wall += %d" % YEAR)
    is_refused(web, joined[0], NUMBERS[0], "The certificate of box %s has expired, or this phone's clock is wrong." % NUMBERS[0])
    web.js("ahead.wall = 0")
    logs_in(web, joined[0], NUMBERS[0])


def test_an_access_that_has_expired_by_the_sites_time_is_refused_there_and_the_page_says_why(site, web, joined):  # noqa: F811
    clock, box = WrongClock(site, web.directory), joined[0]
    clock.jump(300 * DAY)
    # A new signed status comes with the next revocation.
    site.server.ok("box", "remove", "ward" + NUMBERS[1], "--yes")
    box.wait_until(lambda: information(box)["entries"] == 1)
    is_refused(web, box, NUMBERS[0], "This phone's access has expired, or the clock of box %s is wrong." % NUMBERS[0])


def test_what_a_site_gives_is_not_kept_by_a_phone_whose_clock_is_years_ahead(site, web, boxes):  # noqa: F811
    web.launch().sees("No boxes yet")
    web.browser.call("Page.addScriptToEvaluateOnNewDocument", source=CLOCKS)
    web.load().sees("No boxes yet")
    web.js("ahead.wall += %d" % (3 * YEAR))
    enrol(web, site, NUMBERS[0])
    web.sees("This phone's access has expired, or its clock is wrong.")
    web.tap("To the boxes")
    web.sees("No boxes yet")


def gives(web, code, number):  # noqa: F811
    """Enters the code, starting at the list."""
    web.wanted = number
    web.tap("Add a box")
    web.type("Code", code)
    web.tap("Find the box")


def changed(code):
    """Returns a code of the same length with another secret."""
    place = len("boxsite-enrol:1/") + 120
    return code[:place] + ("A" if code[place] != "A" else "B") + code[place + 1:]


def test_codes_that_are_cut_or_mistyped_void_nothing_and_the_whole_one_is_taken_then(site, web, boxes):  # noqa: F811
    web.launch().sees("No boxes yet")
    order = Enrolment(site.server)
    for code, words in ((order.code[:15], "The code is not complete."), (order.code[:-8], "This code or value is not valid here."),
                        (changed(order.code), "The site did not accept the code. It is mistyped, used or too old.")):
        gives(web, code, NUMBERS[0])
        web.sees(words)
        web.load().sees("No boxes yet")
    gives(web, order.code, NUMBERS[1])
    web.wait("document.querySelector('.digits')")
    assert web.js("document.querySelector('.digits').textContent").replace(" ", "") == order.digits()
    order.say(b"y")
    assert order.wait() == 0
    web.sees("This phone belongs to site")


@pytest.mark.parametrize("how", ["used", "old"])
def test_a_code_that_is_good_no_more_enrols_nobody(site, web, boxes, how):  # noqa: F811
    web.launch().sees("No boxes yet")
    if how == "used":
        code = enrol(web, site, NUMBERS[0]).code
        web.sees("This phone belongs to site")
        # Becomes a new phone: with the same key, the page would get its grant again.
        web.tap("Back")
        web.tap("Settings")
        web.tap("Forget this site")
        web.tap("Forget this site")
        web.sees("No boxes yet")
    else:
        code = Enrolment(site.server).code
        site.database.sql("UPDATE enrolments SET expires_at = now() - interval '1 second'")
    before = len(phones(site.server))
    gives(web, code, NUMBERS[0])
    web.sees("Ask for a new one.")
    assert len(phones(site.server)) == before
