"""boxlogin --greetd on a pseudo-terminal, with a real agent and phone. greetd is a fake that plays a script."""

import os

import pexpect
import pytest

from box import BIN, PATIENCE
from greetd_double import REFUSED, SUCCESS, GreetdDouble, message

START = {"type": "start_session", "cmd": ["sway", "--debug"], "env": []}
CANCEL = {"type": "cancel_session"}


def create(user):
    return {"type": "create_session", "username": user}


def response(text):
    return {"type": "post_auth_message_response", "response": text}


@pytest.fixture
def greeter(box):
    children = []

    def start(greetd):
        children.append(pexpect.spawn(
            str(BIN / "boxlogin"), ["--greetd", "--socket", str(box.run / "control.sock"), "--", "sway", "--debug"],
            dimensions=(30, 100), timeout=PATIENCE, encoding="utf-8",
            env=dict(os.environ, TERM="dumb", GREETD_SOCK=greetd.path)))
        return children[-1]

    yield start
    for child in children:
        child.close(force=True)


def ended(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def test_a_tap_creates_and_starts_the_session_without_a_question(box, directory, greeter):
    phone = box.phone("a").enrol("alice", b"correct horse")
    with GreetdDouble(directory, [(create("alice"), SUCCESS), (START, SUCCESS)]) as greetd:
        child = greeter(greetd)
        child.expect_exact("choose box")
        tap = phone.command("login")
        assert ended(child) == 0
    tap.process.kill()


def test_a_person_can_type_name_and_password_and_the_password_is_not_shown(box, directory, greeter):
    script = [(create("bob"), message("secret", "Password:")), (response("pä\"ss"), SUCCESS), (START, SUCCESS)]
    with GreetdDouble(directory, script) as greetd:
        child = greeter(greetd)
        child.expect_exact("press any key")
        child.send("x")
        child.expect_exact("User name: ")
        child.send("bobx\x7f\r")
        child.expect_exact("Password: ")
        child.send("pä\"ss\r")
        assert ended(child) == 0
        assert "ss" not in child.before


def test_a_wrong_password_is_said_and_the_screen_comes_back(box, directory, greeter):
    script = [(create("bob"), message("info", "Today is a holiday.")), (response(None), message("secret", "Password: ")),
              (response("wrong"), REFUSED), (CANCEL, SUCCESS),
              (create("bob"), message("visible", "Token: ")), (response("123"), SUCCESS), (START, SUCCESS)]
    with GreetdDouble(directory, script) as greetd:
        child = greeter(greetd)
        child.expect_exact("choose box")
        child.send("x")
        child.expect_exact("User name: ")
        child.send("bob\r")
        child.expect_exact("Today is a holiday.")
        child.expect_exact("Password: ")
        child.send("wrong\r")
        child.expect_exact("Login incorrect.")
        child.send("x")
        child.expect_exact("User name: ")
        child.send("bob\r")
        child.expect_exact("Token: ")
        child.send("123\r")
        assert ended(child) == 0


def test_a_tap_whose_credential_is_gone_asks_for_the_password(box, directory, greeter):
    phone = box.phone("a").enrol("alice", b"correct horse")
    script = [(create("alice"), message("secret", "Password: ")), (CANCEL, SUCCESS)]
    with GreetdDouble(directory, script) as greetd:
        child = greeter(greetd)
        child.expect_exact("choose box")
        tap = phone.command("login")
        child.expect_exact("Password: ")
        child.send("\x1b")
        child.expect_exact("choose box")
        child.close(force=True)
    tap.process.kill()


@pytest.mark.parametrize(
    "answer", [b"", b"{", b"\xff", b'{"type":"new"}', b"x" * 20000, None],
    ids=["empty", "cut", "no text", "unknown", "too long", "hung up"])
def test_an_answer_that_is_none_ends_the_greeter_with_what_is_wrong(box, directory, greeter, answer):
    with GreetdDouble(directory, [(create("bob"), answer)]) as greetd:
        child = greeter(greetd)
        child.expect_exact("choose box")
        child.send("x")
        child.expect_exact("User name: ")
        child.send("bob\r")
        child.expect("greetd's reply is not valid|greetd closed the connection")
        assert ended(child) == 69


def test_without_greetd_and_without_a_command_it_says_so(box):
    alone = pexpect.spawn(str(BIN / "boxlogin"), ["--greetd", "--", "sway"], timeout=PATIENCE, encoding="utf-8")
    alone.expect_exact("GREETD_SOCK")
    assert ended(alone) == 69
    for words in (["--greetd"], ["--greetd", "--"], ["--", "sway"]):
        wrong = box.run_program([BIN / "boxlogin", *words], "wrong-" + "-".join(words))
        assert wrong.wait() == 64, words
