"""No secret stays where it can be found: files, logs, arguments, environment, memory, the wiped database."""
import os
import pathlib
import re

import pytest

PASSWORD = b"Planted-Password-7f3a"
PIN = b"Planted-PIN-91"


def everything_written(directory: pathlib.Path):
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            yield path, path.read_bytes()


def memory_of(pid: int):
    """Yields every readable mapping of a process. Only root may read a process that forbids dumps."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if not rights.startswith("r") or "[vvar]" in line or "[vsyscall]" in line:
                continue
            low, high = (int(part, 16) for part in span.split("-"))
            try:
                memory.seek(low)
                yield line.strip(), memory.read(high - low)
            except OSError:
                continue


def found_in_memory(pid: int, secrets):
    return [f"{secret!r} in {where}" for where, data in memory_of(pid) for secret in secrets if secret in data]


def found_in_files(directory, secrets, besides=()):
    return [f"{secret!r} in {path}" for path, data in everything_written(directory)
            for secret in secrets if secret in data and path.name not in besides]


needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may read the memory of a process that forbids core dumps")


@pytest.fixture
def planted(make_box):
    return make_box().pam_service(users={"alice": PASSWORD, "bob": PASSWORD})


def log_in(box, phone, user, **secrets):
    program = box.pam(user)
    box.wait_until(box.programs_waiting)
    phone.with_secrets("login", **secrets).ok()
    program.ok()


def test_no_file_holds_a_password_or_a_pin_after_logins(planted):
    log_in(planted, planted.phone("a").enrol("alice", PASSWORD), "alice")
    held = planted.phone("b").enrol("bob", box_held=True)
    held.with_secrets("credentials", "set", password=PASSWORD, new_pin=PIN).ok()
    log_in(planted, held, "bob", pin=PIN)
    planted.stop()
    assert not found_in_files(planted.directory, (PASSWORD, PIN))


def test_no_argument_or_environment_holds_a_secret(planted):
    phone = planted.phone("a").enrol("alice", PASSWORD)
    tap = phone.command("login")
    planted.wait_until(planted.tap_held)
    for running in (tap, planted.agent):
        for name in ("cmdline", "environ"):
            data = pathlib.Path(f"/proc/{running.process.pid}/{name}").read_bytes() if os.geteuid() == 0 else b""
            assert PASSWORD not in data and b"boxlink:" not in data
    tap.stop()


@needs_root
def test_the_agents_memory_holds_no_password_or_pin_after_the_login(planted):
    held = planted.phone("b").enrol("bob", box_held=True)
    held.with_secrets("credentials", "set", password=PASSWORD, new_pin=PIN).ok()
    log_in(planted, held, "bob", pin=PIN)
    log_in(planted, planted.phone("a").enrol("alice", PASSWORD), "alice")
    assert not found_in_memory(planted.agent.process.pid, (PASSWORD, PIN))


@needs_root
def test_a_credential_that_is_held_is_in_memory_and_gone_when_its_time_is_over(make_box):
    """The test also proves that the search finds an existing secret."""
    box = make_box(**{"login.hold_seconds": "4"}).pam_service(users={"alice": PASSWORD})
    tap = box.phone("a").enrol("alice", PASSWORD).command("login")
    box.wait_until(box.tap_held)
    assert found_in_memory(box.agent.process.pid, (PASSWORD,)), "the search does not find a secret that is there"
    assert tap.wait() == 6
    assert not found_in_memory(box.agent.process.pid, (PASSWORD,))


@needs_root
def test_the_phones_memory_holds_no_password_while_it_waits(planted):
    phone = planted.phone("b").enrol("bob", box_held=True)
    phone.with_secrets("credentials", "set", password=PASSWORD, new_pin=PIN).ok()
    tap = phone.with_secrets("login", pin=PIN)
    planted.wait_until(planted.tap_held)
    assert not found_in_memory(tap.process.pid, (PASSWORD, PIN))
    tap.stop()


def test_after_a_wipe_the_database_and_its_log_hold_nothing_of_the_credential(planted):
    held = planted.phone("b").enrol("bob", box_held=True)
    held.with_secrets("credentials", "set", password=PASSWORD, new_pin=PIN).ok()
    database = planted.state / "vault.sqlite3"
    before = rows(database)
    assert before, "there is something to destroy"
    for _ in range(10):
        held.with_secrets("login", pin=b"0000").wait()
    for path in planted.state.iterdir():
        data = path.read_bytes()
        for name, value in before.items():
            assert value not in data, f"{name} is still in {path.name}"


def rows(database):
    """Returns the sealed columns of the credential as stored before the wipe."""
    import shutil
    import sqlite3
    import tempfile
    with tempfile.TemporaryDirectory() as copy:
        for path in database.parent.glob("vault.sqlite3*"):
            shutil.copy(path, copy)
        connection = sqlite3.connect(f"{copy}/vault.sqlite3")
        row = connection.execute("SELECT wrapped_key, sealed FROM credentials").fetchone()
        connection.close()
        return dict(zip(("wrapped_key", "sealed"), row)) if row else {}


def test_everything_in_the_state_directory_is_for_its_owner_only(planted):
    for path in [planted.state, *planted.state.iterdir()]:
        assert path.stat().st_mode & 0o077 == 0, f"{path} can be read by others"


@needs_root
def test_the_agent_leaves_no_core_dump(planted):
    limits = pathlib.Path(f"/proc/{planted.agent.process.pid}/limits").read_text()
    assert re.search(r"Max core file size\s+0\s+0", limits)
