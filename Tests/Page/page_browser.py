"""A user of the page in Chromium, with only the keyboard and a passkey of the virtual authenticator. axe checks each page."""
import json

from authenticator import Authenticator
from chromium import Chromium
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
        code, text = {"Tab": (9, ""), "Enter": (13, "\r"), "Space": (32, " ")}[key]
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key={"Space": " "}.get(key, key), windowsVirtualKeyCode=code,
                              **({"text": text} if text and kind == "keyDown" else {}))

    def tabs_to(self, name):
        """Presses Tab until the control of that name has the focus. Each stop on the way must show a focus ring."""
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
    shown.sees("This passkey is for %s" % name)
    shown.enter("Create the passkey")
    shown.sees("The passkey is set up")
    shown.enter("Sign in with a passkey")
    shown.sees("Boxes")
    shown.sees("Sign out")
    return name
