#!/usr/bin/python3
"""Takes the pictures of docs/for-users.md, docs/images/web-*.png: the page on a screen as large as a phone's, at a real box. It
needs python3-pil.

    .build-python/bin/python Tests/Integration/web/take_pictures.py
"""

import pathlib
import shutil
import sys
import tempfile

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent / "agent"), str(HERE.parent / "bluez")]

from test_sessions import Login  # noqa: E402
from web_phone import WebPhone  # noqa: E402


def main():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-pictures-", dir="/tmp"))
    web = WebPhone(directory, ROOT / "dist/web")

    def picture(name):
        path = ROOT / ("docs/images/web-%s.png" % name)
        web.browser.picture(path)
        Image.open(path).convert("RGB").quantize(48).save(path, optimize=True)

    try:
        box = web.box(**{"pin.attempts": "3", "sessions.lock_command": '["/bin/true"]',
                         "sessions.unlock_command": '["/bin/true"]', "sessions.logout_command": '["/bin/true"]'})
        web.launch().sees("No boxes yet")
        picture("none")
        web.enrol(box, picture=picture)
        picture("store")
        web.store(box)
        web.tap("To the boxes")
        web.sees("Your boxes")
        picture("boxes")
        web.tap("Log in at box")
        web.sees("Enter your PIN")
        web.keys("47")
        picture("pin")
        web.tap("Back")
        web.sees("Your boxes")
        web.log_in(box, "0000")
        web.sees("2 tries left")
        picture("wrong-pin")
        web.keys("0001")
        web.tap("Log in at box")
        web.sees("last try")
        picture("last-try")
        web.keys("4711")
        web.tap("Log in at box")
        web.wait("document.getElementById('live').textContent.includes('Waiting for the login screen')")
        picture("waiting")
        login = Login(box, "alice")
        web.sees("alice is logged in")
        picture("connected")
        login.close()
        web.tap("To the boxes")
        web.tap("Settings")
        web.sees("Language")
        picture("settings")
        web.tap("Back")
        web.tap("Add a box")
        web.sees("Paste or type")
        picture("enrol")
        web.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        web.tap("Back")
        web.tap("Log in at box")
        web.sees("Enter your PIN")
        picture("dark")
    finally:
        web.stop()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
