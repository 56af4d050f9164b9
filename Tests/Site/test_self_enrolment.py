"""A user enrols their own phone: boxagent enrol --self in a session at a box. logind is a fake, and the programs are as shipped."""
import contextlib
import json
import pathlib
import re
import socket
import subprocess
import sys
import time

import cbor2
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Integration" / "sessions"), str(ROOT / "Tests" / "Integration" / "bluez")]

import dbus  # noqa: E402
import loopback_air as air  # noqa: E402
from box import BIN, Box, Failed, pipe_with  # noqa: E402
from independent_phone import KeyPair  # noqa: E402
from independent_site import Refused, phone_text  # noqa: E402
from linked_box import LinkedBox  # noqa: E402
from logind import Logind  # noqa: E402
from private_bus import PrivateBus  # noqa: E402
from site_box import SELF_ENROLMENT, Ended  # noqa: E402
from test_enrolment import DIGITS, enrol, log_in, phones, shown  # noqa: E402
from test_enrolment import enrolled as enrolled_by_administrator  # noqa: E402

# The site's reasons for not giving a code (docs/reference/site-protocol.md, section 20).
NOT_ALLOWED, UNKNOWN_USER, TOO_MANY, BUSY = 1, 2, 7, 8
NUMBER, PASSWORD, UID = "004711", b"correct horse", 4_242
PERMITTED = 77


@pytest.fixture
def logind(directory):
    bus = PrivateBus(directory)
    made = Logind(bus.address)
    yield made
    made.stop()
    bus.stop()


@pytest.fixture
def make_box(site, directory, logind):
    """Provides a function that makes a box of the site. The site's server gets `lines` under [self_enrolment]."""
    made = []

    def make(*lines, number=NUMBER):
        if lines:
            site.server.extra = ["[self_enrolment]", *lines]
            site.write_configs()
            site.server.stop()
            site.server.start()
        box = Box(directory / ("box" + number), directory / "air", **{"sessions.bus": '"%s"' % logind.address}).start()
        made.append(box)
        box.pam_service(users={"alice": PASSWORD})
        # Lets other users in, because the command runs as one of them.
        for path in (box.directory, box.run):
            path.chmod(0o755)
        code = site.server.ok("box", "add", "ward-" + number, "--number", number)
        box.command("join", stdin=pipe_with(code.encode())).ok()
        box.wait_until(lambda: json.loads(box.command("site", "--json").ok())["head_number"] is not None)
        box.wait_until(lambda: "Box " + number in air.boxes(box.air))
        return box

    yield make
    for box in made:
        box.stop()


def linked(box):
    return json.loads(box.command("site", "--json").ok())["linked_server"]


def log_in_at_console(logind, box, session="c1", user="alice", uid=UID, ago=0.0, is_typed=True, **changes):
    """Adds a session that login(1) has just opened after a typed password. The session contains every process."""
    if is_typed:
        say_typed(box, user, session)
    logind.add(session, user=user, uid=uid)
    logind.change(session, "Service", changes.pop("Service", "login"))
    logind.change(session, "TimestampMonotonic", dbus.UInt64(int((time.monotonic() - ago) * 1_000_000)))
    for name, value in changes.items():
        logind.change(session, name, value)
    logind.put_processes_in(session)


def say_typed(box, user, session):
    """Sends what pam_boxagent.so sends at the end of a login with a typed password."""
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)) as module:
        module.connect(str(box.run / "pam.sock"))
        module.send(cbor2.dumps([12, user.encode(), session.encode()], canonical=True))
        # The agent closes the connection after it has read the message.
        module.shutdown(socket.SHUT_WR)
        assert module.recv(1) == b""


class Own:
    """The user's command, as a process of that user."""

    count = 0

    def __init__(self, box, *words, uid=UID):
        Own.count += 1
        self.box, self.path = box, box.directory / ("own-%d" % Own.count)
        with open(self.path, "wb") as out:
            self.process = subprocess.Popen(
                [str(BIN / "boxagent"), "enrol", "--self", *words, "--socket", str(box.run / "control.sock")],
                stdin=subprocess.PIPE, stdout=out, stderr=out, user=uid, group=uid, extra_groups=[])

    @property
    def out(self):
        return self.path.read_text()

    def find(self, pattern):
        found = re.search(pattern, self.out)
        if not found and self.process.poll() is not None:
            raise Failed(self.out)
        return found

    @property
    def code(self):
        return self.box.wait_until(lambda: self.find(r"boxsite-enrol:\S+")).group(0)

    @property
    def digits(self):
        return "".join(self.box.wait_until(lambda: self.find(DIGITS.pattern)).groups())

    def say(self, word):
        self.process.stdin.write(word + b"\n")
        self.process.stdin.flush()

    def wait(self):
        self.process.stdin.close()
        return self.process.wait(30)

    def refused(self, status, text):
        assert self.wait() == status and text in self.out, (self.process.returncode, self.out)


def enrolled(box, phone, *words):
    own = Own(box, *words)
    tap = enrol(phone, own.code, NUMBER)
    assert shown(tap) == own.digits
    own.say(b"y")
    assert own.wait() == 0, own.out
    tap.ok()
    return own


def first_phone(site, box):
    phone = box.phone("first")
    enrolled_by_administrator(site.server, phone, NUMBER)
    return phone


def told_at(box, phone, number):
    """Logs in and returns the phone's output."""
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    command = phone.command("login", number)
    command.ok()
    program.ok()
    return command.out + command.err


def active(site):
    return [each for each in phones(site.server) if each["state"] == "active"]


def actions(site):
    return [(each["action"], each["actor"]) for each in json.loads(site.server.ok("audit", "list", "--json"))]


def test_a_person_enrols_a_second_phone_at_a_box_and_logs_in_with_it_and_the_box_is_in_the_audit_table(site, make_box, logind):
    box = make_box("allowed = true")
    first_phone(site, box)
    log_in_at_console(logind, box)
    phone = box.phone("second")
    own = enrolled(box, phone)
    one, other = active(site)
    assert own.out.endswith(other["id"] + "\n"), own.out
    assert one["user"] == other["user"] == "alice" and other["groups"] == [1]
    said = actions(site)
    assert any(action == "self enrol" and actor.startswith("box ") for action, actor in said), said
    assert any(action == "phone enrolled" and actor.startswith("box ") for action, actor in said), said
    phone.with_secrets("credentials", "set", password=PASSWORD).ok()
    log_in(box, phone, NUMBER)


def test_the_phone_that_was_there_before_tells_of_a_new_one_at_another_box(site, make_box, logind):
    box = make_box("allowed = true")
    first = first_phone(site, box)
    log_in_at_console(logind, box)
    second = box.phone("second")
    enrolled(box, second)
    one, new = sorted(active(site), key=lambda each: each["added"])
    other = make_box(number="004712")
    first.with_secrets("credentials", "set", password=PASSWORD).ok()
    said = "phone %s was enrolled in your name after a login at box %s" % (new["id"][:8], NUMBER)
    assert said in told_at(other, first, "004712")
    # The phone reports the enrolment once, and later only on request.
    assert said not in told_at(other, first, "004712")
    assert said in first.command("site", "list").ok()
    row, = json.loads(first.command("site", "list", "--json").ok().splitlines()[0])["enrolled"]
    assert row["id"] == new["id"][:8] and row["box"] == NUMBER and abs(row["time"] - time.time()) < 300
    # The new phone does not report its own enrolment. No phone was revoked.
    second.with_secrets("credentials", "set", password=PASSWORD).ok()
    assert "was enrolled" not in told_at(other, second, "004712")
    assert len(active(site)) == 2


def test_a_site_that_does_not_allow_it_gives_no_code(site, make_box, logind):
    box = make_box()
    first_phone(site, box)
    log_in_at_console(logind, box)
    Own(box).refused(PERMITTED, "the site does not allow this user's phone")
    assert not [each for each in actions(site) if each[0] == "self enrol"]


def test_somebody_whom_the_site_does_not_know_and_somebody_who_was_taken_back_get_none(site, make_box, logind):
    box = make_box("allowed = true")
    log_in_at_console(logind, box)
    Own(box).refused(PERMITTED, "does not know this user")
    first_phone(site, box)
    site.server.ok("user", "revoke", "alice", "--yes")
    Own(box).refused(PERMITTED, "revoked all phones")
    box.wait_until(lambda: ("self enrol refused" in [action for action, _ in actions(site)]))


def test_a_third_phone_is_refused_and_one_that_replaces_another_revokes_it_in_the_same_moment(site, make_box, logind):
    box = make_box("allowed = true", "user_per_day = 9")
    first = first_phone(site, box)
    log_in_at_console(logind, box)
    enrolled(box, box.phone("second"))
    Own(box).refused(PERMITTED, "as many phones as the site allows")
    old = active(site)[0]
    Own(box, "--replace", "zzzzzzzz").refused(1, "there are:")
    own = enrolled(box, box.phone("third"), "--replace", old["id"][:10])
    assert "the other phone was revoked" in own.out
    left = active(site)
    assert len(left) == 2 and old["key"] not in [each["key"] for each in left]
    first.with_secrets("credentials", "set", password=PASSWORD)
    box.wait_until(lambda: first.command("login", NUMBER).wait() != 0)


def test_wrong_digits_enrol_nobody(site, make_box, logind):
    box = make_box("allowed = true")
    first_phone(site, box)
    log_in_at_console(logind, box)
    own = Own(box)
    tap = enrol(box.phone("second"), own.code, NUMBER)
    assert shown(tap) == own.digits
    own.say(b"n")
    own.refused(1, "did not match")
    assert tap.wait() != 0 and len(active(site)) == 1


@pytest.mark.parametrize("where, says", [
    (dict(ago=400.0), "more than 5 minutes ago"), (dict(Remote=True), "not in the foreground of this box"),
    (dict(Service="sshd"), "not opened by a login program"), (dict(uid=UID + 1), "belongs to another user"),
    (dict(LockedHint=True), "it is locked"), (dict(is_typed=False), "did not see that a password was typed"),
])
def test_from_anywhere_but_a_login_of_just_now_at_the_box_nothing_is_asked(site, make_box, logind, where, says):
    box = make_box("allowed = true")
    log_in_at_console(logind, box, **where)
    Own(box).refused(PERMITTED, says)
    assert not [each for each in actions(site) if each[0].startswith("self")]


def test_a_user_has_so_many_codes_a_day_and_a_server_that_was_started_anew_counts_on(site, make_box, logind):
    box = make_box("allowed = true", "user_per_day = 1", "phones = 8")
    first_phone(site, box)
    log_in_at_console(logind, box)
    enrolled(box, box.phone("second"))
    site.server.stop()
    box.wait_until(lambda: not linked(box))
    site.server.start()
    box.wait_until(lambda: linked(box), timeout=90)
    Own(box).refused(75, "all codes that the site allows in a day")


def test_a_box_that_has_had_all_its_codes_of_a_day_is_an_alarm(site, make_box, logind):
    box = make_box("allowed = true", "box_per_day = 1")
    first_phone(site, box)
    log_in_at_console(logind, box)
    own = Own(box)
    assert own.code and site.server.status()["alarms"] == []
    own.process.kill()
    own.process.wait()
    box.wait_until(lambda: "enrolment cancelled" in [action for action, _ in actions(site)])
    Own(box).refused(75, "all codes that the site allows in a day")
    alarm, = site.server.wait_until(lambda: site.server.status()["alarms"], timeout=90)
    assert alarm.startswith("a box has asked within a day for as many codes") and "ward" not in alarm


class LyingBox(LinkedBox):
    """A box of the site that claims any user to be present."""

    def answer(self, number, step, fields=b""):
        self.link.enrol_self(number, step, fields)
        while (said := self.take()).kind != SELF_ENROLMENT:
            pass
        assert said.value.number == number
        return said.value

    def begin(self, number, user, replaced=b""):
        return self.answer(number, 1, bytes([len(user)]) + user + replaced)


@pytest.fixture
def liar(site):
    site.server.extra = ["[self_enrolment]", "allowed = true"]
    site.write_configs()
    site.server.stop()
    site.server.start()
    site.server.ok("phone", "add", "alice", phone_text(KeyPair.new().public))
    box = LyingBox(site.box("liar"))
    return box.take_until(lambda: box.head)


def test_a_box_that_lies_gets_codes_for_known_users_alone_one_at_a_time_and_three_a_day_for_each(site, liar):
    assert liar.begin(1, b"root").reason == NOT_ALLOWED
    assert liar.begin(2, b"../alice").reason == NOT_ALLOWED
    assert liar.begin(3, b"stranger").reason == UNKNOWN_USER
    first = liar.begin(4, b"alice")
    assert first.stage == 1 and first.code.startswith("boxsite-enrol:1/")
    assert liar.begin(5, b"alice").reason == BUSY
    # The site has not shown digits yet, so the box cannot confirm them.
    liar.link.enrol_self(4, 2, b"123456")
    for number, before in ((6, 4), (7, 6)):
        liar.link.enrol_self(before, 4)
        assert liar.begin(number, b"alice").stage == 1
    liar.link.enrol_self(7, 4)
    assert liar.begin(8, b"alice").reason == TOO_MANY
    site.server.wait_until(lambda: [action for action, _ in actions(site)].count("enrolment cancelled") == 3)
    said = actions(site)
    assert [action for action, _ in said].count("self enrol") == 3 and len(active(site)) == 1
    assert all(actor.startswith("box ") for action, actor in said if action.startswith("self enrol"))


@pytest.mark.parametrize("step, fields", [
    (0, b""), (5, b""), (1, b""), (1, b"\0"), (1, b"\5alic"), (1, bytes([65]) + b"a" * 65), (1, b"\5alice" + b"a" * 27),
    (2, b"12345"), (3, b"12345x"), (4, b"\0"),
])
def test_what_is_no_step_ends_the_link(site, liar, step, fields):
    liar.link.enrol_self(1, step, fields)
    with pytest.raises((Ended, Refused)):
        liar.take_until_closed()
        raise Ended("in order")
    assert not [action for action, _ in actions(site) if action.startswith("self")]


def test_a_box_that_asks_without_end_is_answered_and_fills_no_table(site, liar):
    for number in range(1, 80):
        assert liar.begin(number, b"stranger").reason in (UNKNOWN_USER, TOO_MANY)
    assert [action for action, _ in actions(site)].count("self enrol refused") <= 41
    assert site.server.status()["doubt"] is None and liar.begin(99, b"alice").reason == TOO_MANY


def test_a_code_whose_command_ended_is_void(site, make_box, logind):
    box = make_box("allowed = true")
    first_phone(site, box)
    log_in_at_console(logind, box)
    own = Own(box)
    code = own.code
    own.process.kill()
    own.process.wait()
    box.wait_until(lambda: "enrolment cancelled" in [action for action, _ in actions(site)])
    assert enrol(box.phone("second"), code, NUMBER).wait() != 0 and len(active(site)) == 1


def test_a_server_that_is_killed_in_its_commit_leaves_one_phone_which_hears_so_itself(site, make_box, logind):
    box = make_box("allowed = true")
    first_phone(site, box)
    log_in_at_console(logind, box)
    database = site.database
    phone, own = box.phone("second"), Own(box)
    code = own.code
    tap = enrol(phone, code, NUMBER)
    assert shown(tap) == own.digits
    database.sql(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN NULL; END'; "
        "CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON phones DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION wait()")
    own.say(b"y")
    site.server.wait_until(lambda: database.sql(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT' AND wait_event = 'PgSleep'"))
    site.server.kill()
    own.refused(75, "no link to its site")
    box.wait_until(lambda: database.sql("SELECT 1 FROM enrolments WHERE state = 'done'"))
    database.sql("DROP TRIGGER wait ON phones")
    site.server.start()
    tap.wait()
    box.wait_until(lambda: linked(box), timeout=90)
    said = enrol(phone, code, NUMBER)
    said.ok()
    assert len(active(site)) == 2
