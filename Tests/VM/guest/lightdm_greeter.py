#!/usr/bin/python3
"""A LightDM greeter without a screen that acts for the user. It reads the user to choose from /run/lightdm-greeter/choose, and the
password to type from /run/lightdm-greeter/type. It writes what it sees to /run/lightdm-greeter/seen. On an X display, the files are
in a directory with the display's name."""

import os
import pathlib

import gi

gi.require_version("LightDM", "1")
from gi.repository import GLib, LightDM  # noqa: E402

DISPLAY = os.environ.get("DISPLAY", "")
DIRECTORY = pathlib.Path("/run/lightdm-greeter", DISPLAY)
greeter = LightDM.Greeter()
loop = GLib.MainLoop()


def seen(text):
    with open(DIRECTORY / "seen", "a", encoding="utf-8") as file:
        file.write(text + "\n")


def taken(name):
    """Returns the content of the file and deletes it. Returns None if the file does not exist."""
    path = DIRECTORY / name
    if not path.exists():
        return None
    text = path.read_text()
    path.unlink()
    return text


def show_prompt(_greeter, text, kind):
    seen("prompt %s" % text.strip())
    greeter.prompted = True


def complete(_greeter):
    seen("authenticated" if greeter.get_is_authenticated() else "refused")
    if greeter.get_is_authenticated():
        greeter.start_session_sync("text-x" if DISPLAY else "text")


def look():
    user = taken("choose")
    if user is not None:
        seen("chosen %s" % user)
        greeter.prompted = False
        greeter.authenticate(user)
    typed = taken("type") if getattr(greeter, "prompted", False) else None
    if typed is not None:
        greeter.prompted = False
        greeter.respond(typed)
    return True


greeter.connect("show-prompt", show_prompt)
greeter.connect("authentication-complete", complete)
greeter.connect_to_daemon_sync()
seen("ready")
GLib.timeout_add(50, look)
loop.run()
