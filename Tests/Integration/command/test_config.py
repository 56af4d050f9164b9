"""boxagent config: the values in force and their origin, and how to set them without an editor. No agent runs."""

import json
import os
import shutil
import subprocess

import pytest


class Site:
    def __init__(self, program, directory):
        self.program, self.main = program, directory / "boxagent.toml"
        self.directory = directory / "conf.d"
        self.own = self.directory / "boxagent-config.toml"
        self.main.write_text("[login]\nhold_seconds = 5\n")

    def run(self, *words, **options):
        return subprocess.run([self.program, "config", *words, "--config", str(self.main)], text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=30, **options)

    def ok(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def settings(self, *words):
        return {setting["key"]: setting for setting in json.loads(self.ok("show", "--json", *words))}


@pytest.fixture
def site(boxagent, tmp_path):
    return Site(boxagent, tmp_path)


def test_it_shows_what_holds_and_the_file_and_line_of_each_value(site):
    site.directory.mkdir()
    (site.directory / "10-site.toml").write_text("\n[login]\nhold_seconds = 6\n")
    lines = {line.split()[0]: line for line in site.ok().splitlines()}
    assert lines["login.hold_seconds"].endswith(f"{site.directory}/10-site.toml:3, overrides {site.main}:2")
    assert lines["login.hold_seconds"].split()[1] == "6" and lines["limits.links"].endswith("default")
    changed = site.settings("--changed")
    assert list(changed) == ["login.hold_seconds"]
    assert changed["login.hold_seconds"]["origins"][-1] == {"file": f"{site.directory}/10-site.toml", "line": 3}


def test_what_is_set_holds_and_can_be_taken_back(site):
    assert "systemctl reload boxagentd" in site.ok("set", "login.hold_seconds", "7")
    assert "systemctl restart boxagentd" in site.ok("set", "radio.adapter", "hci1")
    site.ok("set", "sessions.lock_command", '["/usr/bin/lock", "say \\"{user}\\" \\\\"]')
    shown = site.settings("--changed")
    assert shown["login.hold_seconds"]["value"] == "7" and shown["radio.adapter"]["value"] == '"hci1"'
    assert shown["sessions.lock_command"]["value"] == '["/usr/bin/lock", "say \\"{user}\\" \\\\"]'
    assert site.main.read_text() == "[login]\nhold_seconds = 5\n", "the administrator's file is the administrator's"
    assert os.stat(site.own).st_mode & 0o777 == 0o644
    assert "by " + str(site.main) in site.ok("unset", "login.hold_seconds")
    assert site.settings("login.hold_seconds")["login.hold_seconds"]["value"] == "5"
    again = site.run("unset", "login.hold_seconds")
    assert again.returncode == 1 and "nothing was changed" in again.stderr


def test_the_agents_user_can_read_what_an_administrator_with_a_strict_umask_has_set(site):
    done = site.run("set", "login.hold_seconds", "7", umask=0o077)
    assert done.returncode == 0, done.stderr
    assert os.stat(site.directory).st_mode & 0o777 == 0o755 and os.stat(site.own).st_mode & 0o777 == 0o644


@pytest.mark.parametrize("words, said", [
    (["login.hold_second", "7"], "did you mean login.hold_seconds?"),
    (["login.hold_seconds", "700"], "login.hold_seconds: 700 is out of range\n  give a whole number from 1 to 30, for instance: boxagent config set login.hold_seconds"),
    (["login.hold_seconds", "seven"], "login.hold_seconds: seven is not a valid value\n  give a whole number from 1 to 30"),
    (["login.hold_seconds", '"7"'], "has the wrong type\n  give a whole number from 1 to 30"),
    (["radio.kind", "wifi"], "radio.kind: wifi is not one of the choices\n  give auto or bluez or loopback, for instance: boxagent config set radio.kind auto"),
    (["login.services", "login"], "login.services: login is not a valid value\n  give a list of at most"),
    (["enrolment.allow_web", "maybe"], "give true or false, for instance: boxagent config set enrolment.allow_web true"),
    (["login.hold_seconds", "7\n[pin]\ndelays = true"], "is more than one value"),
    (["auto_logout.minimum_seconds", "100000"], "auto_logout.minimum_seconds is more than auto_logout.maximum_seconds"),
])
def test_what_the_agent_would_refuse_is_refused_and_nothing_is_written(site, words, said):
    done = site.run("set", *words)
    assert done.returncode == 65 and said in done.stderr, done.stderr
    assert not site.directory.exists()


def test_a_file_that_is_read_later_is_named_instead_of_being_beaten_in_vain(site):
    site.directory.mkdir()
    (site.directory / "site.toml").write_text("[login]\nhold_seconds = 9\n")
    done = site.run("set", "login.hold_seconds", "7")
    assert done.returncode == 65 and "site.toml:2 sets login.hold_seconds too" in done.stderr
    assert not site.own.exists()


def test_a_file_that_is_refused_is_named_with_its_line(site):
    site.directory.mkdir()
    (site.directory / "10-bad.toml").write_text("[login]\nhold_seconds = 6\nhold_seconds = 7\n")
    done = site.run()
    assert done.returncode == 65 and f"{site.directory}/10-bad.toml:3: is not TOML" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_who_may_not_write_is_told_to_be_root(site, tmp_path):
    # Opens pytest's own directories, up to the first one that all users may enter anyway. Their number varies.
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_mode & 0o005 == 0o005:
            break
        path.chmod(0o755)
    # Copies the program, because the checkout may be readable only by root.
    site.program = shutil.copy(site.program, tmp_path / "boxagent")
    done = site.run("set", "login.hold_seconds", "7", user=65534, group=65534)
    assert done.returncode == 77 and "run the command as root" in done.stderr, done.stderr
    assert not site.directory.exists()
