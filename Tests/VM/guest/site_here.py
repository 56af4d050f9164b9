"""A site in this guest: PostgreSQL, boxsite and boxsited, set up line by line as docs/how-to/run-a-site.md describes. It also has a
second box besides the installed one."""

import fcntl
import json
import os
import pathlib
import socket
import struct
import subprocess

import box as programs
import guide
from machine import Failed, run, wait_until

# The guide's address, which this guest takes as its own.
ADDRESS = "192.0.2.10"
SIOCSIFADDR = 0x8916
STICKS = ("one", "two")
CONFIGURATION = "/etc/boxsite/boxsite.toml"
# Of PostgreSQL, the guide's `VERSION`: 15 in Debian 12, 17 in Debian 13.
VERSION, = os.listdir("/usr/lib/postgresql")


def boxsite(*words, stdin=None, status=0):
    """Runs boxsite as the administrator does at the server. Returns its output."""
    done = subprocess.run(["boxsite", *words], input=stdin, stdin=None if stdin else subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    print("boxsite", *words[:2], done.returncode, done.stderr, flush=True)
    if done.returncode != status:
        raise Failed("boxsite %s ended with %d: %s" % (words, done.returncode, done.stderr))
    return done.stdout


def found():
    """Follows the guide from the packages to a server that signs."""
    run("systemd-sysusers", "/usr/lib/sysusers.d/boxsite.conf")
    run("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/boxsite.conf")
    # Debian's package does this at installation, but the image skipped it.
    run("pg_createcluster", VERSION, "main", "--start", seconds=200)
    take_address(ADDRESS)
    guide.type_section("Create the database")
    addresses, check = guide.lines("Set the address")
    if "# %s\n" % addresses not in pathlib.Path(CONFIGURATION).read_text():
        raise Failed("the configuration's example is another one")
    guide.write_line(CONFIGURATION, addresses, below="[server]")
    guide.type_line(check)
    guide.type_section("Create the site")
    for name in STICKS:
        put_stick(name)
    guide.type_section("Store the root keys")
    run("systemctl", "daemon-reload")
    enable, look = guide.lines("Start the server")
    guide.type_line(enable)
    # The guide quotes the last line of the status. That line can take a moment to appear.
    wait_until(lambda: signs(guide.type_line(look, status=None)), 60, of="the server signs")


def signs(status):
    return [each.split() for each in status.splitlines()[-1:]] == [["signing", "yes"]]


def look():
    """Returns the status without checking it."""
    return subprocess.run(["boxsite", "status"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60).stdout


def take_address(address, alias="lo:1"):
    """Adds a second address to the loopback interface (netdevice(7))."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sHH4s8x", alias.encode(), socket.AF_INET, 0, socket.inet_aton(address))
        fcntl.ioctl(any_socket, SIOCSIFADDR, request)


def put_stick(name):
    """Mounts a USB stick. Its files survive when it is removed."""
    for directory in ("/run/stick-" + name, "/media/" + name):
        os.makedirs(directory, exist_ok=True)
    run("mount", "--bind", "/run/stick-" + name, "/media/" + name)


def status():
    done = subprocess.run(["boxsite", "status", "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout) if done.stdout else {"doubt": "it does not answer"}


def join_by_guide(box):
    """Joins the installed box, which must be allowed to reach the site's server."""
    make, join, forget, look = (guide.line("Join a box", each) for each in ("(umask", "boxagent join", "rm /root", "boxagent site"))
    guide.type_line(make, {"--group 7": "--group 7 --number 004711"})
    said = guide.type_line(join, seconds=200)
    if "this box has number 004711 there" not in said:
        raise Failed("the box joined otherwise: " + said)
    guide.type_line(forget)
    wait_until(lambda: box.json("site")["linked_server"], 60, of="the box is linked")
    if ADDRESS not in guide.type_line(look):
        raise Failed("the box does not say which server it is linked to")


def join(box, name, number):
    """Makes a code for the box and joins with it. Returns the output."""
    code = boxsite("box", "add", name, "--number", number, "--group", "7")
    said = box.command("join", stdin=programs.pipe_with(code.encode())).ok(120)
    wait_until(lambda: box.json("site")["linked_server"], 60, of="the box is linked")
    return said


class SecondBox(programs.Box):
    """A second box on another controller of this guest, with its own agent and a PAM service that asks it."""

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
        """Starts a program that asks for a login, with empty standard input."""
        self.counter += 1
        return self.run_program(["pamtester", "second-box", user, *programs.LET_IN], "pamtester-%d" % self.counter)

    def waiting(self):
        wait_until(lambda: self.programs_waiting() == 1, of="a program waits for a tap")
