"""Requests that the page's own forms and links never send, and how the page limits them."""
import hashlib
import http.client
import select
import socket
import time

import pytest

from administrators import open_socket
from independent_phone import KeyPair
from independent_site import phone_text
from site_page import FORM, Visitor, raw, run


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example.org", "http://localhost:1"])
def test_a_form_of_another_origin_does_nothing(page, anna, origin):
    answer = anna.submit(anna.get("/boxes"), "/sign-out", {"Origin": origin})
    assert answer.status == 403 and "did not come from this page" in answer.problem and anna.is_signed_in


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_form_that_the_browser_says_is_from_elsewhere_does_nothing(page, anna, site):
    assert anna.submit(anna.get("/boxes"), "/sign-out", {"Sec-Fetch-Site": site}).status == 403 and anna.is_signed_in


def test_a_form_without_its_token_or_with_another_ones_does_nothing(page, anna):
    other = page.administrator().signed_in()
    for token in ({}, {"token": ""}, {"token": other.get("/boxes").field("token")}, {"token": "A" * 43}):
        answer = anna.post("/sign-out", token)
        assert answer.status == 403 and "too old" in answer.problem
    assert anna.is_signed_in


@pytest.mark.parametrize("host", ["evil.example.org", "localhost", "127.0.0.1"])
def test_a_request_for_another_host_is_not_answered(page, anna, host):
    assert anna.get("/boxes", Host=host).status == 421


@pytest.mark.parametrize("header", ["Host: evil.example.org", "Transfer-Encoding: gzip"])
def test_a_request_that_a_proxy_may_understand_otherwise_is_refused(page, header):
    link = raw(page, ("GET /sign-in HTTP/1.1\r\nHost: %s\r\n%s\r\nConnection: close\r\n\r\n" % (
        page.origin.split("//")[1], header)).encode())
    assert link.makefile("rb").readline() == b"HTTP/1.1 400 Bad Request\r\n"
    link.close()


def test_every_answer_forbids_frames_scripts_and_keeping(page, anna, visitor):
    for answer in (anna.get("/boxes"), anna.get("/nothing"), visitor.get("/sign-in"), visitor.get("/style.css"),
                   anna.post("/sign-out", {}), visitor.get("/boxes", Host="evil")):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cache-Control"] in ("no-store", "no-cache")
    assert "<script>" not in anna.get("/boxes").text and " style=" not in anna.get("/boxes").text


def test_what_is_no_form_or_too_long_is_refused_and_others_are_served(page, anna):
    token = anna.get("/boxes").field("token")
    assert anna.post("/sign-out", {"token": token}, {"Content-Type": "application/json"}).status == 415
    assert anna.send("POST", "/sign-out", "token=%s&x=%s" % (token, "y" * 20_000),
                     {"Content-Type": FORM, "Origin": page.origin}).status == 413
    assert anna.send("PUT", "/boxes").status == 405 and anna.get("/boxes?q=%FF").status == 400
    assert anna.is_signed_in


def test_a_request_that_never_ends_is_ended_and_others_are_served_meanwhile(page, anna):
    """A whole request has 20 seconds, even if bytes keep arriving."""
    slow = raw(page, b"GET / HTTP/1.1\r\nHost: x\r\n")
    began = time.monotonic()
    while not select.select([slow], [], [], 1)[0]:
        try:
            slow.sendall(b"a: b\r\n")
        except OSError:
            break
        assert time.monotonic() - began < 60
        assert anna.is_signed_in
    assert 15 < time.monotonic() - began < 60
    slow.close()


def test_whoever_goes_quickly_from_page_to_page_gets_the_live_numbers_of_the_last_one(page, anna):
    """The page notices that a browser has left only when it writes to the connection."""
    links = [raw(page, b"GET /live HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n" % (
        page.origin.split("//")[1].encode(), anna.cookie.encode())) for _ in range(9)]
    heads = [link.recv(15) for link in links]
    assert heads == [b"HTTP/1.1 200 OK"] * 9
    oldest, newest = links[0].makefile("rb"), links[-1].makefile("rb")
    assert b"links=" in oldest.read(), "it ends when it has said what there was"
    assert any(b"links=" in line for line in newest)
    for link in links:
        link.close()


def test_without_boxsited_a_person_is_told_and_it_mends_itself(own_page):
    page = own_page().start()
    anna = page.administrator().signed_in()
    page.server.stop()
    answer = anna.get("/boxes")
    assert answer.status == 503 and "does not answer" in answer.problem
    assert anna.get("/sign-in").place == "/boxes"
    page.server.start()
    open_socket(page.server)
    assert anna.is_signed_in


def test_roles_are_boxsiteds_to_judge_and_the_page_says_why(page):
    viewer = page.administrator("viewer").signed_in()
    answer = viewer.submit(viewer.get("/phone/add"), "/phone/add", user="u", code=phone_text(KeyPair.new().public), groups="1")
    assert answer.status == 403 and "may not add phones" in answer.problem


def test_a_proxy_with_its_secret_says_who_it_is_and_no_other_program_that_opens_the_socket(own_page):
    path, secret = own_page.directory / "http.sock", "k" * 32
    own_page.directory.chmod(0o777)
    page = own_page(listen="unix:%s" % path, administrator_header="X-Remote-User",
                    proxy_secret_sha256=hashlib.sha256(secret.encode()).hexdigest()).start()
    page.site.database.sql("INSERT INTO administrators (name, role, state) VALUES ('anna', 'viewer', 'active')")
    proof = {"X-Boxsite-Secret": secret}

    def ask(headers, cookie=None, place="/boxes"):
        link = Over(path)
        sent = {"Host": page.origin.split("//")[1], **headers, **({"Cookie": cookie} if cookie else {})}
        link.request("GET", place, headers=sent)
        return link.getresponse()

    answer = ask({"X-Remote-User": "anna", **proof})
    assert answer.status == 200
    cookie = answer.headers["Set-Cookie"].split(";")[0]
    assert ask({"X-Remote-User": "anna", **proof}, cookie).status == 200
    for other in {}, {"X-Boxsite-Secret": ""}, {"X-Boxsite-Secret": "k" * 31 + "l"}:
        assert ask({"X-Remote-User": "anna", **other}).status == 303
    shown = ask({"X-Remote-User": "anna"}, place="/sign-in").read().decode()
    assert "did not send the secret" in shown and "does not say who you are" not in shown
    assert ask({"X-Remote-User": "anna"}, cookie).status == 303, "a session without the secret"
    assert ask(proof, cookie).status == 303, "a session that the proxy does not name any more"
    assert ask({"X-Remote-User": "nobody", **proof}).status == 403


def test_a_header_that_names_administrators_needs_a_secret(tmp_path):
    file = tmp_path / "bad.toml"
    said = []
    for more in "", 'proxy_secret_sha256 = "00"\n', 'proxy_secret_sha256 = "%s"\n' % ("00" * 32):
        file.write_text('[page]\norigin = "https://a.example.org"\nadministrator_header = "X-User"\n' + more)
        checked = run("--check-config", "--config", file)
        said.append((checked.returncode, checked.stderr))
    assert [status for status, _ in said] == [78, 78, 0]
    assert "any program of the proxy's user could name an administrator" in said[0][1]
    assert "write the 64 digits that sha256sum prints" in said[1][1]


def test_rubbish_of_one_address_is_refused_and_another_address_and_whoever_is_signed_in_are_served(own_page):
    path = own_page.directory / "http.sock"
    own_page.directory.chmod(0o777)
    page = own_page(listen="unix:%s" % path, address_header="X-Real-IP").start()
    page.connect = lambda: Over(path)
    anna = page.administrator().signed_in()

    def ask(address, visitor):
        return visitor.get("/sign-in", **{"X-Real-IP": address}).status

    stranger = Visitor(page)
    assert any(ask("2001:db8::%x" % number, stranger) == 429 for number in range(1, 500)), "one /64 counts as one address"
    # The session has requests of its own, whatever its address.
    assert ask("2001:db8::1", anna) == 303 and anna.is_signed_in
    assert ask("2001:db8:0:1::1", stranger) == 200 and ask("192.0.2.1", stranger) == 200


class Over(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(path))


def test_rubbish_at_the_sign_in_refuses_no_passkey(own_page):
    """Twenty people sign in, and before each one a stranger makes ten tries that cannot be right."""
    page = own_page().start()
    anna, stranger = page.administrator(), Visitor(page)
    shown, rubbish = stranger.get("/sign-in"), {name: "AAAA" for name in ("credential", "client", "authenticator", "signature")}
    for _ in range(20):
        for _ in range(5):
            assert stranger.submit(shown, "/sign-in", **rubbish).status == 403
            assert stranger.submit(shown, "/register", code="0" * 32).status == 422
        anna.cookie = None
        assert anna.sign_in().status == 303


@pytest.mark.parametrize("key", ["administrator_header", "address_header"])
def test_a_header_that_the_page_believes_needs_a_unix_socket(tmp_path, key):
    file = tmp_path / "bad.toml"
    file.write_text('[page]\norigin = "http://localhost:1"\nlisten = "localhost:1"\n%s = "X-User"\n' % key)
    refused = run("--check-config", "--config", file)
    assert refused.returncode == 78 and "%s is set, but listen is a port" % key in refused.stderr
