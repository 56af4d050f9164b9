"""The site page in this guest: nginx and boxsite-page as docs/how-to/run-a-site.md sets both up. An administrator uses it in
Chromium, which is on the guest's second disk."""

import base64
import hashlib
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import types

import guide
import site_here
import web_phone_here
from machine import run, unit_pid

from authenticator import Authenticator  # noqa: E402, after web_phone_here has said where the browser is
from page_in_browser import PageInBrowser  # noqa: E402

NAME = "boxes.example.org"
ORIGIN = "https://" + NAME
SECTION = "Set up the page in a browser"
UNIT = "boxsite-page"
CERTIFICATE, KEY = "/etc/ssl/certs/%s.pem" % NAME, "/etc/ssl/private/%s.key" % NAME
# apt must not ask questions.
APT = {"apt install": "DEBIAN_FRONTEND=noninteractive apt-get -q -y install"}
DIRECTORY = pathlib.Path("/tmp/site-page")
STRICT = pathlib.Path("/etc/systemd/system/boxsite-page.service.d/strict.conf")


def certify():
    """Gives this machine a name and a certificate, which the guide assumes."""
    with open("/etc/hosts", "a", encoding="utf-8") as hosts:
        hosts.write("127.0.0.1 %s\n" % NAME)
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=" + NAME,
        "-addext", "subjectAltName=DNS:" + NAME, "-out", CERTIFICATE, "-keyout", KEY, seconds=60)


def set_up():
    """Types the lines of the guide's section, except those for the first administrator, which it returns."""
    install, origin, address, user, page_origin, group, copy, check, test, restart, enable, *first = guide.lines(SECTION)
    guide.type_line(install, APT, seconds=400)
    for each in (address, origin):
        guide.write_line("/etc/boxsite/page.toml", each, below="[page]")
    for each in (user, page_origin):
        guide.write_line(site_here.CONFIGURATION, each, below="[server]")
    certify()
    for each in (group, copy, check, test, restart, enable):
        guide.type_line(each)
    return first


def get(path, host=NAME, **headers):
    """Requests a page over HTTPS without signing in. Returns (status, redirect target, text)."""
    context = ssl.create_default_context(cafile=CERTIFICATE)
    with socket.create_connection(("127.0.0.1", 443), timeout=60) as link, context.wrap_socket(link, server_hostname=NAME) as secured:
        words = {"Host": host, "Connection": "close", **{name.replace("_", "-"): value for name, value in headers.items()}}
        secured.sendall(("GET %s HTTP/1.1\r\n%s\r\n" % (path, "".join("%s: %s\r\n" % each for each in words.items()))).encode())
        said = b""
        while piece := secured.recv(65536):
            said += piece
    head, _, text = said.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    places = [line.split(": ", 1)[1] for line in lines if line.lower().startswith("location: ")]
    return int(lines[0].split()[1]), places and places[0], text.decode(errors="replace")


def kill_what_is_forbidden():
    """Restarts the page with the shipped unit, changed so that a forbidden system call kills it. The shipped unit only makes the
    call fail, and a program may ignore that silently."""
    STRICT.parent.mkdir(exist_ok=True)
    STRICT.write_text("[Service]\nSystemCallErrorNumber=kill\n")
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", UNIT, seconds=60)


def properties(*names):
    """Returns properties of the unit as systemd parsed them."""
    lines = run("systemctl", "show", UNIT, *[word for name in names for word in ("-p", name)]).stdout.splitlines()
    return dict(line.split("=", 1) for line in lines)


def process():
    """Returns the kernel's status of the page's process."""
    text = pathlib.Path("/proc/%d/status" % unit_pid(UNIT)).read_text()
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


class Administrator(PageInBrowser):
    """An administrator with a passkey, in a browser."""

    def __init__(self):
        web_phone_here.mount()
        DIRECTORY.mkdir()
        super().__init__(DIRECTORY, types.SimpleNamespace(url=ORIGIN + "/sign-in"), "disabled:")
        trusted = hashlib.sha256(subprocess.run(
            "openssl x509 -in %s -noout -pubkey | openssl pkey -pubin -outform der" % CERTIFICATE, shell=True, check=True,
            capture_output=True).stdout).digest()
        self.launch(flags=[*web_phone_here.FLAGS, "--ignore-certificate-errors-spki-list=" + base64.b64encode(trusted).decode()])
        self.authenticator = Authenticator(self.browser, hasPrf=False)

    def open(self, place, text):
        self.browser.go(place if place.startswith("https:") else ORIGIN + place)
        self.sees(text)

    def follow(self, words):
        """Follows the link with this text."""
        find = "[...document.querySelectorAll('a')].find(a => a.textContent.trim() === %s)" % repr(words)
        self.wait(find)
        self.js(find + ".click()")

    def fill(self, label, text):
        """Replaces the text of the field with this label."""
        self.wait("[...document.querySelectorAll('label')].find(l => l.textContent.includes(%s))" % repr(label))
        self.js("[...document.querySelectorAll('label')].find(l => l.textContent.includes(%s)).control.select()" % repr(label))
        self.type(label, text)

    def sign_in(self, link):
        """Opens the link for the first sign-in, and makes a passkey."""
        self.open(link, "Set up a passkey")
        self.tap("Next")
        self.sees("This passkey is for anna")
        self.tap("Create the passkey")
        self.sees("The passkey is set up")
        self.tap("Sign in with a passkey")
        self.sees("Sign out")

    def sign_in_again(self):
        self.open("/sign-in", "Sign in with a passkey")
        self.tap("Sign in with a passkey")
        self.sees("Sign out")

    def begin_enrolment(self, account, group):
        """Starts an enrolment. Returns the code."""
        self.follow("People")
        self.sees("Found:")
        self.follow("Enrol a phone")
        self.sees("You get a code")
        self.fill("Account on the boxes", account)
        self.fill("Groups of boxes", group)
        self.tap("Show the code")
        self.sees("Waiting for the phone")
        return self.js("document.querySelector('#code').value")

    def digits(self):
        """Waits for the six digits, which appear without a reload. Returns them."""
        self.sees("Does the phone show the same six digits?", 120)
        return self.js("document.querySelector('.digits').textContent.replace(/\\D/g, '')")

    def revoke(self, beginning, reason):
        self.follow("People")
        self.sees("Found:")
        self.follow(beginning)
        self.sees("Revoke this phone")
        self.follow("Revoke this phone")
        self.sees("Reason, for the audit log")
        self.fill("Reason, for the audit log", reason)
        self.tap("Revoke for good")
        self.sees("The phone is revoked")

    def stop(self):
        self.browser.stop()
        shutil.rmtree(DIRECTORY, ignore_errors=True)


# A local user's attempt on a socket. Its arguments: path, socket type, and optionally a request and an administrator.
TRY = """
import socket, sys
link = socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[2]))
try:
    link.connect(sys.argv[1])
except OSError as problem:
    print(problem.strerror)
    sys.exit()
if len(sys.argv) < 5:
    print("connected")
    sys.exit()
import cbor2
link.send(cbor2.dumps({"version": 2, "type": sys.argv[3], "as": sys.argv[4]}, canonical=True))
answer = cbor2.loads(link.recv(16384))
print(answer["type"], answer.get("kind", ""), answer.get("what", ""))
"""


def tries(user, path, kind, *words):
    """Runs the attempt as `user`, with that user's groups. Returns its outcome."""
    return run("runuser", "-u", user, "--", "python3", "-c", TRY, path, kind, *words, env={**os.environ, "PYTHONPATH": ""}).stdout.strip()
