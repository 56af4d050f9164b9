"""The shipped nginx example in front of the page, with a real nginx and HTTPS; and the shipped configuration."""
import base64
import http.client
import os
import pwd
import re
import socket
import ssl
import subprocess

import pytest

from administrators import PAGE
from box import PATIENCE, ROOT
from site_page import Visitor, free_port, run

# The configuration around the example that lets nginx run as an ordinary user in a private directory.
AROUND = """
daemon off; master_process off; pid {0}/pid; error_log stderr;
events {{ }}
http {{
    client_body_temp_path {0}/body; proxy_temp_path {0}/proxy; fastcgi_temp_path {0}/fastcgi; uwsgi_temp_path {0}/uwsgi;
    scgi_temp_path {0}/scgi;
{1}
}}
"""


def example(place, port, page_socket, signs_in, has_secret):
    text = (ROOT / "packaging/nginx/boxsite-page.conf").read_text()
    if signs_in:
        text = signing_in(text, place)
    elif has_secret:
        text = text.replace("# include /etc/nginx/", "include %s/" % place)
    for before, after in [("listen 443 ssl http2;", "listen 127.0.0.1:%d ssl http2;" % port), ("listen [::]:443 ssl http2;", ""),
                          ("server_name boxes.example.org;", "server_name localhost;"),
                          ("/etc/ssl/certs/boxes.example.org.pem", str(place / "host.pem")),
                          ("/etc/ssl/private/boxes.example.org.key", str(place / "host.key")),
                          ("/run/boxsite-page/http.sock", str(page_socket))]:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def signing_in(text, place):
    """Changes the example as its comment says. People sign in at nginx with a password."""
    clearing = '        proxy_set_header X-Remote-User "";\n'
    assert text.count(clearing) == 1
    before, after = text.replace(clearing, "").split("# If nginx signs people in")
    said, lines = after.split("# auth_basic ")
    lines = ("auth_basic " + lines).replace("/etc/nginx/", "%s/" % place).replace("        # ", "        ", 3)
    (place / "boxsite-people").write_text("anna:{PLAIN}correct-horse\n")
    return before + "# If nginx signs people in" + said + lines


def make_secret(place):
    """Types the guide's lines in one shell. Returns the sum that goes into page.toml."""
    guide = (ROOT / "docs/how-to/run-a-site.md").read_text()
    section = guide.split("### Use an existing sign-in\n")[1].split("\n#")[0]
    lines = [line.strip() for line in section.splitlines() if line.startswith("    ")]
    typed = "\n".join(lines).replace("/etc/nginx/", "%s/" % place)
    assert len(lines) == 4 and typed.count(str(place)) == 2
    return subprocess.run(["bash", "-ec", typed], check=True, capture_output=True, text=True).stdout.split()[0]


class Proxied:
    """The page at a Unix socket, and in front of it nginx as a user of the page's group, as the guide sets both up."""

    def __init__(self, own_page, signs_in=False, has_secret=False, **settings):
        self.place = own_page.directory / "nginx"
        self.place.mkdir()
        if signs_in or has_secret:
            settings = {"administrator_header": "X-Remote-User", "proxy_secret_sha256": make_secret(self.place), **settings}
        sockets = own_page.directory / "sockets"
        sockets.mkdir()
        owner = pwd.getpwnam(PAGE)
        os.chown(sockets, owner.pw_uid, owner.pw_gid)
        sockets.chmod(0o750)
        self.port = free_port()
        self.page = own_page(origin="https://localhost:%d" % self.port, listen="unix:%s" % (sockets / "http.sock"), **settings).start()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", self.place / "host.pem",
                        "-keyout", self.place / "host.key"], check=True, capture_output=True)
        configuration = self.place / "nginx.conf"
        configuration.write_text(AROUND.format(self.place, example(self.place, self.port, sockets / "http.sock", signs_in, has_secret)))
        subprocess.run(["chown", "-R", "www-data", self.place], check=True)
        self.nginx = subprocess.Popen(
            ["setpriv", "--reuid", "www-data", "--regid", "www-data", "--groups", PAGE, "/usr/sbin/nginx", "-c", configuration,
             "-p", self.place, "-e", "stderr"], stderr=subprocess.PIPE, text=True)
        while self.nginx.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE).close()
                break
            except ConnectionRefusedError:
                pass
        else:
            raise AssertionError(self.nginx.stderr.read())
        self.page.connect = self.connect

    def connect(self):
        trusted = ssl.create_default_context(cafile=str(self.place / "host.pem"))
        return http.client.HTTPSConnection("localhost", self.port, context=trusted, timeout=60)

    def stop(self):
        self.nginx.terminate()
        self.nginx.communicate(timeout=PATIENCE)


@pytest.fixture
def proxied(own_page):
    made = []

    def make(**settings):
        made.append(Proxied(own_page, **settings))
        return made[-1].page

    yield make
    for each in made:
        each.stop()


def test_behind_the_example_for_nginx_somebody_signs_in_over_https(proxied):
    page = proxied()
    anna = page.administrator()
    assert anna.sign_in().status == 303 and anna.is_signed_in
    assert anna.cookie.startswith("__Host-boxsite=") and "Secure" in anna.attributes and "HttpOnly" in anna.attributes
    answer = anna.get("/boxes")
    assert answer.headers.get_all("Strict-Transport-Security") == ["max-age=31536000"]
    for name in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "X-Frame-Options", "Cache-Control"):
        assert len(answer.headers.get_all(name)) == 1, name
    assert anna.get("/boxes", Host="evil.example.org").status == 421
    assert anna.submit(answer, "/sign-out", {"Origin": "http://localhost:%d" % page.port}).status == 403


def test_live_numbers_come_through_the_example_at_once(proxied):
    anna = proxied().administrator().signed_in()
    link = anna.page.connect()
    link.request("GET", "/live", headers={"Host": anna.page.origin.split("//")[1], "Cookie": anna.cookie})
    answer = link.getresponse()
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/event-stream"
    assert answer.readline() == b"data: away=0\n"
    link.close()


NAMES = ("X-Remote-User", "x-remote-user", "X_Remote_User")


def add_anna(page):
    page.site.database.sql("INSERT INTO administrators (name, role, state) VALUES ('anna', 'viewer', 'active')")
    return Visitor(page)


def test_a_browser_cannot_say_through_the_example_who_is_signed_in(proxied):
    """nginx has the secret, and signs nobody in yet."""
    visitor = add_anna(proxied(has_secret=True))
    for name in NAMES:
        answer = visitor.get("/boxes", **{name: "anna"})
        assert (answer.status, answer.place) == (303, "/sign-in"), name
    guessed = {"Authorization": "Basic " + base64.b64encode(b"anna:guessed").decode()}
    assert visitor.get("/boxes", **guessed).status == 303


def test_a_proxy_that_signs_people_in_as_the_guide_says_names_them_and_nobody_else_does(proxied):
    visitor = add_anna(proxied(signs_in=True))
    assert visitor.get("/boxes").status == 401
    assert visitor.get("/boxes", Authorization="Basic " + base64.b64encode(b"anna:guessed").decode()).status == 401
    password = {"Authorization": "Basic " + base64.b64encode(b"anna:correct-horse").decode()}
    assert visitor.get("/boxes", **password).status == 200
    for name in NAMES:
        visitor.cookie = None
        assert visitor.get("/boxes", **password, **{name: "nobody"}).status == 200, "%s names another than nginx" % name


def test_one_address_that_asks_for_too_much_is_told_so_by_the_example(proxied):
    visitor = Visitor(proxied())
    statuses = [visitor.get("/style.css").status for _ in range(120)]
    assert set(statuses) == {200, 429} and statuses[:50] == [200] * 50


def test_the_example_says_which_address_asks_whatever_the_browser_says(proxied):
    """Every browser here has one address, so their requests share one budget, and other addresses that they name do not count."""
    page = proxied(address_header="X-Real-IP")
    visitors = [Visitor(page) for _ in range(3)]
    for number, visitor in enumerate(visitors):
        assert visitor.get("/sign-in", **{"X-Real-IP": "192.0.2.%d" % number}).status == 200
    anna = page.administrator()
    assert anna.sign_in().status == 303 and anna.is_signed_in


def test_every_key_of_the_shipped_configuration_is_taken(tmp_path):
    text = re.sub(r"^# (?=\w+ = )", "", (ROOT / "packaging/page.toml").read_text(), flags=re.MULTILINE)
    file = tmp_path / "page.toml"
    file.write_text(text)
    done = run("--check-config", "--config", file)
    assert (done.returncode, done.stdout) == (0, "%s: no problems\n" % file), done.stderr
    plain = tmp_path / "plain.toml"
    plain.write_text((ROOT / "packaging/page.toml").read_text())
    done = run("--check-config", "--config", plain)
    assert done.returncode == 78 and "has no [page] origin, the address at which browsers find the page" in done.stderr
