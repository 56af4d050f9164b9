"""`boxagent-web serve` serves only the release, with its headers, and only to this machine. Other clients cannot disturb it."""

import http.client
import os
import signal
import socket
import subprocess
import time

import pytest
from page_server import HEADERS, WEB, PATIENCE, PageServer, program
from small_release import FILES, NAME, make_release


@pytest.fixture
def folder(directory):
    return make_release(directory / "page")


@pytest.fixture
def start(folder):
    servers = []

    def start(**constants):
        servers.append(PageServer(folder, words=program(**constants)))
        return servers[-1]

    yield start
    for server in servers:
        assert server.stop() == (0, ""), "it complained"


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)


def ask(server, request):
    """Sends the bytes of `request`. Returns the whole answer as (status, headers, body)."""
    with socket.socket() as client:
        # The small buffer lets the client notice when the server stops reading.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        client.settimeout(PATIENCE)
        client.connect(("127.0.0.1", server.port))
        client.sendall(request)
        answer = http.client.HTTPResponse(client, method=request.split(b" ")[0].decode("latin-1"))
        answer.begin()
        return answer.status, answer.getheaders(), answer.read()


def get(server, target, method="GET"):
    return ask(server, b"%s %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (method.encode(), target.encode("latin-1")))


@pytest.mark.parametrize("request_, status", [
    (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 200), (b"GET /none.js HTTP/1.0\r\n\r\n", 404), (b"POST / HTTP/1.1\r\n\r\n", 405),
    (b"nonsense\r\n\r\n", 400), (b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n", 431)])
def test_every_answer_has_the_headers_of_the_release_and_no_others(start, request_, status):
    found, headers, body = ask(start(), request_)
    assert found == status
    own = {"Content-Length": str(len(body)), "Connection": "close", "Content-Type": "text/html" if status == 200 else "text/plain"}
    assert dict(headers) == {**dict(HEADERS), **own, **({"Allow": "GET, HEAD"} if status == 405 else {})}
    assert len(headers) == len(dict(headers))


def test_every_file_comes_as_it_is(start):
    server = start()
    assert server.said == "http://localhost:%d/ serves %s; press Ctrl-C to stop\n" % (server.port, NAME)
    for name, data in FILES.items():
        assert get(server, "/" + name)[2] == data
    assert get(server, "/?utm=1")[2] == FILES["index.html"]


@pytest.mark.parametrize("target", [
    "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/%2e%2e%2fsecret", "/..%252fsecret", "/..\\secret", "//secret", "/./index.html",
    "/app.js/", "/app.js%00", "/page/app.js", "/.hidden", "/other.txt", "/folder/", "/folder", "/link.js", "/pipe", "/headers.txt",
    "/%61pp.js", "/APP.JS"])
def test_only_the_files_of_the_release_are_served(start, folder, target):
    for path in (folder / "other.txt", folder / ".hidden", folder.parent / "secret"):
        path.write_text("secret")
    (folder / "folder").mkdir()
    (folder / "link.js").symlink_to("../secret")
    os.mkfifo(folder / "pipe")
    status, _, body = get(start(), target)
    assert (status, body) == (404, b"404\n")


@pytest.mark.parametrize("request_", [
    b"GET http://localhost/app.js HTTP/1.1\r\n\r\n", b"GET  /app.js HTTP/1.1\r\n\r\n", b"GET /app.js HTTP/2.0\r\n\r\n",
    b"GET /\xff HTTP/1.1\r\n\r\n", b"GET app.js HTTP/1.1\r\n\r\n", b"\r\n\r\n", b"GET /app.js\r\n\r\n"])
def test_what_is_no_request_is_refused(start, request_):
    assert ask(start(), request_)[0] == 400


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"])
def test_nothing_can_be_done_but_reading(start, method):
    assert get(start(), "/app.js", method)[0] == 405


def test_head_has_the_headers_alone(start):
    server = start()
    with connect(server) as client:
        client.sendall(b"HEAD /app.js HTTP/1.1\r\n\r\n")
        said = b"".join(iter(lambda: client.recv(1 << 16), b""))
    assert said.startswith(b"HTTP/1.1 200 OK\r\n") and said.endswith(b"\r\n\r\n")
    assert get(server, "/app.js", "HEAD") == (200, get(server, "/app.js")[1], b"")


def test_a_request_that_is_too_long_hears_so_before_the_connection_ends(start):
    assert ask(start(), b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"a" * 1000) for n in range(500)) + b"\r\n")[0] == 431


@pytest.mark.parametrize("how", ["half a request", "an answer that is not read"])
def test_a_slow_client_holds_nobody_up_and_is_given_up(start, folder, how):
    (folder / "boxphone.wasm").write_bytes(bytes(4_000_000))
    server = start(page_server__CONNECTION_SECONDS=3)
    with connect(server) as slow:
        slow.sendall(b"GET /boxphone.wasm HTTP/1.1\r\n" + (b"\r\n" if how != "half a request" else b""))
        assert get(server, "/app.js")[2] == FILES["app.js"]
        if how != "half a request":
            # The server has given up when its socket is gone. By then it has not sent the whole file.
            wait_until_gone(server, slow)
        got = 0
        try:
            while more := slow.recv(1 << 16):
                got += len(more)
        except ConnectionResetError:
            pass
        assert got < 4_000_000
        assert get(server, "/app.js")[2] == FILES["app.js"]


def test_a_client_that_has_closed_its_own_half_gets_the_whole_file(start, folder):
    (folder / "boxphone.wasm").write_bytes(bytes(4_000_000))
    server = start()
    with socket.socket() as client:
        # This client receives in small pieces.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(PATIENCE)
        client.connect(("127.0.0.1", server.port))
        client.sendall(b"GET /boxphone.wasm HTTP/1.1\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert len(answer.read()) == 4_000_000


def wait_until_gone(server, client):
    """Waits until the server has no socket for this connection."""
    end = time.monotonic() + PATIENCE
    mine = client.getsockname()[1]
    ours = ":%04X" % server.port, ":%04X" % mine
    while time.monotonic() < end:
        rows = [line.split() for line in open("/proc/net/tcp").read().splitlines()[1:]]
        if not any(row[1].endswith(ours[0]) and row[2].endswith(ours[1]) and row[9] != "0" for row in rows):
            return
    raise AssertionError("the server keeps the connection")


def test_connections_that_say_nothing_make_room_for_one_that_does(start):
    server = start(page_server__CONNECTION_SECONDS=600)
    silent = [connect(server) for _ in range(200)]
    assert get(server, "/app.js")[2] == FILES["app.js"]
    # The oldest connection had to make room.
    assert silent[0].recv(1) == b""
    for each in silent:
        each.close()


def test_only_this_machine_reaches_it(start):
    server = start()
    listening = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for row in [line.split() for line in open(table).read().splitlines()[1:]]:
            if row[3] == "0A" and row[1].endswith(":%04X" % server.port):
                listening.add(row[1].split(":")[0])
    assert listening <= {"0100007F", "00000000000000000000000001000000"} and "0100007F" in listening


@pytest.mark.parametrize("family, address", [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET, "0.0.0.0"),
                                             (socket.AF_INET6, "::")])
def test_a_port_of_which_another_program_has_a_part_is_not_taken(folder, family, address):
    with socket.socket(family) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind((address, 0))
        other.listen()
        done = subprocess.run([WEB, "serve", "--port", str(other.getsockname()[1]), folder], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (71, "", "boxagent-web: Address already in use\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_also_under_a_client(folder, number):
    server = PageServer(folder)
    with connect(server) as client:
        client.sendall(b"GET / HTTP")
        assert server.stop(number) == (0, "")
        assert client.recv(1) == b""


@pytest.mark.parametrize("spoil, why", [
    (lambda folder: (folder / "app.js").unlink(), "app.js cannot be read: No such file or directory"),
    (lambda folder: ((folder / "app.js").unlink(), (folder / "app.js").symlink_to("/etc/passwd")),
     "app.js cannot be read: Too many levels of symbolic links"),
    (lambda folder: ((folder / "app.js").unlink(), os.mkfifo(folder / "app.js")), "app.js is not a regular file"),
    (lambda folder: os.truncate(folder / "app.js", 1 << 32), "app.js is longer than 4194304 bytes"),
    (lambda folder: (folder / "sw.js").write_text("nothing"), "sw.js does not list any files"),
    (lambda folder: (folder / "sw.js").write_text('const FILES = {"index.html": "", "../secret.js": ""}, RELEASE = "boxphone-0";'),
     "sw.js lists names that are not valid for a page"),
    (lambda folder: (folder / "sw.js").write_text('const FILES = {"index.html": "", "key": ""}, RELEASE = "boxphone-0";'),
     "sw.js lists names that are not valid for a page"),
], ids=["missing", "link", "pipe", "large", "empty", "path", "type"])
def test_what_is_no_release_is_not_served(folder, spoil, why):
    spoil(folder)
    done = subprocess.run([WEB, "serve", "--port", "0", folder], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (65, "")
    assert done.stderr.startswith("boxagent-web: %s" % folder) and done.stderr.endswith(why + "\n")
