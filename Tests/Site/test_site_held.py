"""Credentials that the site holds, behind a PIN whose tries count across all boxes. Tests use boxphone and boxes as shipped, and
fake phones and boxes that lie, repeat and swap what they carry."""
import json
import subprocess
import threading

import pytest

from box import BIN
from held_credentials import (
    DONE, LOCKED_OUT, NO_CREDENTIAL, NOT_NOW, OPENED, PIN_WRONG, REFUSED, WIPED, HeldPhone, new_channel)
from independent_phone import KeyPair
from independent_site import GrantText, phone_text
from linked_box import LinkedBox
from site_box import HELD
from site_server import Site
from test_enrolment import Enrolment, enrol, shown
from test_one_enrolment import NUMBERS, PASSWORD, add, boxes, phone_id  # noqa: F401

PIN, NEW_PIN, WRONG_PIN = b"4711", b"0815", b"1234"
RIGHT, WRONG, OTHER = b"r" * 32, b"w" * 32, b"o" * 32


class Carrier:
    """A box that carries phones' sealed messages. `server` is the server that it links to."""

    def __init__(self, site, name, server=None, box=None):
        box = box or LinkedBox(site.box(name))
        self.box = LinkedBox(site.link(box.link, server)) if server else box
        self.box.take_until(lambda: self.box.head)
        self.key, self.number = self.box.link.static.public, 0

    def send(self, channel, sealed):
        self.number += 1
        self.box.link.ask(self.number, channel, sealed)
        return self.number

    def answer(self):
        while True:
            said = self.box.take()
            assert said, "the link ended"
            if said.kind == HELD:
                return said.value

    def carry(self, channel, sealed):
        number = self.send(channel, sealed)
        answer = self.answer()
        assert answer.number == number
        return answer

    def ask(self, make, *fields, **how):
        """Seals a phone's request for this box and a new channel, and returns the answer."""
        channel = new_channel()
        return self.carry(channel, make(self.key, channel, *fields, **how))


def held_phone(site, user="alice", key=None, *words):
    key = key or KeyPair.new()
    text = GrantText(site.server.ok("phone", "add", user, phone_text(key.public), "--site-held", *words))
    text.check(key.public)
    assert text.grant.mode == 2
    return HeldPhone(text.document, text.site_key.key, key)


def credential(site, column):
    return site.database.sql("SELECT %s FROM phone_credentials" % column)


@pytest.fixture
def no_delays(site):
    """A site that answers wrong PINs without delay and allows five tries, by its server's configuration."""
    site.server.extra = ["[pin]", "delays = false", "attempts = 5"]
    site.write_configs()
    site.server.stop()
    site.server.start()
    return site


# Programs as shipped

def store(phone, number, pin=PIN, password=PASSWORD):
    return phone.with_secrets("credentials", "set", number, password=password, new_pin=pin).ok()


def log_in(box, phone, number, pin=PIN):
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    said = phone.with_secrets("login", number, pin=pin).ok()
    program.ok()
    assert "Logged in" in said


def refused(phone, number, pin, *words):
    tap = phone.with_secrets("login", number, *words, pin=pin)
    assert tap.wait() != 0, tap.out
    return tap.err


def test_a_phone_logs_in_at_a_box_that_it_never_visited_with_a_password_that_no_box_keeps(site, boxes):
    phone = boxes[0].phone("alice")
    add(site, phone, "--site-held")
    store(phone, NUMBERS[0])
    for _ in range(2):
        for box, number in zip(boxes, NUMBERS):
            log_in(box, phone, number)
    assert credential(site, "used, salt IS NOT NULL") == "0|t"
    dump = site.database.dump()
    assert PASSWORD.hex() not in dump and PASSWORD.decode() not in dump
    for box in boxes:
        for file in [path for path in box.directory.rglob("*") if path.is_file() and "passwords" not in path.name]:
            assert PASSWORD not in file.read_bytes(), file


def test_wrong_pins_count_over_all_boxes_a_right_one_gives_all_back_and_the_last_destroys_the_password(
        no_delays, directory, request):
    site, (one, other) = no_delays, request.getfixturevalue("boxes")
    phone = one.phone("alice")
    add(site, phone, "--site-held")
    store(phone, NUMBERS[0])
    assert "4 " in refused(phone, NUMBERS[0], WRONG_PIN)
    assert "3 " in refused(phone, NUMBERS[1], WRONG_PIN)
    log_in(other, phone, NUMBERS[1])
    for left, number in ((4, NUMBERS[1]), (3, NUMBERS[0]), (2, NUMBERS[1]), (1, NUMBERS[0])):
        assert "%d " % left in refused(phone, number, WRONG_PIN) or left == 1
    said = refused(phone, NUMBERS[1], WRONG_PIN)
    assert "destroyed" in said and "your site" in said and "credentials set" in said, said
    assert "destroyed" in refused(phone, NUMBERS[0], PIN)
    assert credential(site, "salt IS NULL AND wrapped_key IS NULL AND content IS NULL") == "t"
    assert "credential wiped" in site.database.sql("SELECT event FROM audit_entries")
    store(phone, NUMBERS[1], NEW_PIN)
    log_in(one, phone, NUMBERS[0], NEW_PIN)


def test_a_pin_is_changed_at_one_box_and_counts_at_the_other(site, boxes):
    phone = boxes[0].phone("alice")
    add(site, phone, "--site-held")
    store(phone, NUMBERS[0])
    phone.with_secrets("pin", "change", NUMBERS[1], pin=PIN, new_pin=NEW_PIN).ok()
    log_in(boxes[0], phone, NUMBERS[0], NEW_PIN)
    assert "wrong" in refused(phone, NUMBERS[1], PIN)


def test_without_its_site_a_box_says_so_and_no_try_is_lost(site, boxes):
    phone = boxes[0].phone("alice")
    add(site, phone, "--site-held")
    store(phone, NUMBERS[0])
    log_in(boxes[1], phone, NUMBERS[1])
    site.server.stop()
    boxes[1].wait_until(lambda: not json.loads(boxes[1].command("site", "--json").ok())["linked_server"])
    said = refused(phone, NUMBERS[1], PIN)
    assert "cannot reach your site" in said, said
    site.server.start()
    boxes[1].wait_until(lambda: json.loads(boxes[1].command("site", "--json").ok())["linked_server"], timeout=60)
    assert credential(site, "used") == "0"
    log_in(boxes[1], phone, NUMBERS[1])


def test_while_the_database_is_away_the_phone_hears_so_and_no_try_is_lost_or_given_back(site, boxes):
    phone = boxes[0].phone("alice")
    add(site, phone, "--site-held")
    store(phone, NUMBERS[0])
    assert "wrong" in refused(phone, NUMBERS[0], WRONG_PIN)
    site.database.kill()
    site.server.wait_until(lambda: site.server.status()["doubt"])
    said = refused(phone, NUMBERS[1], PIN)
    assert "cannot reach your site" in said, said
    site.database.start()
    site.server.wait_until(lambda: not site.server.status()["doubt"])
    assert credential(site, "used") == "1"
    log_in(boxes[1], phone, NUMBERS[1])


def test_a_phone_that_is_enrolled_at_a_box_may_have_its_password_held_by_the_site(site, boxes):
    phone = boxes[0].phone("alice")
    order = Enrolment(site.server, "--site-held")
    tap = enrol(phone, order.code)
    assert shown(tap) == order.digits()
    order.say(b"y")
    assert order.wait() == 0, order.err
    tap.ok()
    store(phone, NUMBERS[0])
    log_in(boxes[1], phone, NUMBERS[1])


def test_a_revoked_phone_opens_nothing_and_its_password_is_destroyed(site, boxes):
    phone = boxes[0].phone("alice")
    add(site, phone, "--site-held")
    store(phone, NUMBERS[0])
    site.server.ok("phone", "revoke", phone_id(site, phone), "--yes")
    assert credential(site, "salt IS NULL") == "t"
    boxes[1].wait_until(lambda: json.loads(boxes[1].command("site", "--json").ok())["entries"] == 1)
    # A revocation sets no wiped_at: the alarm counts only passwords that wrong PINs destroyed.
    assert credential(site, "wiped_at IS NULL") == "t"
    assert "site has revoked" in refused(phone, NUMBERS[1], PIN)


# Boxes that lie

def test_what_was_sealed_for_one_box_and_channel_opens_at_no_other_and_costs_no_try(site):
    honest, thief = Carrier(site, "honest"), Carrier(site, "thief")
    phone, channel = held_phone(site), new_channel()
    assert honest.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    sealed = phone.open(honest.key, channel, RIGHT)
    # Another box, another channel, a changed byte, a truncated request.
    assert thief.carry(channel, sealed).kind == REFUSED
    assert honest.carry(new_channel(), sealed).kind == REFUSED
    changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    assert honest.carry(channel, changed).kind == REFUSED
    assert credential(site, "used, counter") == "0|1"
    answer = honest.carry(channel, sealed)
    assert (answer.kind, answer.credential) == (OPENED, PASSWORD)


def test_a_request_that_was_carried_before_or_is_an_earlier_one_opens_nothing(site):
    box, second = Carrier(site, "one"), site.add_server()
    box = Carrier(site, "one", second, box.box)
    phone, channel = held_phone(site), new_channel()
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    kept = phone.open(box.key, channel, RIGHT)
    later = phone.open(box.key, channel, RIGHT)
    assert box.carry(channel, later).kind == OPENED
    for replayed in (later, kept):
        assert box.carry(channel, replayed).kind == REFUSED
        again = Carrier(site, "one", site.server, box.box)
        assert again.carry(channel, replayed).kind == REFUSED
        box = Carrier(site, "one", second, again.box)
    assert box.ask(phone.open, RIGHT, counter=0).kind == REFUSED
    assert credential(site, "used") == "0"


def test_a_phone_of_another_key_group_or_mode_opens_nothing(site):
    box, far = Carrier(site, "one"), Carrier(LinkedSite(site, "--group", "9"), "far")
    phone = held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    assert far.ask(phone.open, RIGHT).kind == REFUSED
    stranger = HeldPhone(phone.document, phone.site_key)
    assert box.ask(stranger.open, RIGHT).kind == REFUSED
    # The message contains the key that sealed it, so a phone cannot send a request in the name of another key.
    own = KeyPair.new()
    site.server.ok("phone", "add", "alice", phone_text(own.public))
    assert box.ask(HeldPhone(phone.document, phone.site_key, own).store, RIGHT, PASSWORD).kind == REFUSED
    assert box.ask(phone.open, RIGHT).credential == PASSWORD


class LinkedSite:
    """The same site, whose new boxes are in other groups."""

    def __init__(self, site, *words):
        self.site, self.words = site, words

    def box(self, name):
        return self.site.box(name, *self.words)


def test_a_revoked_phone_and_a_removed_box_are_refused_in_the_transaction_itself(site):
    box, other = Carrier(site, "one"), Carrier(site, "two")
    phone = held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    site.database.sql("UPDATE boxes SET state = 'suspended' WHERE name = 'two'")
    assert other.ask(phone.open, RIGHT).kind == REFUSED
    site.database.sql("UPDATE phones SET state = 'revoked'")
    assert box.ask(phone.open, RIGHT).kind == REFUSED
    site.database.sql("UPDATE phones SET state = 'active'")
    assert box.ask(phone.open, RIGHT).kind == OPENED


def test_a_box_that_carries_nonsense_is_heard_no_more_and_harms_no_other(site):
    liar, box = Carrier(site, "liar"), Carrier(site, "one")
    phone = held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    for _ in range(60):
        assert liar.carry(new_channel(), b"x" * 138).kind == REFUSED
    # From now on, the site refuses unread what the lying box carries. Other boxes continue.
    assert liar.ask(phone.open, RIGHT).kind == REFUSED
    assert box.ask(phone.open, RIGHT).kind == OPENED


# Tries

def test_nobody_has_an_eleventh_try_at_two_servers_at_once(site):
    site.server.extra = ["[pin]", "delays = false"]
    second = site.add_server()
    first = Carrier(site, "one")
    carriers = [first] + [Carrier(site, "box%d" % number, (site.server, second)[number % 2], LinkedBox(site.box("box%d" % number)))
                          for number in range(7)]
    phone = held_phone(site)
    assert first.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    answers = []

    def attack(carrier):
        for _ in range(5):
            with lock:
                channel = new_channel()
                sealed = phone.open(carrier.key, channel, WRONG)
            answers.append(carrier.carry(channel, sealed).kind)

    lock = threading.Lock()
    threads = [threading.Thread(target=attack, args=(carrier,)) for carrier in carriers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 40
    # A request that was overtaken by a higher counter was refused and cost nothing. At most ten PINs were checked.
    assert answers.count(PIN_WRONG) <= 9 and set(answers) <= {PIN_WRONG, REFUSED, WIPED, NOT_NOW}
    if WIPED in answers:
        assert answers.count(PIN_WRONG) == 9
    while (answer := first.ask(phone.open, WRONG)).kind in (PIN_WRONG, NOT_NOW):
        pass
    assert answer.kind == WIPED and first.ask(phone.open, RIGHT).kind == WIPED


def test_wrong_pins_cost_time_by_the_databases_clock_at_every_server(site):
    site.server.extra = ["[pin]", "delays = true"]
    second = site.add_server()
    box = Carrier(site, "one")
    other = Carrier(site, "two", second)
    phone = held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    while (answer := box.ask(phone.open, WRONG)).kind == PIN_WRONG:
        pass
    assert answer.kind == LOCKED_OUT and answer.seconds > 0
    assert other.ask(phone.open, RIGHT).kind == LOCKED_OUT
    site.database.sql("UPDATE phone_credentials SET locked_until = 1")
    assert other.ask(phone.open, RIGHT).kind == OPENED
    # The tries are given back after the answer.
    site.server.wait_until(lambda: credential(site, "used") == "0")
    assert other.ask(phone.tries).left == 10


def test_another_password_replaces_the_old_one_and_a_phone_that_holds_its_own_leaves_none(site):
    box = Carrier(site, "one")
    phone = held_phone(site)
    assert box.ask(phone.open, RIGHT).kind == NO_CREDENTIAL
    assert box.ask(phone.tries).kind == NO_CREDENTIAL
    assert box.ask(phone.store, RIGHT, b"first").kind == DONE
    assert box.ask(phone.change, WRONG, OTHER).kind == PIN_WRONG
    assert box.ask(phone.change, RIGHT, OTHER).kind == DONE
    assert box.ask(phone.open, OTHER).credential == b"first"
    assert box.ask(phone.store, WRONG, b"second" * 80).kind == DONE
    assert box.ask(phone.open, WRONG).credential == b"second" * 80
    site.server.ok("phone", "add", "alice", phone_text(phone.key.public))
    assert credential(site, "salt IS NULL") == "t"
    assert box.ask(phone.open, WRONG).kind == REFUSED


@pytest.mark.parametrize("pin_key, then", [(WRONG, PIN_WRONG), (RIGHT, OPENED)])
def test_a_try_stays_spent_where_boxsited_is_killed_between_commit_and_answer(site, pin_key, then):
    box = Carrier(site, "one")
    phone = held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    site.database.sql(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$")
    site.database.sql("CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON phone_credentials DEFERRABLE INITIALLY DEFERRED "
                      "FOR EACH ROW EXECUTE FUNCTION wait()")
    channel = new_channel()
    sealed = phone.open(box.key, channel, pin_key)
    box.send(channel, sealed)
    site.server.wait_until(lambda: site.database.sql(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT' AND wait_event = 'PgSleep'"))
    site.server.kill()
    site.server.wait_until(lambda: credential(site, "used") == "1")
    site.database.sql("DROP TRIGGER wait ON phone_credentials")
    site.server.start()
    box = Carrier(site, "one", site.server, box.box)
    # The box repeats the request, which now has an old counter.
    assert box.carry(channel, sealed).kind == REFUSED
    assert credential(site, "used") == "1"
    assert box.ask(phone.tries).left == 9
    assert box.ask(phone.open, pin_key).kind == then


@pytest.mark.parametrize("kept", (True, False), ids=("kept", "lost"))
@pytest.mark.parametrize("pin_key", (RIGHT, WRONG), ids=("right", "wrong"))
def test_a_last_try_whose_commit_never_answered_costs_no_password_if_it_was_right_and_gives_no_try_back(
        no_delays, pin_key, kept):
    site = no_delays
    box, phone = Carrier(site, "one"), held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    assert [box.ask(phone.open, WRONG).kind for _ in range(4)] == [PIN_WRONG] * 4
    # The commit takes longer than boxsited waits for an answer.
    site.database.sql(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(8); RETURN NULL; END $$")
    site.database.sql("CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON phone_credentials DEFERRABLE INITIALLY DEFERRED "
                      "FOR EACH ROW WHEN (NEW.is_last) EXECUTE FUNCTION wait()")
    channel = new_channel()
    number = box.send(channel, phone.open(box.key, channel, pin_key))
    waiting = "FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT' AND wait_event = 'PgSleep'"
    site.server.wait_until(lambda: site.database.sql("SELECT 1 " + waiting))
    if not kept:
        site.database.sql("SELECT pg_terminate_backend(pid) " + waiting)
    answer = box.answer()
    assert (answer.number, answer.kind) == (number, NOT_NOW)
    said = "a phone's last PIN try, whose outcome the database did not report, is "
    site.server.wait_until(lambda: said in site.server.running.err)
    assert (said + "checked" in site.server.running.err) == kept
    if kept and pin_key == WRONG:
        assert credential(site, "used, is_last") == "5|t"
        assert box.ask(phone.open, RIGHT).kind == NOT_NOW
        # A minute later
        site.database.sql("UPDATE phone_credentials SET spent_at = 1")
        assert box.ask(phone.open, RIGHT).kind == WIPED
        return
    assert credential(site, "used, is_last") == ("0|f" if kept else "4|f")
    site.database.sql("DROP TRIGGER wait ON phone_credentials")
    if not kept and pin_key == WRONG:
        assert box.ask(phone.open, WRONG).kind == WIPED
        return
    assert box.ask(phone.open, RIGHT).credential == PASSWORD


def test_a_right_pin_at_the_last_try_costs_no_password_where_its_tries_could_not_be_given_back(no_delays):
    site = no_delays
    box, phone = Carrier(site, "one"), held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    assert [box.ask(phone.open, WRONG).kind for _ in range(4)] == [PIN_WRONG] * 4
    site.database.sql(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$")
    site.database.sql("CREATE TRIGGER fail BEFORE UPDATE ON phone_credentials FOR EACH ROW WHEN (OLD.is_last AND NOT NEW.is_last) "
                      "EXECUTE FUNCTION fail()")
    assert box.ask(phone.open, RIGHT).kind == NOT_NOW
    assert credential(site, "used, is_last") == "5|t"
    site.database.sql("DROP TRIGGER fail ON phone_credentials")
    site.server.wait_until(lambda: credential(site, "used, is_last") == "0|f")
    assert box.ask(phone.open, RIGHT).credential == PASSWORD


def statements(database, process):
    """Returns the statements of one connection to the database, by first word."""
    lines = [line.split(None, 1)[1] for line in (database.directory / "log").read_text().splitlines()
             if line.startswith("%s " % process)]
    return [line.split(": ", 2)[2].split()[0] for line in lines if "statement: " in line or "execute " in line]


def test_a_try_is_one_message_each_way_and_one_transaction_before_its_answer(site):
    box, phone = Carrier(site, "one"), held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
    for setting in ("log_line_prefix = '%p '", "log_statement = 'all'"):
        site.database.sql("ALTER SYSTEM SET " + setting)
    site.database.sql("SELECT pg_reload_conf()")
    site.server.wait_until(lambda: "execute " in (site.database.directory / "log").read_text())
    for pin_key, kind, behind in ((WRONG, PIN_WRONG, []), (RIGHT, OPENED, ["UPDATE"])):
        before = len((site.database.directory / "log").read_text().splitlines())
        # Each request gets one answer. A second answer would be taken for the answer to the next request.
        assert box.ask(phone.open, pin_key).kind == kind
        if behind:
            site.server.wait_until(lambda: credential(site, "used") == "0")
        new = (site.database.directory / "log").read_text().splitlines()[before:]
        tries = {line.split()[0] for line in new if "phone_credentials SET counter" in line}
        assert len(tries) == 1, new
        said = statements(site.database, tries.pop())
        assert said[-4 - len(behind):] == ["BEGIN", "SELECT", "UPDATE", "COMMIT", *behind], said


# The site key

def test_a_site_that_was_made_before_has_its_key_signed_and_a_root_of_another_is_refused(site):
    site.database.sql("DELETE FROM site_keys")
    site.server.stop()
    site.server.start()
    assert "boxsite key" in site.server.running.err
    done = site.server.command("phone", "add", "alice", phone_text(KeyPair.new().public), "--site-held")
    assert done.returncode == 65 and "boxsite key" in done.stderr, done.stderr
    held_by_phone = site.server.ok("phone", "add", "bob", phone_text(KeyPair.new().public))
    assert GrantText(held_by_phone).grant.mode == 0

    wrong = site.server.sign_site_key(site.root / "next-root.key")
    assert wrong.returncode != 0 and "not signed" in wrong.stderr, wrong.stderr
    done = site.server.sign_site_key(site.root / "root.key")
    assert done.returncode == 0, done.stderr
    site.server.stop()
    site.server.start()
    box = Carrier(site, "one")
    phone = held_phone(site)
    assert box.ask(phone.store, RIGHT, PASSWORD).kind == DONE
