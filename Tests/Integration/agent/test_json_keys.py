"""Every --json output of both programs, key by key. The programs themselves list their commands."""

import json
import re
import signal
import subprocess

import pytest

from box import BIN
from test_sessions import Login

SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
BOXAGENT = {
    "status": ["status", "--explain"], "id": ["id"], "devices": ["devices"], "audit show": ["audit", "show"],
    "doctor": ["doctor"], "sessions": ["sessions"], "lock": ["lock", "--all"], "unlock": ["unlock", "--all"],
    "logout": ["logout", "--all", "--yes"], "config show": ["config", "show"]}
BOXPHONE = {
    "scan": ["scan"], "status": ["status"], "boxes": ["boxes"], "ping": ["ping", "--count", "2"], "watch": ["watch"],
    "calibrate": ["calibrate", "--reset"]}


def with_json(program):
    """Returns the commands of a program that have --json."""
    tree = json.loads(subprocess.run(
        [str(BIN / program), "--experimental-dump-help"], check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout)

    def walk(command, path):
        for child in command.get("subcommands", []):
            yield from walk(child, path + [child["commandName"]])
        if any(name["name"] == "json" for argument in command.get("arguments", []) for name in argument.get("names", [])):
            yield " ".join(path)

    return set(walk(tree["command"], []))


def keys(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def check(command, text):
    documents = [json.loads(line) for line in text.splitlines()]
    assert documents, f"{command} printed nothing"
    assert [key for key in keys(documents) if not SNAKE_CASE.fullmatch(key)] == [], command


def test_each_command_with_json_is_looked_at():
    # A box without a site prints nothing for the two site commands. Tests/Site checks their keys.
    assert with_json("boxagent") == set(BOXAGENT) | {"site show", "site import"}
    # A phone without a site prints nothing for `site list`. test_sites.py checks the keys.
    assert with_json("boxphone") == set(BOXPHONE) | {"site list"}


@pytest.fixture
def watched(make_box):
    """A box with a session that a phone opened, and the connected phone."""
    box = make_box(**{"sessions.%s_command" % name: '["/bin/true"]' for name in ("lock", "unlock", "logout")})
    box.pam_service(users={"alice": b"correct horse"})
    phone = box.phone("a").enrol("alice", b"correct horse")
    watch = phone.command("watch", "--json")
    watch.wait_for('"event":"state"')
    return box, phone, watch


def test_every_key_of_boxagent_is_snake_case(watched):
    box, phone, _ = watched
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    for name, words in BOXAGENT.items():
        running = box.command(*words, "--json") if not name.startswith("config") else box.run_program(
            [BIN / "boxagent", *words, "--config", box.config, "--json"], "config-show")
        running.wait()
        check(name, running.out)
    assert '"presence":[{' in box.command("status", "--explain", "--json").ok()
    login.close()


def test_every_key_of_boxphone_is_snake_case(watched):
    box, phone, watch = watched
    for name, words in BOXPHONE.items():
        if name != "watch":
            check(name, phone.command(*words, "--json").ok())
    box.kill()
    watch.wait_for('"event":"lost"')
    watch.process.send_signal(signal.SIGINT)
    watch.wait()
    check("watch", watch.out)
