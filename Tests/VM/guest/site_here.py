"""A site in this guest: PostgreSQL, boxsite and boxsited as docs/site-guide.md has an administrator set them up, and a second
box beside the installed one."""

import json
import os
import pathlib
import subprocess

import box as programs
from machine import Failed, run, wait_until

ADDRESS = "127.0.0.1"
PORT = 4711
ROOT_KEYS = pathlib.Path("/run/boxsite-root")


def boxsite(*words, stdin=None, status=0):
    """What the administrator types at the server; what it prints."""
    done = subprocess.run(["boxsite", *words], input=stdin, stdin=None if stdin else subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    print("boxsite", *words[:2], done.returncode, done.stderr, flush=True)
    if done.returncode != status:
        raise Failed("boxsite %s ended with %d: %s" % (words, done.returncode, done.stderr))
    return done.stdout


def found():
    """From the packages to a server that signs, by the commands of the guide."""
    run("systemd-sysusers", "/usr/lib/sysusers.d/boxsite.conf")
    run("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/boxsite.conf")
    # Debian's package does this when it is installed; the image has left it out.
    run("pg_createcluster", "15", "main", "--start", seconds=200)
    run("runuser", "-u", "postgres", "--", "createuser", "boxsite")
    run("runuser", "-u", "postgres", "--", "createdb", "--owner=boxsite", "boxsite")
    configuration = pathlib.Path("/etc/boxsite/boxsite.toml")
    text = configuration.read_text()
    line = '# addresses = ["192.0.2.10:4711"]\n'
    if line not in text:
        raise Failed("the configuration's example is another one: " + text)
    configuration.write_text(text.replace(line, 'addresses = ["%s:%d"]\n' % (ADDRESS, PORT)))
    run("boxsited", "--check-config")
    run("install", "-d", "-o", "boxsite", "-g", "boxsite", "-m", "0700", ROOT_KEYS)
    run("runuser", "-u", "boxsite", "--", "boxsite", "init", "--root-directory", ROOT_KEYS)
    run("systemctl", "daemon-reload")
    run("systemctl", "enable", "--now", "--quiet", "boxsited")
    wait_until(lambda: not status()["doubt"], 60, of="the server signs")


def status():
    done = subprocess.run(["boxsite", "status", "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout) if done.stdout else {"doubt": "it does not answer"}


def join(box, name, number):
    """The box gets a code, and joins with it."""
    code = boxsite("box", "add", name, "--number", number)
    said = box.command("join", stdin=programs.pipe_with(code.encode())).ok(120)
    wait_until(lambda: box.json("site")["linked_server"], 60, of="the box is linked")
    return said


class SecondBox(programs.Box):
    """Another box on another controller of this guest: an agent of its own, and a PAM service that asks it."""

    def __init__(self, adapter, directory=pathlib.Path("/run/second-box")):
        super().__init__(directory, directory / "air", **{
            "radio.kind": '"bluez"', "radio.adapter": '"%s"' % adapter, "login.services": '["second-box"]'})
        pathlib.Path("/etc/pam.d/second-box").write_text("\n".join([
            "auth [default=ignore] pam_boxagent.so wait=30 socket=%s" % (self.run / "pam.sock"),
            "auth required pam_unix.so use_first_pass", "auth [default=ignore] pam_boxagent.so verdict",
            "account required pam_unix.so", ""]))

    def start(self):
        self.counter += 1
        self.agent = self.run_program(["/usr/sbin/boxagentd", "--config", self.config], "boxagentd-%d" % self.counter)
        self.agent.wait_for("ready", 60)
        return self

    def pam(self, user):
        """A program asks for a login, with nobody at the keyboard."""
        self.counter += 1
        return self.run_program(["pamtester", "second-box", user, "authenticate", "acct_mgmt"], "pamtester-%d" % self.counter)

    def waiting(self):
        wait_until(lambda: self.programs_waiting() == 1, of="a program waits for a tap")
