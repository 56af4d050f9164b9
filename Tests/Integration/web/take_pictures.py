#!/usr/bin/python3
"""Takes the pictures of the page's screens, docs/images/web-*.png, on a screen of a phone's size, at a real box. Needs python3-pil.

    .build-python/bin/python Tests/Integration/web/take_pictures.py
"""

import pathlib
import shutil
import sys
import tempfile

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE)] + [str(HERE.parent / name) for name in ("agent", "bluez", "sessions")]

import screens  # noqa: E402
from screens_with_a_passkey import screens_with_a_passkey  # noqa: E402
from used_page import UsedPage  # noqa: E402
from web_phone import WebPhone  # noqa: E402


def picture(browser, name):
    path = ROOT / ("docs/images/web-%s.png" % name)
    browser.picture(path)
    Image.open(path).convert("RGB").quantize(48).save(path, optimize=True)


def of_every_screen(used):
    used.as_before()
    person = used.in_language("en")
    used.browser.call("Browser.setPermission", permission={"name": "camera"}, setting="granted")
    for name in screens.all_screens(used, person):
        picture(used.browser, name)
    used.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    used.load()
    person.opens_login(used.own)
    picture(used.browser, "dark")


def with_a_passkey(web):
    for name in screens_with_a_passkey(web):
        picture(web.browser, name)


def main():
    for kind, take in ((UsedPage, of_every_screen), (WebPhone, with_a_passkey)):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-pictures-"))
        web = kind(directory, ROOT / "dist/web")
        try:
            take(web)
        finally:
            web.stop()
            shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
