"""A user enrols a phone once, at any box: boxsite phone enrol, boxphone site enrol, two boxes and two servers, as shipped."""
import json
import re
import subprocess

import pytest

from box import BIN, Failed, pipe_with
from independent_site import read_phone_text
from test_one_enrolment import NUMBERS, PASSWORD, add_joined_box

DIGITS = re.compile(r"(\d{3}) (\d{3})")


class Enrolment:
    """The administrator's command and its output."""

    def __init__(self, server, *words, user="alice"):
        argv = [BIN / "boxsite", "phone", "enrol", user, *words, "--socket", server.run / "control.sock"]
        server.starts += 1
        self.directory, name = server.directory, "enrol-%d" % server.starts
        self.out_path, self.err_path = self.directory / (name + ".out"), self.directory / (name + ".err")
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.process = subprocess.Popen([str(word) for word in argv], stdin=subprocess.PIPE, stdout=out, stderr=err)
        self.server = server
        self.code = server.wait_until(self.read_code)

    @property
    def out(self):
        return self.out_path.read_text()

    @property
    def err(self):
        return self.err_path.read_text()

    def read_code(self):
        found = re.search(r"(boxsite-enrol:\S+)\n", self.out)
        if not found and self.process.poll() is not None:
            raise Failed("no code: " + self.err)
        return found and found.group(1)

    def digits(self):
        return self.server.wait_until(lambda: (found := DIGITS.search(self.out)) and "".join(found.groups()))

    def say(self, word):
        self.process.stdin.write(word + b"\n")
        self.process.stdin.flush()

    def wait(self):
        self.process.stdin.close()
        return self.process.wait(30)


@pytest.fixture
def servers(site):
    site.add_server()
    return site.servers


@pytest.fixture
def boxes(site, servers, directory):
    """Two boxes of a site with two servers. Each links to one of them."""
    made = []
    for number in NUMBERS:
        add_joined_box(made, site, directory, number)
    yield made
    for box in made:
        box.stop()


def enrol(phone, code, *words):
    fd = pipe_with(code.encode() + b"\n")
    return phone.command("site", "enrol", "--fd", str(fd), *words, fds=(fd,))


def shown(phone_command):
    """Returns the digits on the phone."""
    phone_command.wait_for("Six digits")
    return "".join(DIGITS.search(phone_command.out + phone_command.err).groups())


def log_in(box, phone, number):
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    said = phone.command("login", number).ok()
    program.ok()
    assert "Logged in" in said


def phones(server):
    return json.loads(server.ok("phone", "list", "--json"))


def enrolled(server, phone, *words):
    """Enrols a phone with both commands, and checks that both show the same digits."""
    order = Enrolment(server)
    tap = enrol(phone, order.code, *words)
    assert shown(tap) == order.digits()
    order.say(b"y")
    assert order.wait() == 0, order.err
    tap.ok()
    return order


def test_a_phone_is_enrolled_at_one_box_and_logs_in_at_each_and_neither_box_is_told_its_key(site, servers, boxes):
    phone = boxes[0].phone("alice")
    enrolled(servers[0], phone, NUMBERS[0])
    listed, = phones(servers[1])
    assert listed["user"] == "alice" and listed["label"].startswith("boxphone") and listed["groups"] == [1]
    # The box that carried the enrolment has no device and no audit entry of it.
    assert boxes[0].json("devices") == []
    phone.with_secrets("credentials", "set", password=PASSWORD).ok()
    for box, number in zip(boxes, NUMBERS):
        log_in(box, phone, number)


def test_the_command_may_be_at_another_server_than_the_box_and_any_box_will_do(site, servers, boxes):
    for index, (server, words) in enumerate(((servers[0], (NUMBERS[1],)), (servers[1], (NUMBERS[0],)), (servers[1], ()))):
        phone = boxes[0].phone("phone%d" % index)
        enrolled(server, phone, *words)
    assert len(phones(servers[0])) == 3
    # Each enrolment makes three entries, about the code and the phone. The user's name is only in subject_name.
    rows = [each for each in json.loads(servers[0].ok("audit", "list", "--json")) if each["subject_name"] == "alice"]
    assert [each["action"] for each in rows] == ["phone enrol", "phone came", "phone enrolled"] * 3
    assert rows[0]["subject"] == rows[1]["subject"] and rows[0]["subject"] in rows[2]["detail"]
    assert rows[2]["subject"].startswith("phone ") and rows[2]["actor"] == "root"
    assert "is intact" in servers[1].ok("audit", "check")


def test_wrong_digits_enrol_nobody_and_the_code_is_void(site, servers, boxes):
    phone = boxes[0].phone("alice")
    order = Enrolment(servers[0])
    tap = enrol(phone, order.code)
    order.digits()
    order.say(b"n")
    assert order.wait() == 1 and "no phone was enrolled" in order.err
    assert tap.wait() != 0 and "did not enrol this phone" in tap.err
    again = enrol(phone, order.code)
    assert again.wait() != 0 and "did not enrol this phone" in again.err
    assert phones(servers[0]) == []


def test_a_code_is_good_for_one_phone_also_when_two_come_at_once_at_two_servers(site, servers, boxes):
    order = Enrolment(servers[0])
    taps = [enrol(box.phone("twin%d" % index), order.code, number)
            for index, (box, number) in enumerate(zip(boxes, NUMBERS))]
    digits = order.digits()
    order.say(b"y")
    assert order.wait() == 0, order.err
    ends = [tap.wait() for tap in taps]
    assert sorted(ends)[0] == 0 and sorted(ends)[1] != 0, [tap.err for tap in taps]
    winner = taps[ends.index(0)]
    assert "".join(DIGITS.search(winner.out + winner.err).groups()) == digits
    assert len(phones(servers[0])) == 1
    late = enrol(boxes[0].phone("late"), order.code)
    assert late.wait() != 0 and len(phones(servers[0])) == 1


def test_a_phone_that_lost_its_box_before_the_answer_comes_again_and_is_enrolled_once(site, servers, boxes):
    phone = boxes[0].phone("alice")
    order = Enrolment(servers[0])
    tap = enrol(phone, order.code, NUMBERS[0])
    assert shown(tap) == order.digits()
    tap.process.kill()
    tap.process.wait()
    order.say(b"y")
    assert order.wait() == 0, order.err
    said = enrol(phone, order.code, NUMBERS[1]).ok()
    assert "This phone belongs to site" in said
    listed, = phones(servers[0])
    assert listed["key"] == read_phone_text(phone.command("site", "key").ok().strip()).hex()


def test_a_phone_goes_on_at_another_link_when_the_server_is_killed_while_the_digits_are_compared(site, servers, boxes):
    phone = boxes[0].phone("alice")
    order = Enrolment(servers[1])
    tap = enrol(phone, order.code)
    assert shown(tap) == order.digits()
    servers[0].kill()
    order.say(b"y")
    assert order.wait() == 0, order.err
    servers[0].start()
    tap.ok(timeout=120)
    assert len(phones(servers[1])) == 1


def test_a_code_of_another_site_and_a_damaged_code_are_refused_and_change_nothing(site, servers, boxes):
    phone = boxes[0].phone("alice")
    order = Enrolment(servers[0])
    code = order.code
    place = len("boxsite-enrol:1/") + 120
    wrong = code[:place] + ("A" if code[place] != "A" else "B") + code[place + 1:]
    tap = enrol(phone, wrong, NUMBERS[0])
    assert tap.wait() != 0 and "did not accept the code" in tap.err
    # Wrong secrets do not cancel the code. Otherwise a box that heard the code's ID could cancel it for all users.
    for _ in range(6):
        assert enrol(phone, wrong, NUMBERS[0]).wait() != 0
    tap = enrol(phone, order.code, NUMBERS[0])
    assert shown(tap) == order.digits()
    order.say(b"y")
    assert order.wait() == 0
    tap.ok()


def test_a_box_that_has_lost_its_site_says_so_and_a_login_is_not_held_up_by_carries(site, servers, boxes):
    phone = boxes[0].phone("alice")
    enrolled(servers[0], phone)
    phone.with_secrets("credentials", "set", password=PASSWORD).ok()
    orders = [Enrolment(servers[0]) for _ in range(4)]
    taps = [enrol(boxes[0].phone("wait%d" % index), order.code, NUMBERS[0]) for index, order in enumerate(orders)]
    for order, tap in zip(orders, taps):
        assert shown(tap) == order.digits()
    log_in(boxes[0], phone, NUMBERS[0])
    # The box refuses a fifth enrolment for now, and the phone uses another box.
    fifth = Enrolment(servers[0])
    tap = enrol(boxes[0].phone("fifth"), fifth.code)
    assert shown(tap) == fifth.digits()
    for order, tap in zip([*orders, fifth], [*taps, tap]):
        order.say(b"y")
        assert order.wait() == 0, order.err
        tap.ok()
    for server in servers:
        server.stop()
    tap = enrol(boxes[0].phone("alone"), orders[0].code)
    assert tap.wait() != 0 and "can reach its site" in tap.err
    log_in(boxes[0], phone, NUMBERS[0])
