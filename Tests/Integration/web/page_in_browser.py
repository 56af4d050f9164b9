"""The page in Chromium, and a user who taps."""

import json
import pathlib

import pexpect
from box import BIN, PATIENCE
from chromium import Chromium
from deadline import slowness


class PageInBrowser:
    """`server` has the `url` at which the page is served. `address` is the D-Bus on which the browser finds BlueZ."""

    def __init__(self, directory, server, address):
        self.directory, self.server, self.address = directory, server, address
        self.browser = self.wanted = None

    def programs(self):
        """Returns the programs around the page. Their output appears in failure messages."""
        return []

    def launch(self, language="en", bus=None, **more):
        self.browser = Chromium(self.directory / "profile", bus or self.address, language, **more)
        self.browser.choose = self.pick
        self.wanted = None
        return self.load()

    def relaunch(self):
        self.browser.stop()
        return self.launch()

    def load(self):
        self.browser.go(self.server.url)
        self.wait("document.querySelector('h1')")
        return self

    def pick(self, devices):
        """Returns the row of the browser's list that the user taps, "cancel", or None if that row is not there yet."""
        if self.wanted == "cancel":
            return "cancel"
        return next((each["id"] for each in devices if self.wanted and each["name"] == "Box " + self.wanted), None)

    # Actions of the user, and what the user sees

    def js(self, expression):
        return self.browser.evaluate(expression)

    def wait(self, condition, patience=60):
        try:
            return self.browser.until(lambda: self._now(condition), patience)
        except TimeoutError:
            raise AssertionError("never: %s\nthe page: %s\nconsole: %s\n%s" % (
                condition, self._now("document.body.innerText"), json.dumps(self.browser.console())[:3000], self.said()))

    def said(self):
        """Returns the last output of the programs, for a failure message."""
        return "\n".join("%s (%s): %s" % (pathlib.Path(each.argv[0]).name, each.process.poll(), (each.out + each.err)[-1000:])
                         for each in self.programs())

    def _now(self, condition):
        try:
            value = self.js("(() => { const x = %s; return x instanceof Node ? true : x; })()" % condition)
        except RuntimeError:
            return None  # the page is being left
        return value

    def sees(self, text, patience=60):
        self.wait("document.body.innerText.includes(%s)" % json.dumps(text), patience)

    @property
    def shown(self):
        return self.js("document.body.innerText")

    def tap(self, text):
        find = "[...document.querySelectorAll('button, .check label')].find(b => b.textContent.includes(%s) || b.getAttribute('aria-label') === %s)" % (
            json.dumps(text), json.dumps(text))
        self.wait(find)
        # A button that leads to another screen must have led there before the next tap.
        leads = self.js("Boolean((globalThis.tapped = %s).closest('nav'))" % find)
        point = self.js("(() => { const b = %s; b.scrollIntoView({block: 'center'}); const r = b.getBoundingClientRect(); "
                        "return [r.x + r.width / 2, r.y + r.height / 2]; })()" % find)
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=point[0], y=point[1], button="left", clickCount=1)
        if leads:
            self.wait("!globalThis.tapped?.isConnected")

    def type(self, label, text):
        self.wait("[...document.querySelectorAll('label')].find(l => l.textContent.includes(%s))" % json.dumps(label))
        self.js("[...document.querySelectorAll('label')].find(l => l.textContent.includes(%s)).control.focus()" % json.dumps(label))
        self.browser.call("Input.insertText", text=text)

    def keys(self, digits):
        for digit in digits:
            self.tap(digit)

    def enrol(self, box, user="alice", picture=None):
        """Enrols until the page asks for password and PIN. The administrator compares the digits."""
        terminal = pexpect.spawn(
            str(BIN / "boxagent"), ["enrol", user, "--web", "--socket", str(box.run / "control.sock")], encoding="utf-8",
            timeout=PATIENCE * slowness(), dimensions=(60, 700))
        terminal.expect(r"boxlink:\S+")
        self.wanted, self.code = box.id, terminal.after
        if not self.shown.startswith("Add a box"):
            self.tap("Add a box")
        self.type("Code", self.code)
        self.tap("Find the box")
        self.wait("document.querySelector('.digits')")
        digits = self.js("document.querySelector('.digits').textContent")
        if picture:
            picture("compare")
        terminal.expect_exact(digits)
        terminal.sendline("y")
        terminal.expect(pexpect.EOF)
        self.sees("Password and PIN for box " + box.id)

    def store(self, box, password="correct horse", pin="4711"):
        self.type("Your password", password)
        self.type("New PIN", pin)
        self.type("The new PIN again", pin)
        self.tap("Store at the box")
        self.sees("Box %s keeps the password" % box.id)

    def ready(self, box):
        """Enrols, stores the password, and returns to the list."""
        self.enrol(box)
        self.store(box)
        self.tap("To the boxes")
        self.sees("Your boxes")
        return self

    def log_in(self, box, pin="4711"):
        self.tap("Log in at box " + box.id)
        self.sees("Enter your PIN")
        self.keys(pin)
        self.tap("Log in at box " + box.id)

