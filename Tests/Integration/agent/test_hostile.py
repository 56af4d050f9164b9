"""Invalid input, floods and sudden disconnects, over the air and on the sockets: clear errors, no loss, no effect on others."""
import base64
import contextlib
import os
import pathlib
import random
import socket
import sqlite3
import stat
import struct
import subprocess
import sys
import time

import cbor2
import pytest

from box import BIN, PATIENCE, Box, pipe_with

SERVICE_MTU = 185
IDENTITY, TRANSFER, CONFIGURATION = 3, 5, 6


class RawLink:
    """Sends the loopback radio's PDUs directly."""

    TAG = b"\x5a\xa5"

    def __init__(self, box, mtu=SERVICE_MTU, subscribe=True):
        path = next(path for path in box.air.iterdir() if path.suffix == ".box")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self.ask(b"\x02" + struct.pack("<H", mtu))
        if subscribe:
            self.ask(b"\x12" + struct.pack("<H", CONFIGURATION) + b"\x01\x00")

    def ask(self, pdu):
        self.socket.send(pdu)
        return self.socket.recv(600)

    def write(self, segment):
        self.socket.send(b"\x52" + struct.pack("<H", TRANSFER) + self.TAG + segment)

    def ended(self):
        """Returns whether the box closes the link. Skips the box's messages before that."""
        try:
            while self.socket.recv(600):
                pass
            return True
        except ConnectionError:
            return True
        except socket.timeout:
            return False

    def close(self):
        self.socket.close()


def alive(box):
    assert box.agent.process.poll() is None, box.agent.err
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    box.healthy.command("login").ok()
    program.ok()


@pytest.fixture
def busy_box(box):
    box.healthy = box.phone("healthy").enrol("alice", b"correct horse")
    return box


def test_random_segments_end_their_link_only(busy_box):
    seed = int(os.environ.get("BOXAGENT_SEED", time.time_ns() % 2**32))
    print(f"seed {seed}")
    chance = random.Random(seed)
    for _ in range(60):
        link = RawLink(busy_box, mtu=chance.choice([23, 185, 517]))
        try:
            for _ in range(chance.randrange(1, 6)):
                link.write(chance.randbytes(chance.randrange(0, 20)))
        except (BrokenPipeError, ConnectionError):
            pass
        link.close()
    alive(busy_box)


def test_rubbish_instead_of_att_ends_the_connection(busy_box):
    for rubbish in (b"\x00", b"\xff" * 500, b"\x52", b"\x1b\x05\x00data", b"\x03\x00\x00", os.urandom(200)):
        link = RawLink(busy_box)
        link.socket.send(rubbish)
        assert link.ended()
    alive(busy_box)


def test_a_phone_that_subscribes_and_says_nothing_is_let_go_of(busy_box):
    link = RawLink(busy_box)
    assert link.ended(), "the handshake has five seconds"
    assert busy_box.json("status")["failures_unauthenticated"] >= 1


@contextlib.contextmanager
def flooded(box, kind, *words, connections=9, tries=20):
    """Floods the box from several connections, each in its own process, until the context ends. The connections exceed the box's
    limit of half-open links, but not the number of links that the loopback radio carries. A full radio would be full for all phones
    (docs/explanation/threat-model.md, denial of service)."""
    box_id = box.id
    floods = [
        box.run_program(
            [sys.executable, pathlib.Path(__file__).with_name("flood.py"), box.air, box_id, kind, *words],
            f"flood-{number}")
        for number in range(connections)]

    def tried():
        for flood in floods:
            assert flood.process.poll() is None, flood.out + flood.err
        return [flood.out.count("tried") for flood in floods]

    box.wait_until(lambda: min(tried()) >= tries)
    yield
    # Checks that every flood still continues.
    before = tried()
    box.wait_until(lambda: all(now > then for now, then in zip(tried(), before)))
    for flood in floods:
        flood.stop()


def test_fifty_half_open_links_do_not_keep_a_person_out(busy_box):
    links = [RawLink(busy_box) for _ in range(50)]
    alive(busy_box)
    for link in links:
        link.close()


def test_half_open_links_without_end_from_several_connections_do_not_keep_a_person_out(busy_box):
    with flooded(busy_box, "half-open"):
        alive(busy_box)
        assert busy_box.json("status")["links_open"] <= 9


def test_connections_that_come_and_go_fast_do_no_harm(busy_box):
    for _ in range(200):
        RawLink(busy_box, subscribe=False).close()
    alive(busy_box)


def code_shown(order):
    return order.wait_for_code()


def with_another_secret(uri):
    """Returns the same code, including its ID, with another secret. An attacker who overheard the ID can make such a code."""
    head, text = uri.split("/")
    content = bytearray(base64.b32decode(text + "=" * (-len(text) % 8)))
    content[72:104] = os.urandom(32)
    return head + "/" + base64.b32encode(bytes(content)).decode().rstrip("=")


def test_a_flood_of_wrong_secrets_from_several_connections_does_not_delay_the_first_right_try(busy_box):
    order = busy_box.command("enrol", "bob", "--yes")
    uri = code_shown(order)
    with flooded(busy_box, "wrong-secret", with_another_secret(uri)):
        # The first attempt with the right secret must succeed.
        fd = pipe_with(uri.encode() + b"\n")
        busy_box.phone("right").command("enrol", "--fd", str(fd), fds=(fd,)).ok()
        order.ok()
    assert sum(device["user"] == "bob" for device in busy_box.json("devices")) == 1
    assert busy_box.json("status")["failures_unauthenticated"] >= 100


def test_a_used_code_is_refused(busy_box):
    order = busy_box.command("enrol", "bob", "--yes")
    uri = code_shown(order)
    for name, good in (("first", True), ("second", False)):
        fd = pipe_with(uri.encode() + b"\n")
        status = busy_box.phone(name).command("enrol", "--fd", str(fd), fds=(fd,)).wait(60)
        assert (status == 0) == good
    order.ok()


def test_programs_that_send_rubbish_flood_or_hang_up_stop_nobody(busy_box):
    path = str(busy_box.run / "pam.sock")

    def send_rubbish(message):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.connect(path)
        client.settimeout(10)
        client.send(message)
        assert client.recv(100) == b"", "the agent hangs up on what it does not understand"
        client.close()

    for message in (b"\x00", b"\xff" * 4000, cbor2.dumps([99]), cbor2.dumps([1, 7]), cbor2.dumps({"a": 1}), os.urandom(300)):
        send_rubbish(message)
    for _ in range(100):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.connect(path)
        client.send(cbor2.dumps([1, 1, b"demo", b"alice", None, None, 20]))
        client.close()
    # The agent accepts connections in their order, so it has had all of those by then.
    send_rubbish(b"\x00")
    busy_box.wait_until(lambda: busy_box.programs_waiting() == 0)
    alive(busy_box)


def test_a_program_that_asks_for_another_machine_is_refused(busy_box):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.settimeout(10)
    client.connect(str(busy_box.run / "pam.sock"))
    client.send(cbor2.dumps([1, 1, b"demo", b"alice", None, b"far.example", 20]))
    assert cbor2.loads(client.recv(100)) == [3, 2]


def test_a_phone_that_vanishes_at_any_packet_leaves_the_box_as_it_was(busy_box):
    phone = busy_box.phone("lossy").enrol("bob", b"bob's own")
    for packets in range(0, 10):
        tap = phone.command("login", extra=("--lose-link-after-packets", str(packets)))
        if tap.process.poll() is None:
            busy_box.wait_until(lambda: tap.process.poll() is not None or busy_box.tap_held())
        tap.stop()
    busy_box.wait_until(lambda: busy_box.json("status")["links_open"] == 0)
    alive(busy_box)


@pytest.mark.parametrize("conditions", [
    ("--mtu", "23"), ("--mtu", "517"), ("--reorder-seed", "7"), ("--mtu", "23", "--reorder-seed", "1"),
    ("--interval-milliseconds", "15"),
])
def test_bad_air_costs_time_only(busy_box, conditions):
    program = busy_box.pam("alice")
    busy_box.wait_until(busy_box.programs_waiting)
    busy_box.healthy.command("login", extra=conditions).ok()
    program.ok()


# The agent refuses state that is not valid, names the cure, and loses nothing.


def refused(box, *words):
    box.agent = box.run_program([BIN / "boxagentd", "--config", box.config], "refused")
    assert box.agent.wait() in (69, 78)
    for word in words:
        assert word in box.agent.err, box.agent.err
    return box.agent.err


def test_state_that_others_can_read_is_refused_with_the_command_that_mends_it(make_box):
    box = make_box()
    box.kill()
    (box.state / "vault.key").chmod(0o644)
    message = refused(box, "chmod 600", "vault.key")
    command = message.split("run: ")[1].splitlines()[0]
    subprocess.run(command, shell=True, check=True)
    box.start()


def test_a_damaged_database_is_kept_aside_and_never_overwritten(make_box):
    box = make_box()
    box.phone("a").enrol("alice", b"x1")
    box.agent.stop()
    database = box.state / "vault.sqlite3"
    damaged = b"this is no database" + database.read_bytes()[19:]
    database.write_bytes(damaged)
    refused(box, "damaged", "kept as")
    kept = [path for path in box.state.iterdir() if ".damaged-" in path.name and not path.name.endswith(("wal", "shm"))]
    assert len(kept) == 1 and kept[0].read_bytes() == damaged
    box.start()


def test_a_newer_schema_is_refused_and_left_untouched(make_box):
    box = make_box()
    box.agent.stop()
    database = box.state / "vault.sqlite3"
    connection = sqlite3.connect(database)
    connection.execute("INSERT INTO migrations (number, name, hash) VALUES (99, x'00', zeroblob(32))")
    connection.commit()
    connection.close()
    before = database.read_bytes()
    refused(box, "newer program")
    assert database.read_bytes() == before


def test_a_missing_key_file_is_named_and_no_new_one_made(make_box):
    box = make_box()
    box.agent.stop()
    (box.state / "vault.key").unlink()
    refused(box, "vault.key", "restore it")
    assert not (box.state / "vault.key").exists()


def test_another_boxes_key_is_named(make_box):
    box = make_box()
    box.agent.stop()
    (box.state / "vault.key").write_bytes(os.urandom(32))
    refused(box, "does not open")


def test_a_second_agent_on_the_same_state_is_refused(make_box):
    box = make_box()
    first = box.agent
    refused(box, "in use")
    box.agent = first
    assert box.json("status")["radio_state"] == "advertising"


def test_a_full_disk_spends_no_try_and_loses_nothing(make_box, directory):
    """The disk is a small tmpfs that the test fills, so mounting it needs root."""
    mount = directory / "small"
    mount.mkdir()
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=600k,mode=700", "none", mount], capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    try:
        box = make_box(start=False, **{"box.state_directory": f'"{mount}"'})
        box.start().pam_service(users={"bob": b"bob's own"})
        phone = box.phone("b").enrol("bob", box_held=True)
        phone.with_secrets("credentials", "set", password=b"bob's own", new_pin=b"2468").ok()
        filler = open(mount / "filler", "wb", buffering=0)
        try:
            while True:
                filler.write(b"\0" * 4096)
        except OSError:
            pass
        for _ in range(30):
            outcome = phone.with_secrets("login", pin=b"0000")
            if outcome.wait() == 70:
                break
        else:
            pytest.fail("the disk was never full")
        left = box.json("devices")[0]["pin_attempts_left"]
        filler.truncate(0)
        filler.close()
        program = box.pam("bob")
        box.wait_until(box.programs_waiting)
        if left is not None and left > 0:
            phone.with_secrets("login", pin=b"2468").ok()
            program.ok()
        box.stop()
    finally:
        subprocess.run(["umount", "-l", mount], check=True)


@pytest.mark.parametrize("password", [b"", b"x" * 512, b"a\0b"])
def test_passwords_that_pam_cannot_carry_are_refused_where_they_are_entered(busy_box, password):
    entry = busy_box.healthy.with_secrets("credentials", "set", password=password)
    assert entry.wait() == 65
    assert "password" in (entry.out + entry.err)


@pytest.mark.parametrize("words", [["no-such-user"], ["root"], ["-x"], ["a/b"]])
def test_users_who_cannot_be_enrolled_are_named_with_the_cure(make_box, words):
    box = make_box(**{"enrolment.require_known_user": "true"})
    order = box.command("enrol", "--yes", "--", *words)
    assert order.wait() != 0
    assert order.err.strip(), "the reason is said"


def test_sigterm_ends_cleanly_and_programs_fall_back_to_their_prompt(busy_box):
    program = busy_box.pam("alice")
    busy_box.wait_until(busy_box.programs_waiting)
    busy_box.agent.process.terminate()
    assert busy_box.agent.wait() == 0
    assert program.wait() != 0
    assert not (busy_box.run / "pam.sock").exists()


def test_sighup_reloads_policy_and_refuses_a_bad_file(busy_box):
    busy_box.write_config(**{"login.services": '["nothing"]'})
    busy_box.agent.process.send_signal(1)
    busy_box.agent.wait_for("configuration reloaded")
    assert busy_box.pam("alice").wait() != 0
    busy_box.write_config(**{"login.services": '["demo"]', "login.surprise": "1"})
    busy_box.agent.process.send_signal(1)
    busy_box.agent.wait_for("login.surprise")
    assert busy_box.agent.process.poll() is None


# Connects as another user, as many times as requested, and keeps the connections open.
HOLDER = """
import os, select, socket, sys
os.setgroups([]); os.setuid(int(sys.argv[2]))
held = []
for _ in range(int(sys.argv[3])):
    held.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
    held[-1].connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="becomes other users, which root alone can")
def test_connections_of_other_users_keep_neither_root_nor_each_other_out(box):
    for path in (box.directory.parent, box.directory, box.run):
        path.chmod(0o711)
    holders = []
    try:
        for user in (64001, 64002, 64003):
            holder = subprocess.Popen(
                [sys.executable, "-c", HOLDER, str(box.run / "control.sock"), str(user), "8"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True)
            holders.append(holder)
            assert holder.stdout.readline() == "held\n"
        assert box.json("status")["box_id"] == box.id
        box.command("revoke", "--user", "nobody-has-this-name", "--yes").wait()
        # Another user's command replaces one of the idle connections.
        asked = subprocess.run(
            [sys.executable, "-c", "import os, socket, sys; os.setgroups([]); os.setuid(64004);"
             "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(sys.argv[1]);"
             "s.send(bytes.fromhex(sys.argv[2])); print(s.recv(8192).hex())", str(box.run / "control.sock"),
             cbor2.dumps({"type": "status", "version": 2}, canonical=True).hex()],
            capture_output=True, text=True, timeout=PATIENCE)
        assert cbor2.loads(bytes.fromhex(asked.stdout))["type"] == "status", asked
    finally:
        for holder in holders:
            holder.communicate()


@pytest.mark.parametrize("name", ["pam.sock", "control.sock"])
def test_who_says_nothing_keeps_no_place_at_either_socket(box, name):
    """A program that was stopped between connecting and its first message."""
    silent = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    silent.settimeout(PATIENCE)
    silent.connect(str(box.run / name))
    # Opens sixteen more connections. Each socket accepts sixteen, and control.sock accepts eight of one user.
    others = []
    for _ in range(16):
        others.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        others[-1].connect(str(box.run / name))
    assert box.json("status")["box_id"] == box.id
    phone = box.phone("a").enrol("alice", b"correct horse")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    program.ok()
    assert silent.recv(1) == b""
    for other in others:
        other.close()
