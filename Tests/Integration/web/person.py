"""A user of the page in any language. The user finds texts by their key in the catalogue, has a keyboard, and can inspect a screen
as a screen reader and axe-core do."""

import functools
import json
import pathlib
import re
import sysconfig

import pexpect
from box import BIN, PATIENCE

AXE = pathlib.Path(sysconfig.get_path("purelib")) / "axe_playwright_python/axe.min.js"
CODES = {"Tab": (9, "\t"), "Enter": (13, "\r"), " ": (32, " "), "Backspace": (8, ""), "Escape": (27, ""),
         "ArrowDown": (40, ""), "ArrowUp": (38, "")}
CONTROLS = {"button", "textbox", "combobox", "heading", "group"}
RUN_AXE = """axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations.map(each =>
    each.id + ": " + each.nodes.map(node => node.target.join(" ") + " " + node.html.slice(0, 120)).join(" | ")))"""


class Administrator:
    """An administrator who has ordered a code for a phone."""

    def __init__(self, box, user="alice"):
        self.terminal = pexpect.spawn(
            str(BIN / "boxagent"), ["enrol", user, "--web", "--socket", str(box.run / "control.sock")], encoding="utf-8",
            timeout=PATIENCE, dimensions=(60, 700))
        self.terminal.expect(r"boxlink:\S+")
        self.code = self.terminal.after

    def confirms(self, digits):
        self.terminal.expect_exact(digits)
        self.terminal.sendline("y")
        self.terminal.expect(pexpect.EOF)

    def leaves(self):
        self.terminal.close(force=True)


class Person:
    def __init__(self, web, language="en"):
        self.web, self.browser = web, web.browser
        self.words = json.loads((web.page / ("texts-%s.json" % language)).read_text())
        self.world = None

    def say(self, key, *parts):
        return re.sub(r"\{(\d)\}", lambda place: parts[int(place[1])], self.words[key])

    def tap(self, key, *parts):
        self.web.tap(self.say(key, *parts))

    def sees(self, key, *parts):
        self.web.sees(self.say(key, *parts))

    def hears(self, key, *parts):
        self.web.wait("document.getElementById('live').textContent.includes(%s)" % json.dumps(self.say(key, *parts)))

    def fills(self, key, text):
        self.web.type(self.say(key), text)

    # A login, from the first code on

    def compares(self, box):
        """Enters the administrator's code until both sides show six digits. Returns a function that confirms them."""
        administrator = Administrator(box)
        self.web.wanted = box.id
        self.tap("home.add")
        self.fills("enrol.code", administrator.code)
        self.tap("enrol.button")
        self.web.wait("document.querySelector('.digits')")

        def confirm():
            administrator.confirms(self.web.js("document.querySelector('.digits').textContent"))
            self.sees("store.title", box.id)
        return confirm

    def stores(self, box, password="correct horse", pin="4711"):
        self.fills("store.password", password)
        self.fills("store.pin", pin)
        self.fills("store.repeat", pin)
        self.tap("store.send")
        self.sees("store.done.text", box.id)

    def opens_login(self, box):
        self.tap("login.button", box.id)
        self.sees("pin.label")
        self.web.wait("document.querySelector('.keys')")

    def logs_in(self, box, pin="4711"):
        self.opens_login(box)
        self.web.keys(pin)
        self.tap("login.button", box.id)

    # The keyboard

    def press(self, key, shift=False):
        code, text = CODES.get(key, (ord(key[0].upper()), key))
        more = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", text=text, **more)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", **more)

    def types(self, text):
        for letter in text:
            self.press(letter)

    def has_focus(self, words):
        try:
            self.browser.until(lambda: self.focus == words, patience=10)
        except TimeoutError:
            raise AssertionError("%r has the focus, not %r" % (self.focus, words))

    @property
    def focus(self):
        """Returns the focused element as a text: tag and name."""
        return self.web.js("""(() => { const f = document.activeElement;
            return f.tagName.toLowerCase() + " " + (f.labels?.[0]?.textContent || f.getAttribute("aria-label") || f.textContent).trim(); })()""")

    def tabs_to(self, *keys):
        """Presses Tab until the control of that name has the focus. Each stop on the way must be visible."""
        wanted = self.say(*keys) if keys[0] in self.words else keys[0]
        for _ in range(40):
            self.press("Tab")
            self.looks_at_focus()
            if self.focus.split(" ", 1)[1] == wanted:
                return
        raise AssertionError("Tab never came to %r" % wanted)

    def looks_at_focus(self):
        problem = self.web.js("""(() => {
            const f = document.activeElement, style = getComputedStyle(f), place = f.getBoundingClientRect();
            if (f === document.body) return null;
            if (!f.matches(":focus-visible") || style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) return "no ring";
            const seen = document.elementFromPoint(place.x + place.width / 2, place.y + place.height / 2);
            return seen && (f === seen || f.contains(seen)) ? null : "hidden by " + (seen && seen.outerHTML.slice(0, 80));
        })()""")
        assert problem is None, (self.focus, problem)

    # The screen as assistive technology gets it

    def in_own_world(self, expression):
        """Evaluates in an isolated world with the page's document but without its scripts. Changes there do not affect the page."""
        answer = self.browser.call("Runtime.evaluate", expression=expression, contextId=self.world, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def complaints_of_axe(self):
        frame = self.browser.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self.world = self.browser.call("Page.createIsolatedWorld", frameId=frame, worldName="axe")["executionContextId"]
        if not self.in_own_world("'axe' in globalThis"):
            self.in_own_world(axe_source())
        return self.in_own_world(RUN_AXE)

    def tree(self):
        """Returns (role, name, properties) of everything that assistive technology gets."""
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        return [(each["role"]["value"], each.get("name", {}).get("value", ""),
                 {item["name"]: item["value"].get("value") for item in each.get("properties", [])})
                for each in nodes if not each["ignored"] and "role" in each]

    def complaints_of_tree(self):
        tree = self.tree()
        complaints = ["%s without a name" % role for role, name, _ in tree if role in CONTROLS and not name.strip()]
        if [role for role, _, _ in tree].count("main") != 1:
            complaints.append("not one main")
        if sum(role == "heading" and more.get("level") == 1 for role, _, more in tree) != 1:
            complaints.append("not one heading of the first level")
        if not any(role == "status" and more.get("live") == "polite" for role, _, more in tree):
            complaints.append("no live region")
        return complaints

    def spoken(self):
        """Returns what a screen reader speaks by itself: live regions, and the focused heading."""
        return self.web.js("""[...document.querySelectorAll("[role=alert], [role=status]"), document.activeElement].map(e => e.textContent).join("\\n")""")


@functools.cache
def axe_source():
    return AXE.read_text() + "\n;0"
