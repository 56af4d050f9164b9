"""The page in Chromium: a passkey by the virtual authenticator, each page in axe and for a screen reader, the keyboard."""
import json
import os
import pathlib
import urllib.parse

import pytest
from authenticator import Authenticator
from chromium import Chromium
from independent_phone import KeyPair
from independent_site import phone_text
from person import RUN_AXE, axe_source

CONTROLS = {"button", "textbox", "searchbox", "combobox", "link"}


class PageBrowser:
    def __init__(self, page, directory):
        self.page = page
        self.browser = Chromium(directory / "profile", "disabled:")
        self.authenticator = Authenticator(self.browser, hasPrf=False)

    def js(self, expression):
        return self.browser.evaluate(expression)

    def sees(self, text):
        def now():
            try:
                return self.js("document.readyState === 'complete' && document.body.innerText.includes(%s)" % json.dumps(text))
            except RuntimeError:
                return None
        try:
            self.browser.until(now, 20)
        except TimeoutError:
            raise AssertionError("never saw %r; there is %r; console: %r" % (
                text, self.js("document.body.innerText"), self.browser.console()[-3:]))

    def go(self, path, heading):
        self.browser.go(self.page.origin + path)
        self.sees(heading)

    def press(self, key):
        code, text = {"Tab": (9, ""), "Enter": (13, "\r")}[key]
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                              **({"text": text} if text and kind == "keyDown" else {}))

    def tabs_to(self, name):
        """Tab by Tab to the control of that name; each stop on the way can be seen."""
        for _ in range(60):
            self.press("Tab")
            here = self.js("""(() => { const f = document.activeElement, s = getComputedStyle(f);
                return [(f.labels?.[0]?.textContent || f.textContent).trim(), f === document.body || s.outlineStyle !== "none"]; })()""")
            assert here[1], "no ring at %r" % here[0]
            if here[0] == name:
                return
        raise AssertionError("Tab never came to %r" % name)

    def enter(self, name):
        self.tabs_to(name)
        self.press("Enter")

    def types(self, text):
        self.browser.call("Input.insertText", text=text)

    def complaints(self):
        self.js("'axe' in globalThis") or self.in_own_world(axe_source())
        found = self.in_own_world(RUN_AXE)
        nodes = [each for each in self.browser.call("Accessibility.getFullAXTree")["nodes"] if not each["ignored"]]
        found += ["%s without a name" % each["role"]["value"] for each in nodes
                  if each.get("role", {}).get("value") in CONTROLS and not each.get("name", {}).get("value", "").strip()]
        return found

    def in_own_world(self, expression):
        frame = self.browser.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self.world = getattr(self, "world", {})
        loader = self.browser.call("Page.getFrameTree")["frameTree"]["frame"]["loaderId"]
        if loader not in self.world:
            self.world[loader] = self.browser.call("Page.createIsolatedWorld", frameId=frame, worldName="axe")["executionContextId"]
        answer = self.browser.call("Runtime.evaluate", expression=expression, contextId=self.world[loader], awaitPromise=True,
                                   returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value") or []

    def stop(self):
        self.browser.stop()


@pytest.fixture
def shown(page, tmp_path):
    browser = PageBrowser(page, tmp_path)
    yield browser
    browser.stop()


def add_somebody(page, role="administrator"):
    page.administrators += 1
    name = "%s%d" % (role, page.administrators)
    page.site.database.sql("INSERT INTO administrators (name, role, state) VALUES ('%s', '%s', 'active')" % (name, role))
    return name


def signs_in(shown, page):
    name = add_somebody(page)
    shown.browser.go(page.link(name))
    shown.sees("Set up a passkey")
    shown.enter("Next")
    shown.sees("This is the passkey of %s" % name)
    shown.enter("Make the passkey")
    shown.sees("The passkey is set up")
    shown.enter("Sign in with a passkey")
    shown.sees("Boxes")
    shown.sees("Sign out")
    return name


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
    shown.tabs_to("Text of the phone")
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
    shown.go("/status", "Keys are good until")
    look("status")
    assert {where: what for where, what in found.items() if what} == {}


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
    # Chromium would rather have RS256 as well.
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
