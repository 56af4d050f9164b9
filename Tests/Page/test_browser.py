"""The page in Chromium: a passkey of the virtual authenticator, keyboard use, axe, and the screen reader's view of each page."""
import json
import os
import pathlib
import urllib.parse

import pytest
from independent_phone import KeyPair
from independent_site import phone_text
from page_browser import PageBrowser, signs_in
from proposing import add_phone, after_twenty, revoke, state

@pytest.fixture
def shown(page, tmp_path):
    browser = PageBrowser(page, tmp_path)
    yield browser
    browser.stop()


def picture(shown, name, tmp_path):
    folder = pathlib.Path(os.environ.get("PAGE_PICTURES", tmp_path))
    shown.browser.picture(folder / ("site-%s.png" % name))


def test_a_phone_is_added_and_revoked_by_keyboard_and_axe_finds_nothing(shown, page, tmp_path):
    found = {}

    def look(name):
        for scheme in ("light", "dark"):
            shown.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            found[name, scheme] = shown.complaints()
        shown.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        picture(shown, name, tmp_path)

    shown.go("/sign-in", "Sign in with a passkey")
    look("sign-in")
    signs_in(shown, page)
    page.server.add("ward3-%d" % page.administrators, "--group", "7")
    shown.go("/boxes", "Found:")
    look("boxes")
    shown.go("/people", "Found:")
    shown.enter("Add a phone")
    shown.sees("Account on the boxes")
    look("add")
    key = KeyPair.new()
    shown.tabs_to("Account on the boxes")
    shown.types("anna")
    shown.tabs_to("Text from the phone")
    shown.types(phone_text(key.public))
    shown.enter("Add a phone")
    shown.sees("is added")
    look("grant")
    assert shown.js("document.querySelector('#grant').value").startswith("boxsite-grant:1/")
    shown.go("/people", "anna")
    look("people")
    id, = [each["id"] for each in json.loads(page.server.ok("phone", "list", "--json")) if each["key"] == key.public.hex()]
    shown.enter(id[:8])
    shown.sees("Revoke this phone")
    look("phone")
    shown.enter("Revoke this phone")
    shown.sees("Reason, for the audit log")
    look("revoke")
    shown.tabs_to("Reason, for the audit log")
    shown.types("lost on the bus")
    shown.enter("Revoke for good")
    shown.sees("The phone is revoked")
    state, = [each["state"] for each in json.loads(page.server.ok("phone", "list", "--json")) if each["id"] == id]
    assert state == "revoked"
    shown.go("/status", "Keys valid until")
    look("status")
    assert {where: what for where, what in found.items() if what} == {}


def test_a_proposal_is_approved_and_another_rejected_by_keyboard_and_axe_finds_nothing(shown, page, tmp_path):
    desk = page.administrator("helpdesk").signed_in()
    after_twenty(page, desk.name)
    ids = [add_phone(page, "key%d" % number) for number in range(2)]
    proposals = [revoke(desk, each).place.split("=")[1] for each in ids]
    signs_in(shown, page)
    shown.enter("Waiting")
    shown.sees(proposals[0])
    found = {"proposals": shown.complaints()}
    picture(shown, "proposals", tmp_path)
    shown.enter(proposals[0])
    shown.sees("Not done yet")
    found["proposal"] = shown.complaints()
    picture(shown, "proposal", tmp_path)
    shown.enter("Approve")
    shown.sees("Approved and done")
    shown.enter(proposals[1])
    shown.sees("Not done yet")
    shown.tabs_to("Reason, for the audit log")
    shown.types("the wrong phone")
    shown.enter("Reject")
    shown.sees("The proposal is closed. Nothing was done")
    assert [state(page, each) for each in ids] == ["revoked", "active"]
    assert found == {"proposals": [], "proposal": []}


def test_nothing_runs_that_a_name_carries_and_the_console_is_silent(shown, page):
    signs_in(shown, page)
    name = "x\"\u0301 onfocus=alert(1) <img src=x onerror=alert(2)>\u202e"
    page.site.database.sql("INSERT INTO users (user_id, name, state) VALUES (decode(md5('x'), 'hex'), 'odd', 'active') "
                           "ON CONFLICT DO NOTHING")
    key = KeyPair.new()
    page.server.ok("phone", "add", "odd", phone_text(key.public))
    page.site.database.sql("UPDATE phones SET label = E'%s' WHERE key = '\\x%s'" % (name.replace("'", "''"), key.public.hex()))
    shown.browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
    shown.go("/people?q=odd", "onfocus=alert(1)")
    assert shown.js("document.querySelectorAll('img, [onfocus], [onerror]').length") == 0
    shown.go("/people?q=" + urllib.parse.quote(name), "Found:")
    assert shown.js("document.querySelector('#q').getAttributeNames().join()") == "id,name,type,maxlength,value"
    # Chromium warns that the page does not offer RS256.
    assert [each for each in shown.browser.console() if "pubKeyCredParams" not in str(each)] == []


def test_the_page_is_not_shown_in_another_ones_frame(shown, page, tmp_path):
    shown.browser.go("data:text/html,<iframe src='%s/sign-in'></iframe><p>there" % page.origin)
    shown.sees("there")

    def blocked():
        return [each for each in shown.browser.events if each["method"] == "Network.loadingFailed"
                or each["method"] == "Network.responseReceivedExtraInfo" and "frame-ancestors" in str(each)]

    shown.browser.until(blocked, 20)
    frames = shown.browser.call("Page.getFrameTree")["frameTree"].get("childFrames", [])
    assert all(page.origin not in each["frame"]["url"] or each["frame"].get("unreachableUrl") for each in frames), frames
