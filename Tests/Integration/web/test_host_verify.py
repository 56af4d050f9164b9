"""`boxagent-web verify` finds every difference. A host cannot stall it, fill its memory, redirect it or control its terminal."""

import json
import os
import signal
import socket
import subprocess
import threading

import pexpect
import pytest
from page_server import HEADERS, PATIENCE, WEB, PageServer, program
from small_release import FILES, NAME, Host, make_release


@pytest.fixture
def folder(directory):
    return make_release(directory / "page")


@pytest.fixture
def host(folder):
    host = Host(folder)
    yield host
    host.stop()


def verify(folder, url, *more, words=None, **environment):
    return subprocess.run([*(words or program()), "verify", "--folder", folder, *more, url], capture_output=True, text=True,
                          timeout=PATIENCE, env={**os.environ, **environment})


def differences(folder, url, **more):
    """Verifies, and returns the differences as {(name, kind): what}. There must be some, and everything must have been compared."""
    done = verify(folder, url, "--json", **more)
    found = json.loads(done.stdout)
    assert (done.returncode, found["same"], found["failure"]) == (1, False, None), done
    return {(each["name"], each["kind"]): each["what"] for each in found["differences"]}


def test_a_host_that_serves_the_release_is_the_same(folder, host):
    done = verify(folder, host.url)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "%s serves %s: 8 files and their headers are the same\n" % (host.url, NAME)
    assert host.asked[:-1] == ["/", *("/" + name for name in sorted([*FILES, "sw.js"]))] and host.asked[-1].startswith("/absent-")


def test_what_is_served_by_the_program_itself_is_the_same(folder):
    server = PageServer(folder)
    try:
        assert json.loads(verify(folder, server.url, "--json").stdout) == {
            "url": server.url, "release": NAME, "files": 8, "answers": 10, "same": True, "differences": [], "failure": None}
    finally:
        assert server.stop() == (0, "")


# Hosts that differ in one thing: what the host does, and what is found.
ONE = {
    "one byte": ("app.js", {"body": b"export const one = 2;\n"}, "bytes", "the bytes differ: from byte 19 on"),
    "longer": ("app.js", {"body": FILES["app.js"] + b"x"}, "bytes", "the bytes differ: more than 22"),
    "shorter": ("app.js", {"body": b"export"}, "bytes", "the bytes differ: 6 instead of 22"),
    "empty": ("app.js", {"body": b""}, "bytes", "the bytes differ: 0 instead of 22"),
    "missing": ("app.js", {"status": 404}, "status", "status 404 instead of 200"),
    "forbidden": ("app.js", {"status": 403}, "status", "status 403 instead of 200"),
    "redirect": ("app.js", {"status": 302, "Location": "/elsewhere.js"}, "redirect", "redirects to /elsewhere.js"),
    "redirect of the folder": ("", {"status": 308, "Location": "http://other.example/"}, "redirect", "redirects to http://other.example/"),
    "the first page": ("", {"body": b"<!doctype html><title>boxphonf</title>\n"}, "bytes", "the bytes differ: from byte 29 on"),
    "header absent": ("app.js", {"Referrer_Policy": None}, "header", "Referrer-Policy is absent"),
    "header other": ("app.js", {"X_Frame_Options": "SAMEORIGIN"}, "header", "X-Frame-Options is SAMEORIGIN"),
    "header twice": ("app.js", {"X_Frame_Options": ["DENY", "SAMEORIGIN"]}, "header", "X-Frame-Options is DENY, SAMEORIGIN"),
    "refresh": ("index.html", {"Refresh": "0; url=https://other.example/"}, "header", "Refresh is sent: 0; url=https://other.example/"),
    "link": ("index.html", {"Link": "<a.css>; rel=stylesheet"}, "header", "Link is sent: <a.css>; rel=stylesheet"),
    "rules": ("index.html", {"Speculation_Rules": '"/a.json"'}, "header", 'Speculation-Rules is sent: "/a.json"'),
    "deletion": ("app.js", {"Clear_Site_Data": '"storage"'}, "header", 'Clear-Site-Data is sent: "storage"'),
    "encoding": ("app.js", {"Content_Encoding": "gzip"}, "header", "Content-Encoding is sent: gzip"),
    "type": ("app.js", {"Content_Type": "text/plain"}, "header", "Content-Type is text/plain instead of text/javascript"),
    "no type": ("app.js", {"Content_Type": None}, "header", "Content-Type is absent instead of text/javascript"),
    "character set": ("index.html", {"Content_Type": "text/html; charset=utf-7"}, "header",
                      "Content-Type is text/html; charset=utf-7 instead of text/html"),
    "worker": ("sw.js", {"body": b"self\n"}, "bytes", None),
}


@pytest.mark.parametrize("path, change, kind, what", ONE.values(), ids=ONE.keys())
def test_one_difference_is_found_and_is_the_only_one(folder, host, path, change, kind, what):
    host.change("/" + path, **change)
    (place, found), = differences(folder, host.url).items()
    assert place == (path or "/", kind)
    assert what is None or found == what
    done = verify(folder, host.url)
    assert done.returncode == 1
    assert done.stdout == "%s: %s\n%s serves something else: 1 difference from %s\n" % (path or "/", found, host.url, NAME)
    assert not any("elsewhere" in path for path in host.asked), "the redirect was followed"


def test_all_differences_are_listed(folder, host):
    host.change("/app.js", body=b"x", Referrer_Policy=None)
    host.change("/style.css", status=404)
    assert set(differences(folder, host.url)) == {("app.js", "bytes"), ("app.js", "header"), ("style.css", "status")}


def test_a_name_that_the_release_does_not_have_gets_404_with_the_same_headers(folder, host):
    host.right = lambda handler, right=host.right, **more: right(
        handler, **more, **({"status": 200} if "absent-" in handler.path else {}))
    (name, kind), = differences(folder, host.url)
    assert name.startswith("absent-") and kind == "status"
    host.right = lambda handler, right=host.__class__.right, **more: right(
        host, handler, **more, **({"Content_Security_Policy": None} if "absent-" in handler.path else {}))
    (name, kind), = differences(folder, host.url)
    assert name.startswith("absent-") and kind == "header"


def test_a_page_in_a_folder_of_the_host_is_compared_there(folder, directory):
    (directory / "host").mkdir()
    (directory / "host/phone").symlink_to(folder)
    host = Host(directory / "host")
    try:
        host.changes = {"/phone/": lambda handler: host.right(handler, status=200, body=FILES["index.html"], Content_Type="text/html")}
        assert [verify(folder, host.url + path).returncode for path in ("phone/", "phone", "")] == [0, 0, 1]
    finally:
        host.stop()


def test_what_a_host_sends_does_not_reach_the_terminal_as_it_is(folder, host):
    host.change("/app.js", X_Frame_Options="\x1b]0;owned\x07\x9b2J" + "a" * 500)
    done = verify(folder, host.url)
    assert done.returncode == 1
    assert "X-Frame-Options is \\x1b]0;owned\\x07\\x9b2Jaaaa" in done.stdout
    assert done.stdout.isascii() and len(done.stdout) < 500


def pour(piece):
    """Returns an answer that repeats `piece` without end."""
    def answer(handler):
        while True:
            handler.wfile.write(piece)
    return answer


def begin(start, piece):
    def answer(handler):
        handler.wfile.write(start)
        pour(piece)(handler)
    return answer


ENDLESS = {
    "body": (begin(b"HTTP/1.1 200 OK\r\n\r\n", b"a" * 65536), "bytes"),
    "chunks": (begin(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"a" * 65536 + b"\r\n"), "bytes"),
    "chunk size": (begin(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0" * 65536), "answer"),
    "headers": (begin(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n" * 1000), "answer"),
    "one header": (begin(b"HTTP/1.1 200 OK\r\nX: ", b"a" * 65536), "answer"),
    "status line": (pour(b"a" * 65536), "answer"),
    "another protocol": (lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n"), "answer"),
    "bad length": (lambda handler: handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc"), "bytes"),
    "a header within another": (lambda handler: handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: 22\r\nX: a\r%s\r\n\r\n%s" % (
            "\r\n".join("%s: %s" % header for header in HEADERS).encode(), FILES["app.js"])), "answer"),
    "bad chunk": (lambda handler: handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), "answer"),
}


@pytest.mark.parametrize("answer, kind", ENDLESS.values(), ids=ENDLESS.keys())
def test_an_answer_without_sense_or_end_is_a_difference(folder, host, answer, kind):
    host.changes["/app.js"] = answer
    # The memory limit is only a little above the usual need.
    words = ["prlimit", "--as=%d" % (200 << 20), WEB]
    assert ("app.js", kind) in differences(folder, host.url, words=words)


STALLS = {
    "it says nothing": lambda handler: handler.rfile.read(),
    "interim answers without end": pour(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "trailers without end": begin(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: a\r\n"),
}


@pytest.mark.parametrize("answer", STALLS.values(), ids=STALLS.keys())
def test_a_host_that_stalls_is_given_up(folder, host, answer):
    host.changes["/boxphone.wasm"] = answer
    done = verify(folder, host.url, words=program(comparison__FILE_SECONDS=2))
    assert (done.returncode, done.stderr) == (69, "boxagent-web: the comparison is not complete. boxphone.wasm: no complete answer in time\n")
    assert done.stdout == "%s could not be checked against %s\n" % (host.url, NAME)


def test_what_was_found_before_the_host_stalled_is_said(folder, host):
    host.changes["/boxphone.wasm"] = STALLS["it says nothing"]
    host.change("/app.js", body=b"x")
    done = verify(folder, host.url, "--json", words=program(comparison__FILE_SECONDS=2))
    found = json.loads(done.stdout)
    assert (done.returncode, found["same"], found["failure"]) == (1, False, "boxphone.wasm: no complete answer in time")
    assert [(each["name"], each["kind"]) for each in found["differences"]] == [("app.js", "bytes")]


def test_all_files_together_have_an_end_too(folder, host):
    done = verify(folder, host.url, words=program(comparison__ALL_SECONDS=0))
    assert (done.returncode, done.stderr) == (69, "boxagent-web: the comparison is not complete. /: no complete answer in time\n")


@pytest.mark.parametrize("how", ["is not there", "hangs up"])
def test_a_host_that_is_gone_is_no_difference(folder, host, how):
    url = host.url
    if how == "is not there":
        with socket.create_server(("127.0.0.1", 0)) as other:
            url = "http://localhost:%d/" % other.getsockname()[1]
    else:
        host.changes["/"] = lambda handler: None
    done = verify(folder, url)
    assert done.returncode == 69
    assert "the comparison is not complete. /: " in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == "%s could not be checked against %s\n" % (url, NAME)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Returns (certificate, key) for localhost and for another name. Each is its own authority."""
    folder, made = tmp_path_factory.mktemp("certificates"), {}
    for name in ("localhost", "other.example"):
        files = folder / (name + ".pem"), folder / (name + ".key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=" + name, "-addext", "subjectAltName=DNS:" + name, "-out", files[0], "-keyout", files[1]],
                       check=True, capture_output=True)
        made[name] = files
    return made


@pytest.mark.parametrize("name, trusted, status", [
    ("localhost", True, 0), ("localhost", False, 69), ("other.example", True, 69)])
def test_only_a_host_with_an_accepted_certificate_of_its_name_is_compared(folder, certificates, name, trusted, status):
    host = Host(folder, certificates[name])
    try:
        done = verify(folder, host.url, **({"SSL_CERT_FILE": str(certificates[name][0])} if trusted else {}))
    finally:
        host.stop()
    assert done.returncode == status, done
    assert status == 0 or "/: its certificate is not accepted: " in done.stderr and not host.asked


@pytest.mark.parametrize("url", [
    "", "phone.example.org", "http://phone.example.org/", "ftp://localhost/", "file:///etc/passwd", "https:///", "https://user@phone.example/",
    "https://phone.example/?a", "https://phone.example/#a", "https://phone.example:0/", "https://phone.example:99999/",
    "https://phone.example:x/", "http://localhost.example/", "http://localhost@evil.example/", "https://phone.example/a b",
    "https://phone.example/\x1b[2J", "https://[::1", "https://" + "a" * 70 + ".example/", "https://ex\u00e4mple.org/", "https://a..example/", "--url"])
def test_what_is_no_address_of_a_host_is_refused_before_anything_is_asked(folder, url):
    done = verify(folder, url)
    assert (done.returncode, done.stdout) == (64, "")
    assert done.stderr.isascii() and done.stderr.strip().isprintable()


def test_a_folder_without_a_release_is_told_from_a_host_that_differs(folder, host):
    (folder / "app.js").unlink()
    done = verify(folder, host.url)
    assert (done.returncode, done.stdout) == (65, "") and "app.js cannot be read" in done.stderr


def test_a_terminal_sees_how_far_it_is(folder, host):
    terminal = pexpect.spawn(str(WEB), ["verify", "--folder", str(folder), host.url], encoding="utf-8", timeout=PATIENCE, dimensions=(24, 200))
    terminal.expect_exact("1 of 10: /")
    terminal.expect_exact("9 of 10: texts-en.json")
    terminal.expect_exact("8 files and their headers are the same")
    terminal.expect(pexpect.EOF)


def test_an_outcome_that_cannot_be_written_is_no_outcome(folder, host):
    with open("/dev/full", "w") as full:
        done = subprocess.run([WEB, "verify", "--folder", folder, host.url], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (71, "boxagent-web: No space left on device\n")


def test_an_interrupt_ends_it(folder, host):
    asked = threading.Event()
    host.changes["/"] = lambda handler: (asked.set(), handler.rfile.read())
    process = subprocess.Popen([WEB, "verify", "--folder", folder, host.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert asked.wait(PATIENCE)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE) == ("", "boxagent-web: interrupted\n")
    assert process.returncode == 130
