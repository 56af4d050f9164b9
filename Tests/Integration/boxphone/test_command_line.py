"""boxphone's handling of its command line, and of secrets that cannot be valid. No box is needed."""

import json
import os
import re
import subprocess

import pexpect
import pytest

from boxphone_program import environment

COMMANDS = ["enrol", "scan", "login", "status", "watch", "lock", "unlock", "logout", "auto-logout", "credentials set",
            "pin set", "pin change", "pin remove", "boxes", "forget", "ping"]


@pytest.mark.parametrize("words", [
    ["dance"], ["auto-logout"], ["auto-logout", "soon"], ["auto-logout", "15"], ["auto-logout", "8d"],
    ["auto-logout", "99999h"], ["auto-logout", "1m1h"], ["forget"], ["pin"], ["status", "--mtu", "22"],
    ["status", "--mtu", "518"], ["boxes", "--radio", "smoke"], ["enrol", "--label", "x" * 65],
    ["enrol", "--label", "a\x1bb"], ["login", "--pin-fd", "-1"], ["login", "--pin-fd", "3", "--password-fd", "3"],
    ["ping", "--size", "-1"], ["ping", "--size", "1048577"], ["ping", "--count", "0"], ["ping", "--count", "1001"],
    ["ping", "--via", "smoke"], ["status", "--via", ""],
])
def test_a_command_that_is_not_understood_ends_with_64(phone, words):
    done = phone.run(*words)
    # A group of commands alone prints its help.
    assert done.returncode == (0 if words == ["pin"] else 64)
    assert done.stdout or done.stderr


def test_no_option_takes_a_secret_itself(phone):
    for command in COMMANDS:
        text = phone.run(*command.split(), "--help").stdout
        assert "USAGE" in text
        options = re.findall(r"--([a-z-]+) <", text)
        assert not [name for name in options if re.search("pass|pin|code|secret", name) and not name.endswith("-fd")]


def test_help_lists_every_exit_status(phone):
    text = phone.run("--help").stdout
    for status in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, 65, 69, 70, 71, 77, 78, 130]:
        assert re.search(rf"^ *{status}  \w", text, re.M), status


def test_options_may_stand_ahead_of_the_command(phone, tmp_path):
    assert phone.run("--directory", str(tmp_path / "a"), "boxes").returncode == 0
    assert (tmp_path / "a").is_dir()


def test_where_no_bus_is_bluetooth_is_refused_with_a_sentence(phone):
    done = phone.run("scan", "--radio", "bluez", "--bus", "unix:path=/nowhere")
    assert done.returncode == 71
    assert "D-Bus" in done.stderr and "dbus" in done.stderr and "/nowhere" in done.stderr


@pytest.mark.parametrize("words", [["login"], ["status"], ["lock"], ["watch"], ["credentials", "set"], ["ping"]])
def test_without_a_box_the_person_is_told_how_to_begin(phone, words):
    done = phone.run(*words)
    assert done.returncode == 64
    assert "boxphone enrol" in done.stderr
    assert done.stdout == ""


def test_a_scan_of_an_empty_air_says_what_to_do_and_ends_with_69(phone, tmp_path):
    done = phone.run("scan", "--air", str(tmp_path))
    assert done.returncode == 69
    assert "Go nearer" in done.stderr
    assert phone.run("scan", "--json", "--air", str(tmp_path / "none")).stdout == ""


def test_an_empty_list_of_boxes_is_empty_json(phone):
    done = phone.run("boxes", "--json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "boxphone enrol" in phone.run("boxes").stderr


@pytest.mark.parametrize("code, what", [
    (b"", "must start with"), (b"https://example.org/", "must start with"), (b"boxlink:1/AAAA", "version"),
    (b"boxlink:2/AAAA", "incomplete"), (b"boxlink:2/" + b"A" * 900, "too long"), (b"x" * 1100, "give a shorter one"),
])
def test_what_is_no_enrolment_code_is_refused_with_what_to_do(phone, code, what):
    reader, writer = os.pipe()
    os.write(writer, code)
    os.close(writer)
    done = subprocess.run(
        [phone.program, "enrol", "--fd", str(reader)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env=environment(phone.home), pass_fds=[reader], timeout=30)
    os.close(reader)
    assert done.returncode == 65
    assert what in done.stderr


def test_a_descriptor_that_is_not_open_is_named(phone):
    done = phone.run("enrol", "--fd", "77")
    assert done.returncode == 64
    assert "--fd 77" in done.stderr and "open" in done.stderr


def test_without_terminal_and_descriptor_the_descriptor_is_asked_for(phone):
    assert "--fd N" in phone.run("enrol").stderr
    assert "--new-pin-fd N" in phone.run("pin", "set").stderr


@pytest.mark.parametrize("pin, what", [
    (b"", "at least 4"), (b"123", "at least 4"), (b"1" * 33, "at most 32"), (b"\xff\xfe1234", "UTF-8"),
    (b"12\x0034", "control character"), (b"12\t34", "control character"), ("é".encode() * 3, "at least 4"),
    (b"1234\n\n", "control character"),
])
def test_what_cannot_be_a_pin_is_refused_where_it_is_entered(phone, pin, what):
    done = phone.run("pin", "set", new_pin=pin)
    assert done.returncode == 65
    assert what in done.stderr
    assert phone.run("pin", "remove", pin=b"1234").returncode == 64, "no PIN was set"


@pytest.mark.parametrize("pin", [b"1234", b"1234\n", b"1" * 32, "пароль".encode(), "🔑🔒🗝🚪".encode()])
def test_a_pin_of_4_to_32_characters_is_taken_without_one_end_of_line(phone, pin):
    assert phone.run("pin", "set", new_pin=pin).returncode == 0
    assert phone.run("pin", "remove", pin=pin.rstrip(b"\n")).returncode == 0


def test_one_pin_typed_on_two_keyboards_is_one_pin(phone):
    assert phone.run("pin", "set", new_pin="Ärger".encode()).returncode == 0
    assert phone.run("pin", "remove", pin="A\u0308rger".encode()).returncode == 0


def test_ten_wrong_pins_wipe_each_announced_the_last_as_the_last(phone):
    set_ = phone.run("pin", "set", new_pin=b"1234")
    assert set_.returncode == 0
    assert "no hardware key store" in set_.stderr, "the limit of the promise is said"
    for left in range(9, 0, -1):
        done = phone.run("pin", "change", pin=b"0000", new_pin=b"5678")
        assert done.returncode == 2
        assert ("ONE try" if left == 1 else f"{left} tries") in done.stderr
    assert phone.run("pin", "change", pin=b"0000", new_pin=b"5678").returncode == 3
    assert phone.run("pin", "set", new_pin=b"1234").returncode == 0, "a wiped phone starts again"


def test_a_right_pin_gives_the_ten_tries_back(phone):
    phone.run("pin", "set", new_pin=b"1234")
    for _ in range(9):
        assert phone.run("pin", "remove", pin=b"0000").returncode == 2
    assert phone.run("pin", "change", pin=b"1234", new_pin=b"5678").returncode == 0
    assert "9 tries" in phone.run("pin", "remove", pin=b"1234").stderr


def test_json_is_one_object_a_line(phone):
    for line in phone.run("boxes", "--json").stdout.splitlines():
        json.loads(line)


@pytest.mark.parametrize("words, said", [
    (["logn"], 'boxphone: unknown command "logn".\n  Did you mean: boxphone login\n'),
    (["pin", "chnge"], 'boxphone: unknown command "chnge".\n  Did you mean: boxphone pin change\n'),
    (["site", "enrl"], 'boxphone: unknown command "enrl".\n  Did you mean: boxphone site enrol\n'),
    (["login", "--onec"], 'boxphone: unknown option "--onec".\n  Did you mean: --once\n'),
])
def test_what_is_not_known_gets_the_near_word(phone, words, said):
    done = phone.run(*words)
    assert (done.returncode, done.stdout, done.stderr) == (64, "", said)


@pytest.mark.parametrize("words", [["enroll"], ["site", "enroll"]])
def test_enroll_is_enrol(phone, words):
    assert phone.run(*words, "--help").stdout == phone.run(*[word.replace("ll", "l") for word in words], "--help").stdout


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_help_fits_the_terminal(phone, columns):
    for command in COMMANDS:
        child = pexpect.spawn(
            phone.program, [*command.split(), "--help"], env=environment(phone.home), encoding="utf-8", dimensions=(24, columns))
        child.expect(pexpect.EOF)
        for line in child.before.splitlines():
            assert len(line) <= columns or line.startswith("  boxphone ") or " " not in line.strip(), line
