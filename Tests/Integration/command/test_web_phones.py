"""Phones that are pages in a browser, at the command: what it sends and shows, and in which order."""

import os

import pexpect
import pytest

from scripted_agent import ScriptedAgent, done, failure, message
from test_boxagent import CONTACT, ENROLLED, URI, code, device, enrol, run

PAGE = "https://phone.example.org/"
PAGE_REPLY = message("web-page", address=PAGE)
WEB = enrol(credential="box-held", confirmed=False, web=True)
DECLINED = failure("declined", "declined", "")


class Nobody:
    """A socket path at which no agent listens."""

    def __init__(self, directory):
        self.path = str(directory / "nobody.sock")


def on_terminal(boxagent, agent, *arguments):
    return pexpect.spawn(
        boxagent, ["enrol", "anna", "--web", *arguments, "--socket", agent.path], timeout=20, dimensions=(60, 300), env=os.environ)


def drawings(shown):
    """Counts the drawn codes: blocks of lines that begin with the code's colours."""
    rows = [line.startswith("\x1b[30;107m") for line in shown.split("\r\n")]
    return sum(now and not before for before, now in zip([False, *rows], rows))


def test_on_a_terminal_the_page_comes_first_and_the_secret_after_enter(boxagent, tmp_path):
    script = [("expect", WEB), ("reply", PAGE_REPLY), ("reply", code(URI)), ("reply", CONTACT), ("reply", DECLINED)]
    with ScriptedAgent(tmp_path, script[:3]) as agent:
        child = on_terminal(boxagent, agent)
        child.expect_exact("press Enter here for the code.")
        before = child.before.decode()
        assert PAGE in before and URI.decode() not in before and drawings(before) == 1
        child.sendline("")
        child.expect_exact(URI.decode())
        child.expect_exact("the code works once")
        assert drawings(child.before.decode()) == 1
        child.close()


def test_a_code_that_ended_while_the_page_was_opened_is_not_shown(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, [("expect", WEB), ("reply", PAGE_REPLY), ("reply", code(URI)), ("reply", DECLINED)]) as agent:
        child = on_terminal(boxagent, agent)
        child.expect(pexpect.EOF)
        child.close()
    assert URI not in child.before and child.exitstatus == 1


def test_into_a_pipe_only_the_uri_and_the_id_are_printed_and_nobody_is_waited_for(boxagent, tmp_path):
    request = enrol(credential="box-held", web=True)
    script = [("expect", request)] + [("reply", reply) for reply in [PAGE_REPLY, code(URI), ENROLLED, done()]]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "enrol", "anna", "--web", "--yes")
    assert (result.returncode, result.stdout) == (0, URI.decode() + "\n7K2M\n")
    assert PAGE in result.stderr and URI.decode() not in result.stderr


def test_a_link_holds_page_and_secret_and_says_what_keeps_it(boxagent, tmp_path):
    script = [("expect", WEB), ("reply", PAGE_REPLY), ("reply", code(URI)), ("reply", DECLINED)]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "enrol", "anna", "--web", "--link")
    assert result.stdout == PAGE + "#" + URI.decode() + "\n"
    assert "The phone's camera app and the browser's history may keep it" in result.stderr


def test_a_link_without_a_page_shows_no_code(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, [("expect", WEB), ("reply", code(URI))]) as agent:
        result = run(boxagent, agent, "enrol", "anna", "--web", "--link")
    assert (result.returncode, result.stdout) == (65, "")
    assert "address of the web phone's page is not set" in result.stderr and "boxagent config set enrolment.web_page" in result.stderr


def test_force_is_sent(boxagent, tmp_path):
    script = [("expect", enrol(credential="box-held", web=True, forced=True)), ("reply", DECLINED)]
    with ScriptedAgent(tmp_path, script) as agent:
        assert run(boxagent, agent, "enrol", "anna", "--web", "--force", "--yes").returncode == 1


@pytest.mark.parametrize("arguments, said", [
    (["--link"], "need --web"), (["--force"], "need --web"),
    (["--web", "--link", "--yes"], "use either --link or --yes")])
def test_what_does_not_go_together_is_refused(boxagent, tmp_path, arguments, said):
    result = run(boxagent, Nobody(tmp_path), "enrol", "anna", *arguments)
    assert result.returncode == 64 and said in result.stderr


DEVICES = [
    device(b"7K2M", b"anna", b"page", "box-held", "active", 0, None, False, 9, False, web=True),
    device(b"9XQP", b"anna", b"phone", "phone-held", "active", 0, None, False, None, False),
    device(b"AAAA", b"bob", b"old page", "box-held", "revoked", 0, None, False, None, False, web=True),
]
LISTING = [("expect", message("devices"))] + [("reply", reply) for reply in [*DEVICES, done()]]
SESSIONS = [("expect", message("sessions")), ("reply", done())]


def test_pages_are_shown_as_such(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, LISTING) as agent:
        lines = run(boxagent, agent, "devices").stdout.splitlines()
    assert ["active, web" in line for line in lines[1:3]] == [True, False] and "revoked, web" in lines[3]


def test_all_pages_are_revoked_at_once_and_no_other_phone_is_named(boxagent, tmp_path):
    script = LISTING + SESSIONS + [("expect", message("revoke-web")), ("reply", done("1 phone revoked"))]
    with ScriptedAgent(tmp_path, script) as agent:
        result = run(boxagent, agent, "revoke", "--web", "--yes")
    assert result.returncode == 0, result.stderr
    assert "7K2M" in result.stdout + result.stderr and "9XQP" not in result.stdout + result.stderr


def test_without_pages_nothing_is_revoked(boxagent, tmp_path):
    with ScriptedAgent(tmp_path, [("expect", message("devices")), ("reply", DEVICES[1]), ("reply", done())]) as agent:
        result = run(boxagent, agent, "revoke", "--web", "--yes")
    assert result.returncode == 1 and "no enrolled phone is a page in a browser" in result.stderr


@pytest.mark.parametrize("arguments", [["7K2M", "--web"], ["--user", "anna", "--web"]])
def test_pages_are_revoked_alone(boxagent, tmp_path, arguments):
    assert run(boxagent, Nobody(tmp_path), "revoke", *arguments).returncode == 64
