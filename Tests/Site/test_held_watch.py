"""boxphone watch and sudo, as shipped, with a password that the site holds, libpam, and a logind that tests control."""
import sys

import pexpect
import pytest

from box import BIN, MODULE
from conftest import ROOT

sys.path[:0] = [str(ROOT / "Tests" / "Integration" / each) for each in ("sessions", "bluez")]
from logind import Logind  # noqa: E402
from private_bus import PrivateBus  # noqa: E402
from test_one_enrolment import NUMBERS, PASSWORD, add, boxes, phone_id  # noqa: E402, F401
from test_site_held import PIN, WRONG_PIN, credential, store  # noqa: E402


@pytest.fixture
def logind(directory):
    bus = PrivateBus(directory)
    made = Logind(bus.address)
    yield made
    made.stop()
    bus.stop()


@pytest.fixture
def screen(site, boxes, logind):  # noqa: F811
    """Lets alice's phone watch the first box. She has a session there, and sudo may ask."""
    box = boxes[0]
    box.write_config(**{"elevation.services": '["sudo"]', "sessions.bus": '"%s"' % logind.address, "auto_logout.minimum_seconds": "10"})
    box.pam_service("sudo", lines=[
        "auth [default=ignore] %s wait=30 prompt socket=%s/pam.sock" % (MODULE, box.run),
        "auth requisite pam_pwdfile.so use_first_pass pwdfile=%s/passwords" % box.directory,
        "auth [default=ignore] %s verdict" % MODULE,
        "account required pam_permit.so", "session required pam_permit.so"])
    logind.add("c7", "alice", type="wayland")
    logind.put_processes_in("c7")
    box.agent.stop()
    box.start()
    phone = box.phone("alice")
    add(site, phone, "--site-held")
    store(phone, NUMBERS[0])
    made = pexpect.spawn(
        str(BIN / "boxphone"), ["watch", NUMBERS[0], "--directory", str(phone.directory), "--air", str(box.air)],
        encoding="utf-8", timeout=30)
    made.expect("no session")
    made.box, made.phone = box, phone
    yield made
    made.close(force=True)


def tap(screen, word, pin):
    screen.sendline(word)
    screen.expect("PIN for box")
    screen.sendline(pin.decode())


def ask(screen):
    program = screen.box.pam("alice", service="sudo")
    screen.expect("sudo in the session of alice asks for your password")
    return program


def test_sudo_is_allowed_by_a_password_that_the_site_holds_and_a_wrong_pin_is_asked_for_again(screen, site):
    program = ask(screen)
    tap(screen, "allow", WRONG_PIN)
    screen.expect("wrong")
    assert credential(site, "used") == "1"
    tap(screen, "allow", PIN)
    screen.expect(": allowed")
    program.ok()
    site.server.wait_until(lambda: credential(site, "used") == "0")
    for file in [path for path in screen.box.directory.rglob("*") if path.is_file() and "passwords" not in path.name]:
        assert PASSWORD not in file.read_bytes(), file
    said, = [entry for entry in screen.box.json("audit") if entry["event"] == "elevation-correct"]
    assert "sudo" in said["detail"]
    program = ask(screen)
    screen.sendline("deny")
    screen.expect(": denied")
    assert program.wait() != 0 and credential(site, "used") == "0"


def test_a_login_by_the_watch_opens_what_the_site_holds_over_the_same_connection(screen, site):
    program = screen.box.pam("alice")
    screen.box.wait_until(screen.box.programs_waiting)
    tap(screen, "login", WRONG_PIN)
    screen.expect("wrong")
    tap(screen, "login", PIN)
    screen.expect("logged in")
    program.ok()
    site.server.wait_until(lambda: credential(site, "used") == "0")


def test_without_its_site_the_watch_says_so_and_sudo_asks_for_a_password(screen, site):
    site.server.stop()
    screen.box.wait_until(lambda: not screen.box.json("site")["linked_server"])
    program = ask(screen)
    tap(screen, "allow", PIN)
    screen.expect("cannot reach your site")
    screen.sendline("deny")
    screen.expect(": denied")
    assert program.wait() != 0
    site.server.start()
    assert credential(site, "used") == "0"


def test_a_phone_that_was_revoked_while_it_watches_allows_nothing(screen, site):
    program = ask(screen)
    site.server.ok("phone", "revoke", phone_id(site, screen.phone), "--yes")
    screen.expect("revoked")
    assert program.wait() != 0
    assert credential(site, "salt IS NULL") == "t"
