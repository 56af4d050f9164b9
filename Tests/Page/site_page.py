"""boxsite-page for the tests, run as its own user in front of a site's server, and a client that needs no browser."""
import http.client
import os
import pathlib
import re
import subprocess
import urllib.parse

from administrators import PAGE, open_socket
from box import ROOT, Running
from passkey import SoftPasskey
from site_server import free_port

PROGRAM = pathlib.Path(os.environ.get("BOXSITE_PAGE", ROOT / "dist/boxsite-page"))
FORM = "application/x-www-form-urlencoded"


class SitePage:
    """The page at localhost, or at a Unix socket behind a proxy."""

    def __init__(self, site, name="page", **settings):
        self.site, self.server = site, site.server
        self.directory = site.directory / name
        self.directory.mkdir(mode=0o755)
        self.port = free_port()
        self.origin = settings.get("origin", "http://localhost:%d" % self.port)
        self.settings = {"origin": self.origin, "listen": "localhost:%d" % self.port,
                         "control": str(self.server.run / "control.sock"), **settings}
        self.config = self.directory / "page.toml"
        self.program = [PROGRAM]
        self.starts = 0
        self.administrators = 0
        self.server.extra = ['page_user = "%s"' % PAGE, 'page_origin = "%s"' % self.origin]
        site.write_configs()
        self.server.stop()
        self.server.start()
        open_socket(self.server)

    def start(self):
        self.starts += 1
        self.config.write_text("[page]\n" + "".join('%s = "%s"\n' % each for each in self.settings.items()))
        self.running = Running(
            ["setpriv", "--reuid", PAGE, "--regid", PAGE, "--clear-groups", *self.program, "--config", self.config],
            self.directory, "page-%d" % self.starts)
        self.running.wait_for("ready")
        return self

    def stop(self):
        self.running.stop()

    def connect(self):
        """Connects to the page as a browser would."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def administrator(self, role="administrator", groups=None):
        """Adds an administrator and registers a passkey. Returns the administrator's browser, which is not signed in."""
        self.administrators += 1
        name = "%s%d" % (role, self.administrators)
        self.site.database.sql(
            "INSERT INTO administrators (name, role, groups, state) VALUES ('%s', '%s', %s, 'active')" % (
                name, role, "'\\x%s'" % b"".join(each.to_bytes(2, "big") for each in groups).hex() if groups else "NULL"))
        visitor = Visitor(self, name)
        visitor.register(self.link(name))
        return visitor

    def link(self, name):
        return self.server.ok("admin", "link", name).strip()


class Answer:
    def __init__(self, response):
        self.status, self.headers = response.status, response.headers
        self.text = response.read().decode()

    @property
    def place(self):
        return self.headers["Location"]

    def field(self, name):
        """Returns the value of a hidden field or of an attribute."""
        found = re.search(r'name="%s" value="([^"]*)"' % name, self.text) or re.search(r'%s="([^"]*)"' % name, self.text)
        return found and found[1]

    @property
    def problem(self):
        found = re.search(r'<p class="bad" role="alert"(?: id="problem")?>([^<]+)</p>', self.text)
        return found and found[1]


class Visitor:
    """A browser without a screen. It stores the one cookie, and sends forms as the page has them unless a test changes a field."""

    def __init__(self, page, name=None):
        self.page, self.name, self.cookie = page, name, None
        self.passkey = SoftPasskey(page.origin)

    def send(self, method, path, body=None, headers=None):
        link = self.page.connect()
        sent = {"Host": self.page.origin.split("//")[1]}
        if self.cookie:
            sent["Cookie"] = self.cookie
        sent.update(headers or {})
        link.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
        answer = Answer(link.getresponse())
        link.close()
        given = answer.headers.get_all("Set-Cookie") or []
        for each in given:
            if each.startswith(("boxsite=", "__Host-boxsite=")):
                self.cookie, self.attributes = each.split(";")[0], each
        return answer

    def get(self, path, **headers):
        return self.send("GET", path, headers=headers)

    def post(self, path, fields, headers=None):
        return self.send("POST", path, urllib.parse.urlencode(fields),
                         {"Content-Type": FORM, "Origin": self.page.origin, **(headers or {})})

    def submit(self, page, path, headers=None, **fields):
        """Sends a form with the token of the page that showed it."""
        return self.post(path, {"token": page.field("token"), **fields}, headers)

    # Actions of a user

    def register(self, link):
        assert link.startswith(self.page.origin + "/register#")
        code = link.split("#")[1]
        shown = self.submit(self.get("/register"), "/register", code=code)
        assert shown.status == 200, shown.text
        return self.submit(shown, "/register/passkey", code=code, **self.passkey.make(shown.field("data-challenge")))

    def sign_in(self, shown=None, headers=None, **bends):
        shown = shown or self.get("/sign-in")
        return self.submit(shown, "/sign-in", headers, **self.passkey.sign(shown.field("data-challenge"), **bends))

    def signed_in(self):
        answer = self.sign_in()
        assert (answer.status, answer.place) == (303, "/boxes"), answer.text
        return self

    @property
    def is_signed_in(self):
        return self.get("/boxes").status == 200


def raw(page, data):
    """Opens a connection and sends these bytes."""
    import socket
    link = socket.create_connection(("127.0.0.1", page.port), 60)
    link.sendall(data)
    return link


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
