"""sudo asks the page for the password. The page shows the request, and sends nothing without a tap."""

import pytest
from box import MODULE
from logind import Logind


@pytest.fixture
def sudo_box(web):
    """A box that lets sudo ask, from a session at the seat."""
    logind = Logind(web.bus.address)
    logind.add("c7", "alice", type="wayland")
    logind.put_processes_in("c7")
    box = web.box(**{"elevation.services": '["sudo"]', "sessions.bus": '"%s"' % web.bus.address})
    box.pam_service("sudo", lines=[
        f"auth [default=ignore] {MODULE} wait=30 prompt socket={box.run}/pam.sock",
        f"auth requisite pam_pwdfile.so use_first_pass pwdfile={box.directory}/passwords",
        f"auth [default=ignore] {MODULE} verdict",
        "account required pam_permit.so", "session required pam_permit.so"])
    yield box
    logind.stop()


def asks(web, box):
    """Starts sudo while the page watches the box."""
    web.tap("Show session")
    web.sees("This phone has no open session there.")
    program = box.pam("alice", service="sudo")
    web.sees("“sudo” asks for the password of alice")
    return program


@pytest.fixture
def sudo(web, sudo_box):
    web.launch().ready(sudo_box)
    return asks(web, sudo_box)


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


@pytest.mark.parametrize("answer", ["Cancel", "Try again"])
def test_a_request_does_not_get_a_refused_password_without_a_yes(web, sudo_box, answer):
    web.launch().enrol(sudo_box)
    web.store(sudo_box, password="wrong horse")
    web.tap("To the boxes")
    program = sudo_box.pam("alice", "authenticate")
    sudo_box.wait_until(sudo_box.programs_waiting)
    web.log_in(sudo_box)
    web.sees("did not accept the stored password")
    assert program.wait() != 0
    web.tap("To the boxes")
    sudo = asks(web, sudo_box)
    assert "Enter your PIN" not in web.shown, "the question comes before the PIN"
    web.tap("Allow")
    web.sees("Send it again?")
    assert sudo.process.poll() is None
    web.tap(answer)
    if answer == "Cancel":
        web.sees("“sudo” asks for the password of alice")
        web.tap("Decline")
        web.sees("Declined.")
    else:
        web.keys("4711")
        web.tap("Allow")
        web.sees("did not accept the stored password")
    assert sudo.wait() != 0


def test_a_request_is_declined(web, sudo):
    web.tap("Decline")
    web.sees("Declined.")
    assert sudo.wait() != 0
