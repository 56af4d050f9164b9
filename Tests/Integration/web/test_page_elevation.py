"""sudo asks the page for the password: it is shown, and nothing goes without a tap."""

import pytest
from box import MODULE
from logind import Logind


@pytest.fixture
def sudo(web):
    """A box that lets sudo ask, from a session at the seat, and the page that watches it."""
    logind = Logind(web.bus.address)
    logind.add("c7", "alice", type="wayland")
    logind.put_processes_in("c7")
    box = web.box(**{"elevation.services": '["sudo"]', "sessions.bus": '"%s"' % web.bus.address})
    box.pam_service("sudo", lines=[
        f"auth [default=ignore] {MODULE} wait=30 prompt socket={box.run}/pam.sock",
        f"auth requisite pam_pwdfile.so use_first_pass pwdfile={box.directory}/passwords",
        f"auth [default=ignore] {MODULE} verdict",
        "account required pam_permit.so", "session required pam_permit.so"])
    web.launch().ready(box)
    web.tap("Show session")
    web.sees("This phone has no open session there.")
    program = box.pam("alice", service="sudo")
    web.sees("“sudo” asks for the password of alice")
    yield program
    logind.stop()


def test_a_request_is_allowed_with_the_pin(web, sudo):
    web.keys("4711")
    web.tap("Allow")
    web.sees("Allowed.")
    assert sudo.wait() == 0


def test_a_wrong_pin_allows_nothing_and_the_request_goes_on(web, sudo):
    web.keys("0000")
    web.tap("Allow")
    web.sees("Wrong PIN. 9 tries left.")
    web.sees("“sudo” asks for the password of alice")
    web.keys("4711")
    web.tap("Allow")
    web.sees("Allowed.")
    assert sudo.wait() == 0


def test_a_request_is_declined(web, sudo):
    web.tap("Decline")
    web.sees("Declined.")
    assert sudo.wait() != 0
