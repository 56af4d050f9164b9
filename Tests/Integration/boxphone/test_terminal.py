"""boxphone on a terminal: typed secrets are not shown, and the terminal's settings are restored."""

import signal
import time

import pytest

from boxphone_program import ended, shown


def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def type_hidden(child, question, answer):
    text = shown(child, question)
    # boxphone changes the terminal's settings before it prints the question.
    assert not child.getecho()
    child.sendline(answer)
    return text


def test_a_pin_is_asked_for_twice_and_never_shown(phone):
    child = phone.terminal("pin", "set")
    said = type_hidden(child, "New PIN", "Planted-9")
    said += type_hidden(child, "again", "Planted-9")
    rest, status = ended(child)
    assert status == 0
    assert "Planted" not in said + rest
    assert "has a PIN now" in rest


def test_two_pins_that_differ_are_asked_for_once_more_and_one_too_short_at_once(phone):
    child = phone.terminal("pin", "set")
    type_hidden(child, "New PIN", "12")
    type_hidden(child, "at least 4 characters.*New PIN", "1234")
    type_hidden(child, "again", "4321")
    type_hidden(child, "differ.*New PIN", "1234")
    type_hidden(child, "again", "1234")
    assert ended(child)[1] == 0
    assert phone.run("pin", "remove", pin=b"1234").returncode == 0


def test_the_last_try_is_announced_before_it_is_asked_for(phone):
    phone.run("pin", "set", new_pin=b"1234")
    for _ in range(9):
        phone.run("pin", "remove", pin=b"0000")
    child = phone.terminal("pin", "remove")
    said = type_hidden(child, "PIN of this phone", "1234")
    assert "last try" in said
    assert ended(child)[1] == 0


@pytest.mark.parametrize("number, status", [
    (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)])
def test_a_signal_at_a_prompt_gives_the_echo_back(phone, number, status):
    child = phone.terminal("pin", "set")
    shown(child, "New PIN")
    assert not child.getecho()
    child.kill(number)
    # The terminal outlives the program while the test holds its other end.
    wait_for(child.getecho)
    assert ended(child)[1] == status


def test_control_c_at_a_prompt_is_not_read_as_a_pin(phone):
    child = phone.terminal("pin", "set")
    shown(child, "New PIN")
    child.sendintr()
    assert ended(child)[1] == 130
    assert phone.run("pin", "remove", pin=b"1234").returncode == 64


def test_control_z_gives_the_echo_back_and_the_question_comes_again(phone):
    child = phone.terminal("pin", "set")
    shown(child, "New PIN")
    child.kill(signal.SIGTSTP)
    wait_for(child.getecho)
    child.kill(signal.SIGCONT)
    type_hidden(child, "New PIN", "1234")
    type_hidden(child, "again", "1234")
    assert ended(child)[1] == 0


def test_an_end_of_file_at_a_prompt_ends_it(phone):
    child = phone.terminal("pin", "set")
    shown(child, "New PIN")
    child.sendeof()
    assert ended(child)[1] == 130


def test_progress_is_shown_on_a_terminal_only(phone, tmp_path):
    child = phone.terminal("scan", "--air", str(tmp_path))
    shown(child, r"listening for boxes \(\d s\)")
    assert ended(child)[1] == 69
    assert "listening" not in phone.run("scan", "--air", str(tmp_path)).stderr


def test_colour_is_for_terminals_without_no_color(phone):
    phone.run("pin", "set", new_pin=b"1234")
    child = phone.terminal("pin", "set")
    assert "\x1b[31m" in ended(child)[0]
    assert "\x1b" not in phone.run("pin", "set").stderr
