"""An agent that is absent, dying, slow, silent or hostile. The password prompt comes within a second, or within `wait=` if the
agent said that it waits, and nothing breaks. Times are upper bounds on CLOCK_MONOTONIC, with a margin for a busy machine above the
promised second."""

import array
import os
import select
import socket
import threading

import cbor2
import pytest

from pam_agent import Agent, credential, delivering, noted, unavailable, waiting

SUCCESS = 0
PROMISED_MILLISECONDS = 1000
# A process that wakes from poll has to wait for a processor on a busy machine.
MARGIN_MILLISECONDS = 400


@pytest.fixture
def stack(bench):
    def set_up(arguments=""):
        bench.service("login", [bench.ours(arguments=arguments), bench.observe(), "auth required pam_permit.so"])
    set_up()
    return set_up


def fails(bench, least=0, most=PROMISED_MILLISECONDS, logs=1):
    """Runs one login without a credential, within the time bounds. Returns its log line."""
    result = bench.run("auth", "descriptors", "end", "descriptors")
    assert least <= result.milliseconds("auth") and result.is_within("auth", most + MARGIN_MILLISECONDS)
    assert result.code("auth") == SUCCESS, "the module behind decides"
    assert bench.observed == [(b"anna", None)]
    assert len(result.log) == logs, result.log
    assert len(set(result.of("descriptors"))) == 1, "a descriptor was left open"
    return result.log[0] if logs else None


def test_no_socket(bench, stack):
    assert "boxagentd is not running" in fails(bench, most=50)


@pytest.mark.parametrize("kind", ["file", "directory", "stream", "datagram", "nobody listens", "dangling link"])
def test_something_else_at_the_socket(bench, stack, kind):
    kept = None
    if kind == "file":
        bench.socket.write_text("")
    elif kind == "directory":
        bench.socket.mkdir()
    elif kind == "dangling link":
        bench.socket.symlink_to("nowhere")
    else:
        kept = socket.socket(socket.AF_UNIX, {
            "stream": socket.SOCK_STREAM, "datagram": socket.SOCK_DGRAM}.get(kind, socket.SOCK_SEQPACKET))
        kept.bind(str(bench.socket))
        if kind == "stream":
            kept.listen()
    assert "boxagentd is not running" in fails(bench, most=50)
    if kept:
        kept.close()


def test_a_socket_that_may_not_be_opened(bench, stack):
    if os.geteuid() == 0:
        prefix = ["setpriv", "--reuid=23456", "--regid=23456", "--clear-groups"]
    else:
        prefix = []
    agent = bench.agent(delivering(b"token"))
    os.chmod(bench.socket, 0)
    os.chmod(bench.directory, 0o755)
    bench.service("login", [bench.ours(), "auth required pam_permit.so"])
    result = bench.run("auth", "end", prefix=prefix)
    assert result.code("auth") == SUCCESS
    assert "may not ask boxagentd" in result.log[0]
    bench.finish()
    assert agent.connections == []


def test_an_agent_that_never_accepts(bench, stack):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(bench.socket))
    listener.listen(8)
    assert "does not answer" in fails(bench, least=900)
    listener.close()


def test_an_agent_whose_queue_is_full(bench, stack):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(bench.socket))
    listener.listen(0)
    waiting_in_queue = []
    while True:
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        try:
            client.connect(str(bench.socket))
            waiting_in_queue.append(client)
        except BlockingIOError:
            break
    assert "too many connections" in fails(bench, least=900)
    for client in waiting_in_queue:
        client.close()
    listener.close()


def test_a_queue_that_empties_in_time(bench, stack):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(bench.socket))
    listener.listen(0)
    before = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    before.connect(str(bench.socket))

    def serve():
        listener.accept()[0].close()
        connection, _ = listener.accept()
        connection.recv(8192)
        connection.send(credential(b"anna", b"token"))
        connection.recv(8192)

    # The queue stays full for 0.2 s.
    thread = threading.Timer(0.2, serve)
    thread.start()
    result = bench.run("auth", "end")
    thread.join()
    assert bench.observed == [(b"anna", b"token")]
    assert result.log == []
    before.close()
    listener.close()


@pytest.mark.parametrize("said", [
    pytest.param([], id="before it read"),
    pytest.param([None], id="after it read"),
    pytest.param([None, waiting()], id="after it said that it waits"),
    pytest.param([None, waiting(), waiting()], id="after a sign of life"),
])
def test_an_agent_that_dies(bench, stack, said):
    def script(connection):
        for message in said:
            connection.receive() if message is None else connection.send(message)

    stack("wait=20")
    bench.agent(script)
    assert "closed the connection" in fails(bench, most=100)


def test_an_agent_that_says_why_and_leaves_unread_what_it_was_asked(bench, stack):
    def script(connection):
        assert select.select([connection.socket], [], [], 5)[0]
        connection.send(unavailable(5))

    bench.agent(script)
    assert "boxagentd has a fault" in fails(bench, most=100)


def nothing(connection):
    connection.receive()
    assert connection.wait_for_hang_up(5)


def test_an_agent_that_says_nothing(bench, stack):
    for arguments in "", "wait=30":
        stack(arguments)
        bench.agent(nothing)
        assert "does not answer" in fails(bench, least=900)
        bench.finish()
        (bench.directory / "observed").unlink()


def test_an_agent_that_drips_signs_of_life_where_nobody_may_wait(bench, stack):
    def script(connection):
        connection.receive()
        while connection.send(waiting()) and not connection.wait_for_hang_up(0.3):
            pass

    bench.agent(script)
    assert "does not answer" in fails(bench, least=900)


def test_a_flood_of_signs_of_life(bench, stack):
    def script(connection):
        connection.receive()
        while connection.send(waiting()):
            pass

    for arguments in "", "wait=30":
        stack(arguments)
        bench.agent(script)
        assert "too many messages" in fails(bench, most=200)
        bench.finish()
        (bench.directory / "observed").unlink()


def test_a_heartbeat_that_stops(bench, stack):
    def script(connection):
        connection.receive()
        connection.send(waiting())
        assert connection.wait_for_hang_up(5)

    stack("wait=30")
    bench.agent(script)
    assert "stopped answering" in fails(bench, least=2400, most=2500)


def test_a_wait_without_a_tap_ends_when_it_was_asked_to(bench, stack):
    def script(connection):
        connection.receive()
        while connection.send(waiting()) and not connection.wait_for_hang_up(1):
            pass

    stack("wait=2")
    bench.agent(script)
    fails(bench, least=1950, most=2000, logs=0)


def test_a_tap_in_the_middle_of_a_wait(bench, stack):
    def script(connection):
        connection.receive()
        connection.send(waiting())
        assert not connection.wait_for_hang_up(1)
        connection.send(waiting())
        assert not connection.wait_for_hang_up(0.5)
        connection.send(credential(b"anna", b"token"))
        connection.socket.settimeout(None)
        connection.listen_to_the_end()

    stack("wait=20")
    bench.agent(script)
    result = bench.run("auth", "end")
    assert bench.observed == [(b"anna", b"token")]
    assert 1400 <= result.milliseconds("auth") and result.is_within("auth", 1500 + MARGIN_MILLISECONDS)


def test_signals_neither_end_nor_lengthen_a_wait(bench, stack):
    """A signal interrupts system calls (EINTR) every 2 ms."""
    bench.agent(nothing)
    result = bench.run("interrupt=2000", "auth", "end")
    assert 900 <= result.milliseconds("auth") and result.is_within("auth", PROMISED_MILLISECONDS + MARGIN_MILLISECONDS)
    bench.finish()
    bench.agent(delivering(b"token"))
    assert bench.run("interrupt=500", *["auth"] * 20, "end").code("auth") == SUCCESS
    assert bench.observed[1:] == [(b"anna", b"token")] * 20


DEEP = b"\x81" * 200 + b"\xf6"
RUBBISH = {
    "one zero byte": b"\0",
    "not CBOR": b"\xff" * 100,
    "an empty array": cbor2.dumps([]),
    "a map": cbor2.dumps({1: 2}),
    "deeply nested": DEEP,
    "an unknown message": cbor2.dumps([99]),
    "a message of the other direction": cbor2.dumps([6]),
    "an unknown reason": cbor2.dumps([3, 99]),
    "a missing field": cbor2.dumps([2, b"anna"]),
    "a field too many": cbor2.dumps([2, b"anna", b"token", b"more"]),
    "text instead of bytes": cbor2.dumps([2, "anna", "token"]),
    "a negative number": cbor2.dumps([-1]),
    "a tag": cbor2.dumps(cbor2.CBORTag(1, [2, b"anna", b"token"])),
    "bytes behind the message": credential(b"anna", b"token") + b"\0",
    "a truncated message": credential(b"anna", b"token")[:-1],
    "a length beyond the message": b"\x83\x02\x44anna\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
    "an array of 2^64 - 1": b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
    "an indefinite array": b"\x9f\x02\x44anna\x45token\xff",
    "an answer to another question": noted(),
    "8192 bytes": b"\x83\x02\x44anna\x59\x1f\xf3" + b"a" * 8182,
    "8193 bytes": credential(b"anna", b"token") + b"\0" * 8180,
    "64 KiB": b"a" * 65536,
}


@pytest.mark.parametrize("name", RUBBISH)
def test_rubbish(bench, stack, name):
    def script(connection):
        connection.receive()
        connection.send(RUBBISH[name])
        connection.listen_to_the_end()

    agent = bench.agent(script)
    assert "sent an unknown message" in fails(bench, most=100)
    bench.finish()
    assert agent.heard == ["authenticate", "eof"]


@pytest.mark.parametrize("seed", range(8))
def test_random_rubbish(bench, stack, seed):
    """Randomly changed messages never crash the program, and never deliver another token."""
    import random
    generator = random.Random(seed)
    print("seed", seed)
    plain = credential(b"anna", b"token")

    def script(connection):
        connection.receive()
        message = bytearray(plain)
        for _ in range(generator.randint(1, 4)):
            message[generator.randrange(len(message))] = generator.randrange(256)
        connection.send(bytes(message[:generator.randint(1, len(message))]))

    bench.agent(script)
    result = bench.run(*["auth"] * 200, "end")
    assert len(result.of("auth")) == 200
    assert all(user == b"anna" for user, _ in bench.observed)
    assert all(token is None or len(token) <= len(plain) for _, token in bench.observed)


def test_descriptors_that_are_passed_along_are_not_taken(bench, stack):
    def script(connection):
        connection.receive()
        with open(os.devnull, "rb") as file:
            connection.socket.sendmsg(
                [unavailable()],
                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()] * 8).tobytes())])

    bench.agent(script)
    fails(bench, most=100, logs=0)


def test_a_path_too_long_for_a_socket(bench):
    path = "/tmp/" + "x" * 110
    bench.service("login", [
        "auth [default=ignore] %s socket=%s" % (bench.module, path), bench.observe(),
        "auth required pam_permit.so"])
    result = bench.run("auth", "end")
    assert result.code("auth") == SUCCESS
    assert "at most 107 bytes" in result.log[0]


def test_agents_are_independent_of_each_other(bench):
    """Two lines with two agents: the first is dead, the second delivers."""
    second = Agent(bench.directory / "second.sock", delivering(b"token"))
    bench.service("login", [
        bench.ours(), bench.ours().replace(str(bench.socket), second.path), bench.observe(),
        "auth required pam_permit.so"])
    assert bench.run("auth", "end").code("auth") == SUCCESS
    second.stop()
    assert bench.observed == [(b"anna", b"token")]
