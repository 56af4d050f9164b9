#!/usr/bin/python3
"""Takes the pictures of the page for docs/how-to/run-a-site.md, images/site-page/*.png. The server is real and has linked boxes.
The window is that of a desktop and, once, of a phone. The script needs root and python3-pil.

    BOXAGENT_BIN=dist .build-python/bin/python Tests/Page/take_pictures.py
"""
import json
import shutil
import time

from PIL import Image

from conftest import ROOT, make_directory
from independent_phone import KeyPair
from independent_site import phone_text
from page_browser import PageBrowser
from postgres import Postgres
from proposing import after_twenty, revoke
from site_box import JoinCode
from site_page import SitePage
from site_server import Site
from test_bulk_codes import come
from test_enrolment import enrol
from test_one_enrolment import NUMBERS, add_joined_box

FOLDER = ROOT / "docs/images/site-page"
WARDS = [("ward3-1", "3"), ("ward3-2", "3"), ("ward7-1", "7"), ("lobby", "1")]


class Photographer:
    def __init__(self, page, directory):
        self.page, self.shown = page, PageBrowser(page, directory)
        self.size(1000, 680)

    def size(self, width, height):
        self.shown.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def take(self, name, path=None, sees=None):
        if path:
            self.shown.go(path, sees)
        file = FOLDER / (name + ".png")
        self.shown.browser.picture(file)
        Image.open(file).convert("RGB").quantize(32).save(file, optimize=True)

    def phone(self, user, label):
        key = KeyPair.new()
        self.page.server.ok("phone", "add", user, phone_text(key.public), "--label", label, "--group", "3")
        rows = self.page.site.database.sql("SELECT label FROM phones WHERE key = '\\x%s'" % key.public.hex())
        assert rows == label
        return key

    def dark(self, is_dark):
        self.shown.browser.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])


def ids(page):
    return {each["user"]: each["id"] for each in json.loads(page.server.ok("phone", "list", "--json"))}


def signing_in(camera):
    camera.take("sign-in", "/sign-in", "Sign in with a passkey")
    shown, page = camera.shown, camera.page
    page.site.database.sql("INSERT INTO administrators (name, role, state) VALUES ('carla', 'administrator', 'active')")
    shown.browser.go(page.link("carla"))
    shown.sees("One-time code")
    shown.enter("Next")
    shown.sees("This passkey is for carla")
    camera.take("passkey")
    shown.enter("Create the passkey")
    shown.sees("The passkey is set up")
    shown.enter("Sign in with a passkey")
    shown.sees("Sign out")


def looking(camera):
    page = camera.page
    for user, label in (("anna", "Anna's phone"), ("bert", "Bert's phone"), ("dora", "Dora's tablet")):
        camera.phone(user, label)
    camera.take("boxes", "/boxes", "ward3-1")
    number = page.server.boxes()["ward3-1"]["number"]
    camera.take("box", "/box?number=" + number, "Linked for")
    camera.take("people", "/people", "bert")
    camera.take("phone", "/phone?id=" + ids(page)["bert"], "Revoke this phone")
    camera.take("status", "/status", "Keys valid until")
    camera.dark(True)
    camera.take("dark", "/boxes", "ward3-1")
    camera.dark(False)


def changing(camera):
    page, shown = camera.page, camera.shown
    camera.take("add", "/phone/add", "Account on the boxes")
    shown.tabs_to("Account on the boxes")
    shown.types("emil")
    shown.tabs_to("Text from the phone")
    shown.types(phone_text(KeyPair.new().public))
    shown.enter("Add a phone")
    shown.sees("is added")
    camera.take("grant")
    camera.take("revoke", "/phone/revoke?id=" + ids(page)["bert"], "Reason, for the audit log")
    desk = page.administrator("helpdesk").signed_in()
    after_twenty(page, desk.name)
    place = revoke(desk, ids(page)["dora"], "left the house").place
    camera.take("proposals", "/proposals", desk.name)
    camera.take("proposal", place, "Approve")


def adding_boxes(camera):
    page = camera.page
    camera.take("box-add", "/box/add", "Name of the box")
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7 * 86_400))
    code = JoinCode(page.server.ok("box", "add", "ward9", "--bulk", "40", "--until", end, "--group", "9").strip())
    for _ in range(3):
        come(page.site, code, KeyPair.new())
    camera.take("box-codes", "/box/codes", "3 of 40")
    camera.take("box-waiting", "/box/waiting", "ward9")


def administering(camera):
    camera.take("audit", "/audit", "phone add")
    camera.take("administrators", "/administrators", "boxsite admin link NAME")


def enrolling(camera):
    shown, page = camera.shown, camera.page
    made = []
    add_joined_box(made, page.site, page.site.directory.parent, NUMBERS[0])
    try:
        camera.take("enrol", "/phone/enrol", "You get a code")
        shown.tabs_to("Account on the boxes")
        shown.types("alice")
        shown.enter("Show the code")
        shown.sees("Waiting for the phone")
        camera.take("enrolment-code")
        tap = enrol(made[0].phone("alice"), shown.js("document.querySelector('#code').value"), NUMBERS[0])
        shown.sees("the same six digits")
        camera.take("enrolment")
        shown.enter("Different digits: do not enrol")
        shown.sees("The digits were different")
        tap.wait()
    finally:
        made[0].stop()


def on_a_phone(camera):
    camera.size(390, 700)
    camera.take("small", "/boxes", "ward3-1")


def main():
    FOLDER.mkdir(exist_ok=True)
    directory = make_directory()
    database = Postgres(directory / "one").start()
    site = Site(directory / "site", database).found()
    page = SitePage(site).start()
    camera = Photographer(page, directory)
    try:
        for name, group in WARDS:
            site.box(name, "--group", group)
        page.server.add("ward7-2", "--group", "7")
        for part in (signing_in, looking, changing, adding_boxes, administering, enrolling, on_a_phone):
            part(camera)
    finally:
        camera.shown.stop()
        page.stop()
        site.stop()
        database.remove()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
