"""The web phone in this guest. Its page runs in Chromium, which is on the guest's second disk (Tests/VM/browser)."""

import os
import pathlib
import subprocess
import types

import machine

DISK = pathlib.Path("/mnt/browser")
os.environ["BOXAGENT_CHROMIUM"] = str(DISK / "chromium")

from page_in_browser import PageInBrowser  # noqa: E402

DIRECTORY = pathlib.Path("/tmp/web-phone")
# Switches off what slows an emulated processor: a second compiler for code that runs once, extra processes and threads.
FLAGS = ["--js-flags=--liftoff-only", "--in-process-gpu", "--disable-extensions", "--disable-sync", "--disable-default-apps"]
# Reduced motion is a setting that users have. Otherwise the same processor would draw the spinner while the page waits for the box.
STILL = [{"name": "prefers-reduced-motion", "value": "reduce"}]


def mount():
    DISK.mkdir(exist_ok=True)
    machine.run("mount", "-o", "ro", "/dev/vdb", DISK)


class WebPhone(PageInBrowser):
    def __init__(self, box):
        mount()
        DIRECTORY.mkdir()
        self.box = box
        # Starts the host without the box object, whose programs end with a scenario.
        host = subprocess.Popen(["/usr/bin/boxagent-web", "serve"], stdout=subprocess.PIPE, text=True)
        server = types.SimpleNamespace(url=host.stdout.readline().split()[0])
        super().__init__(DIRECTORY, server, "unix:path=/run/dbus/system_bus_socket")

    def start(self):
        self.launch(flags=FLAGS)
        self.browser.call("Emulation.setEmulatedMedia", features=STILL)
        return self

    def programs(self):
        return self.box.everything[-4:]
