"""A page and a box that many tests share. Before each test, the page's store is reset to its state after the first enrolment."""

import os

from box import MODULE
from logind import Logind
from person import Person
from web_phone import WebPhone

STORES = '["keys", "boxes", "notes"]'
# Copies one database of the page to another. That works even for keys that WebCrypto does not export.
COPY = """(async (from, to) => {
    const open = name => new Promise((done, failed) => {
        const asked = indexedDB.open(name, 1);
        asked.onupgradeneeded = () => %s.forEach(each => asked.result.createObjectStore(each));
        asked.onsuccess = () => done(asked.result);
        asked.onerror = () => failed(asked.error);
    });
    const source = await open(from), sink = await open(to), names = %s, all = {};
    const reading = source.transaction(names);
    for (const name of names) {
        const place = all[name] = [];
        reading.objectStore(name).openCursor().onsuccess = ({ target }) => {
            if (!target.result) return;
            place.push([target.result.key, target.result.value]);
            target.result.continue();
        };
    }
    await new Promise(done => { reading.oncomplete = done; });
    const writing = sink.transaction(names, "readwrite");
    for (const name of names) {
        writing.objectStore(name).clear();
        for (const [key, value] of all[name]) writing.objectStore(name).put(value, key);
    }
    await new Promise((done, failed) => { writing.oncomplete = done; writing.onabort = () => failed(writing.error); });
    source.close();
    sink.close();
})("%%s", "%%s")""" % (STORES, STORES)
CAMERA = ["--use-fake-device-for-media-stream"]


class UsedPage(WebPhone):
    def __init__(self, directory, page):
        super().__init__(directory, page)
        self.logind = Logind(self.bus.address)
        self.logind.add("c7", "alice", type="wayland")
        command = directory / "command"
        command.write_text("#!/bin/sh\nexit 0\n")
        command.chmod(0o700)
        self.own = self.box(**{"pin.attempts": "3", "elevation.services": '["sudo"]', "sessions.bus": '"%s"' % self.bus.address},
                            **{"sessions.%s_command" % name: '["%s"]' % command for name in ("lock", "unlock", "logout")})
        self.own_id = self.own.id
        self.own.pam_service("sudo", lines=[
            f"auth [default=ignore] {MODULE} wait=30 prompt socket={self.own.run}/pam.sock",
            f"auth requisite pam_pwdfile.so use_first_pass pwdfile={self.own.directory}/passwords",
            f"auth [default=ignore] {MODULE} verdict",
            "account required pam_permit.so", "session required pam_permit.so"])
        self.scripts, self.started, self.first = [], [], False

    def begin(self):
        self.launch(flags=CAMERA).ready(self.own)
        self.js(COPY % ("boxphone", "kept"))
        self.first = True

    def as_before(self):
        if not self.first:
            self.begin()
        self.browser.events.clear()
        self.wanted = self.own_id
        self.load().wait("document.querySelector('h1')")
        self.js(COPY % ("kept", "boxphone"))
        self.js("localStorage.clear()")
        self.load().sees("Your boxes")

    def leave(self):
        """Reverts a test's changes in and around the browser."""
        for identifier in self.scripts:
            self.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=identifier)
        self.scripts.clear()
        self.browser.call("Emulation.setEmulatedMedia", features=[])
        for program in self.started:
            program.stop()
        self.started.clear()
        self.logind.put_processes_in("")
        self.browser.go("about:blank")

    def before_load(self, script):
        """Runs a script before the page's own, from the next load on, until the end of the test."""
        self.scripts.append(self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"])

    def in_language(self, language):
        """Sets the page's language from the next load on. Returns a user of that language."""
        self.js("localStorage.setItem('boxphone-language', '%s')" % language)
        return Person(self, language)

    def forget_what_was_asked(self):
        """Restarts the agent, because after an unanswered request or a wrong PIN it would not ask the phone for 30 s."""
        self.own.agent.stop()
        self.own.start()
        self.own.wait_until(lambda: self.own.json("status")["radio_state"].startswith("advertising"))

    def waits_for_a_tap(self, box=None):
        """Starts a program at a login screen of the box."""
        box = box or self.own
        program = box.pam("alice")
        self.started.append(program)
        box.wait_until(box.programs_waiting)
        return program

    def sudo(self, terminal="pts/3"):
        """Starts sudo, which asks the phone, in a session at the seat."""
        self.logind.put_processes_in("c7")
        environment = dict(os.environ, LD_PRELOAD="libpam_wrapper.so", PAM_WRAPPER="1",
                           PAM_WRAPPER_SERVICE_DIR=str(self.own.directory / "pam.d"))
        self.own.counter += 1
        program = self.own.run_program(
            ["pamtester", "-I", "tty=" + terminal, "sudo", "alice", "authenticate", "acct_mgmt", "setcred"],
            "sudo-%d" % self.own.counter, env=environment)
        self.started.append(program)
        return program

    def stop(self):
        self.logind.stop()
        super().stop()
