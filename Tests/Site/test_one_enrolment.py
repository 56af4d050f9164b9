"""One enrolment for every box: the user's command, the administrator's command and two boxes, all as shipped."""
import json
import time

import pytest

import loopback_air as air
from box import Box, pipe_with
from independent_site import read_phone_text

PASSWORD = b"correct horse"
NUMBERS = ("004711", "004712")


def info(box):
    return json.loads(box.command("site", "--json").ok())


def add_joined_box(made, site, directory, number):
    """Adds a box with alice's password, joined to the site and on the air. Appends the box to `made` before anything can fail."""
    box = Box(directory / number, directory / "air").start()
    made.append(box)
    box.pam_service(users={"alice": PASSWORD})
    code = site.server.ok("box", "add", "ward" + number, "--number", number)
    box.command("join", stdin=pipe_with(code.encode())).ok()
    box.wait_until(lambda: json.loads(box.command("site", "--json").ok())["head_number"] is not None)
    box.wait_until(lambda: "Box " + number in air.boxes(directory / "air"))


@pytest.fixture
def boxes(site, directory):
    made = []
    for number in NUMBERS:
        add_joined_box(made, site, directory, number)
    yield made
    for box in made:
        box.stop()


def add(site, phone, *words, user="alice"):
    """Gives the phone's key to the administrator, and the resulting text to the phone."""
    text = site.server.ok("phone", "add", user, phone.command("site", "key").ok().strip(), *words)
    return give(phone, text)


def give(phone, text):
    file = phone.box.directory / ("%s.grant" % phone.name)
    file.write_text(text)
    return phone.command("site", "add", str(file)).ok()


def new_phone(box, site, name, *words):
    """Returns a phone that was never at any box."""
    phone = box.phone(name)
    add(site, phone, *words)
    phone.with_secrets("credentials", "set", password=PASSWORD).ok()
    return phone


def log_in(box, phone, number):
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    said = phone.command("login", number).ok()
    program.ok()
    return said


def refused(box, phone, number):
    """Returns the message to the user. The program that asks gets no answer."""
    tap = phone.command("login", number)
    assert tap.wait() != 0, tap.out
    assert not box.tap_held()
    return tap.err


def phone_id(site, phone):
    """Returns the phone's ID by the key that it shows."""
    device = {each["key"]: each["id"] for each in json.loads(site.server.ok("phone", "list", "--json"))}
    return device[read_phone_text(phone.command("site", "key").ok().strip()).hex()]


def test_a_phone_that_was_added_once_logs_in_at_each_box_of_the_site_and_comes_again(site, boxes):
    phone = new_phone(boxes[0], site, "alice")
    for _ in range(2):
        for box, number in zip(boxes, NUMBERS):
            assert "Logged in" in log_in(box, phone, number)
    for box in boxes:
        device, = box.json("devices")
        assert (device["user"], device["site"]) == ("alice", True)
    assert json.loads(phone.command("site", "list", "--json").ok())["user"] == "alice"


def test_a_wrong_password_is_told_as_at_any_box_and_nothing_is_kept(site, boxes):
    phone = boxes[0].phone("alice")
    add(site, phone)
    program = boxes[0].pam("alice")
    boxes[0].wait_until(boxes[0].programs_waiting)
    tap = phone.with_secrets("login", NUMBERS[0], "--once", password=b"wrong")
    assert tap.wait() == 1 and "was not accepted" in tap.err
    program.wait()
    phone.with_secrets("credentials", "set", password=PASSWORD).ok()
    log_in(boxes[0], phone, NUMBERS[0])


def test_a_phone_that_is_revoked_at_the_site_is_refused_at_every_box_and_believes_the_sites_word(site, boxes):
    phone, other = (new_phone(boxes[0], site, name) for name in ("lost", "kept"))
    for each in (phone, other):
        log_in(boxes[0], each, NUMBERS[0])
    begin = time.monotonic()
    site.server.ok("phone", "revoke", phone_id(site, phone), "--yes", "--reason", "lost")
    for box in boxes:
        box.wait_until(lambda box=box: json.loads(box.command("site", "--json").ok())["entries"] == 1)
    boxes[0].wait_until(lambda: len(boxes[0].json("devices")) == 1)
    print("both boxes had it %.1f s after the command began" % (time.monotonic() - begin))
    # A box where the phone never was refuses it, too.
    assert "site has revoked" in refused(boxes[1], phone, NUMBERS[1])
    # From then on, the phone itself stops, regardless of a box's answer.
    assert refused(boxes[0], phone, NUMBERS[0])
    log_in(boxes[1], other, NUMBERS[1])


def test_a_user_who_was_revoked_may_be_added_again_with_a_new_key_of_the_same_phone(site, boxes):
    phone = new_phone(boxes[0], site, "alice")
    log_in(boxes[0], phone, NUMBERS[0])
    site.server.ok("user", "revoke", "alice", "--yes")
    boxes[0].wait_until(lambda: boxes[0].json("devices") == [])
    assert "site has revoked" in refused(boxes[0], phone, NUMBERS[0])
    old = phone.command("site", "key").ok().strip()
    done = site.server.command("phone", "add", "alice", old)
    assert done.returncode == 65 and "make a new key on the phone" in done.stderr
    phone.command("site", "forget", "--yes").ok()
    add(site, phone)
    phone.with_secrets("credentials", "set", password=PASSWORD).ok()
    for box, number in zip(boxes, NUMBERS):
        box.wait_until(lambda box=box: json.loads(box.command("site", "--json").ok())["entries"] == 1)
        log_in(box, phone, number)


def test_groups_say_at_which_boxes_a_phone_logs_in(site, boxes):
    phone = boxes[0].phone("alice")
    add(site, phone, "--group", "9")
    assert refused(boxes[0], phone, NUMBERS[0])
    add(site, phone, "--group", "1", "--group", "9")
    phone.with_secrets("credentials", "set", password=PASSWORD).ok()
    log_in(boxes[1], phone, NUMBERS[1])


def test_a_phone_logs_in_while_no_server_runs(site, boxes):
    phone = new_phone(boxes[0], site, "alice")
    site.server.stop()
    site.database.stop()
    for box, number in zip(boxes, NUMBERS):
        log_in(box, phone, number)


def test_a_box_that_is_of_no_site_is_never_shown_the_phones_key(site, boxes, directory):
    phone = new_phone(boxes[0], site, "alice")
    twin = Box(directory / "twin", directory / "air", **{"box.id": '"004713"'}).start()
    try:
        twin.wait_until(lambda: "Box 004713" in air.boxes(directory / "air"))
        said = refused(twin, phone, "004713")
        assert said
        assert twin.json("status")["failures_unauthenticated"] == 0
    finally:
        twin.stop()
