"""Debian's headless Chromium, controlled by the DevTools protocol over a pipe, with a profile and a D-Bus of the test."""

import json
import os
import pathlib
import select
import subprocess
import time

from deadline import REFERENCE, Deadline, slowness

PATIENCE = 60  # seconds of a quiet machine
# The most by which a machine's slowness multiplies PATIENCE. A page answers in a second, so only an emulated machine needs more
# than 3.
SLOWEST = 20 if REFERENCE in os.environ else 3
# The pause between two polls of a page: at least these seconds, and this multiple of the last poll's duration.
SHORTEST_PAUSE, LOOKING = 0.02, 5
PROGRAM = os.environ.get("BOXAGENT_CHROMIUM", "/usr/lib/chromium/chromium")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-dev-shm-usage", "--remote-debugging-pipe",
         "--password-store=basic", "--window-size=390,844", "--hide-scrollbars",
         # An app window has no address bar, whose own pages would take a fifth of the browser's time.
         "--app=data:text/html,"]


class Chromium:
    def __init__(self, profile, bus, language="en", features="WebBluetooth", flags=()):
        profile.mkdir(exist_ok=True)
        reads, self.commands = os.pipe()
        self.answers, writes = os.pipe()
        environment = dict(os.environ, HOME=str(profile), LANGUAGE=language, DBUS_SYSTEM_BUS_ADDRESS=bus,
                           DBUS_SESSION_BUS_ADDRESS="disabled:")
        # The browser expects its ends of the pipe as descriptors 3 and 4, which may be in use here.
        self.log = open(profile.parent / "chromium.log", "ab")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "bash", "-c", 'exec 3<&%d 4>&%d "$@"' % (reads, writes), "chromium",
             PROGRAM, *FLAGS, *flags, "--enable-features=" + features, "--user-data-dir=%s" % profile, "--accept-lang=" + language],
            env=environment, pass_fds=(reads, writes), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(reads)
        os.close(writes)
        self.number, self.buffer, self.events, self.prompts = 0, b"", [], []
        self.choose = lambda devices: None
        self.session = None
        found = self.until(lambda: [each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"])
        self.attach(found[0]["targetId"])

    def attach(self, target):
        self.session, self.target = None, target
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "DeviceAccess", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        return self.number

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], deadline.left())[0]:
                if deadline.is_over():
                    raise TimeoutError("the browser says nothing")
                continue
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise EOFError("the browser has ended: " + pathlib.Path(self.log.name).read_text(errors="backslashreplace")[-2000:])
            self.buffer += piece
        whole, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(whole)

    def happened(self, message):
        self.events.append(message)
        if message["method"] == "DeviceAccess.deviceRequestPrompted":
            self.answer_chooser(message["params"])

    def answer_chooser(self, prompt):
        """Answers each chooser once, as soon as `choose` picks one of its devices."""
        picked = self.choose(prompt["devices"])
        if picked is None or prompt["id"] in self.prompts:
            return
        self.prompts.append(prompt["id"])
        if picked == "cancel":
            self.send("DeviceAccess.cancelPrompt", id=prompt["id"])
        else:
            self.send("DeviceAccess.selectPrompt", id=prompt["id"], deviceId=picked)

    def call(self, method, **parameters):
        wanted, deadline = self.send(method, **parameters), Deadline(PATIENCE)
        while True:
            message = self.receive(deadline)
            if message.get("id") == wanted:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            if "method" in message:
                self.happened(message)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True,
                           allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def until(self, what, patience=PATIENCE):
        """Returns the first true value of `what`. Receives events meanwhile, and leaves most of the time to the browser."""
        deadline = Deadline(patience, measure=lambda: min(slowness(), SLOWEST))
        while True:
            began = time.monotonic()
            if value := what():
                return value
            if deadline.is_over():
                raise TimeoutError("it never came about")
            looked = time.monotonic()
            self.listen(looked + max(SHORTEST_PAUSE, LOOKING * (looked - began)))

    def listen(self, end):
        while b"\0" in self.buffer or select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
            message = self.receive(Deadline(PATIENCE))
            if "method" in message:
                self.happened(message)

    def go(self, url):
        self.call("Page.navigate", url=url)

    def picture(self, path):
        import base64
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def console(self):
        """Returns the pages' errors and console messages."""
        return [event["params"] for event in self.events
                if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")]

    def kill(self):
        """Kills the browser as the system does when memory is short: nothing is completed."""
        self.process.kill()
        self.process.wait()
        self.close()

    def stop(self):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.close()

    def close(self):
        for end in (self.commands, self.answers):
            os.close(end)
        self.log.close()
