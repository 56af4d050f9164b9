"""The page in Chromium as a phone of a site: enrolled once, logged in at each box, and revoked by the site."""
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Integration" / name) for name in ("web", "bluez")]

from box import pipe_with  # noqa: E402
from person import Person  # noqa: E402
from test_enrolment import Enrolment, phones  # noqa: E402
from test_one_enrolment import NUMBERS  # noqa: E402
from test_page_profile import OVERHEAR, enrolment_secret, found_in  # noqa: E402
from web_phone import WebPhone  # noqa: E402


@pytest.fixture
def web(directory):
    phone = WebPhone(directory, ROOT / "dist" / "web")
    yield phone
    phone.stop()


@pytest.fixture
def settings():
    """The settings of both boxes besides their radio's."""
    return {}


@pytest.fixture
def boxes(site, web, settings):
    """Two boxes of the site on the emulated air."""
    for index, number in enumerate(NUMBERS):
        box = web.box(**{"radio.adapter": '"hci%d"' % (index + 1), **settings})
        code = site.server.ok("box", "add", "ward" + number, "--number", number)
        box.command("join", stdin=pipe_with(code.encode())).ok()
        box.wait_until(lambda box=box: json.loads(box.command("site", "--json").ok())["head_number"] is not None)
        box.wait_until(lambda box=box: box.json("status")["radio_state"].startswith("advertising"))
    return web.boxes


def enrol(web, site, number, *words, answer=b"y"):
    """Enrols the page until the administrator has answered."""
    order = Enrolment(site.server, *words)
    web.wanted = number
    if not web.shown.startswith("Add a box"):
        web.tap("Add a box")
    web.type("Code", order.code)
    web.tap("Find the box")
    web.wait("document.querySelector('.digits')")
    assert web.js("document.querySelector('.digits').textContent").replace(" ", "") == order.digits()
    order.say(answer)
    order.wait()
    return order


def log_in(web, box, number, password="correct horse"):
    """Logs in, starting at the list of boxes."""
    web.wanted = number
    web.type("The six digits", number)
    web.type("Your password", password)
    web.tap("Log in")


def test_a_page_is_enrolled_at_a_site_and_logs_in_at_two_boxes_until_the_site_takes_it_back(site, web, boxes):
    web.launch().sees("No boxes yet")
    enrol(web, site, NUMBERS[0])
    web.sees("This phone belongs to site")
    listed, = phones(site.server)
    assert (listed["user"], listed["label"]) == ("alice", "Web phone")
    assert boxes[0].json("devices") == []
    for box, number in zip(boxes, NUMBERS):
        program = box.pam("alice")
        box.wait_until(box.programs_waiting)
        log_in(web, box, number)
        web.sees("You are logged in at box " + number)
        assert program.wait() == 0
        device, = box.json("devices")
        assert (device["user"], device["site"]) == ("alice", True)
        web.tap("To the boxes")
        web.tap("Log in at a box of the site")
    program = boxes[1].pam("alice")
    boxes[1].wait_until(boxes[1].programs_waiting)
    log_in(web, boxes[1], NUMBERS[1], "wrong")
    web.sees("did not accept this password")
    program.wait()
    # A page that was closed is still the same phone and trusts its site. Its list shows both boxes as the site's.
    web.relaunch().sees("as alice")
    assert [number for number in NUMBERS if "Box %s of your site" % number in web.shown] == list(NUMBERS)
    site.server.ok("phone", "revoke", listed["id"], "--yes", "--reason", "lost")
    boxes[0].wait_until(lambda: json.loads(boxes[0].command("site", "--json").ok())["entries"] == 1)
    for _ in range(2):
        web.tap("Log in at a box of the site")
        log_in(web, boxes[0], NUMBERS[0])
        web.sees("The site has revoked this phone's access")
        web.tap("To the boxes")
        web.sees("The site has revoked this phone's access")
    web.tap("Settings")
    web.tap("Forget this site")
    web.tap("Forget this site")
    web.sees("No boxes yet")
    assert web.js("indexedDB.databases().then(all => all.length)") == 1


def test_an_administrator_who_says_no_leaves_no_site_behind_and_a_new_code_is_taken(site, web, boxes):
    web.launch().sees("No boxes yet")
    enrol(web, site, NUMBERS[0], answer=b"n")
    web.sees("The administrator said no")
    web.tap("To the boxes")
    web.sees("No boxes yet")
    enrol(web, site, NUMBERS[1])
    web.sees("This phone belongs to site")


def test_every_screen_of_a_site_is_for_a_screen_reader_and_no_secret_is_left_in_the_profile(site, web, boxes):
    password, complaints = "Zahnradbahn-7741-Xylophon", {}
    boxes[0].pam_service(users={"alice": password.encode()})
    person = Person(web.launch(), "en")

    def looks(name):
        complaints[name] = person.complaints_of_axe() + person.complaints_of_tree()

    web.js(OVERHEAR)
    order = enrol(web, site, NUMBERS[0])
    web.sees("This phone belongs to site")
    looks("joined")
    program = boxes[0].pam("alice")
    boxes[0].wait_until(boxes[0].programs_waiting)
    log_in(web, boxes[0], NUMBERS[0], password)
    web.sees("You are logged in at box " + NUMBERS[0])
    assert program.wait() == 0
    looks("session")
    web.tap("To the boxes")
    looks("list")
    web.tap("Settings")
    looks("settings")
    web.tap("Forget this site")
    looks("forget")
    assert {name: said for name, said in complaints.items() if said} == {}
    key, = {each for each in web.js("heard.sealed") if len(each) == 64}
    profile = web.directory / "profile"
    web.browser.stop()
    web.browser = None
    secrets = {"password": password.encode(), "device key": bytes.fromhex(key), "code": order.code.split("/")[1].encode(),
               "code's secret": enrolment_secret(order.code)}
    assert found_in(profile, secrets) == []
    assert {name for name, _ in found_in(profile, {"user": b"alice"})} == {"user"}
