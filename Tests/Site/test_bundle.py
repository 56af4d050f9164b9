"""A site's signed data in a file, for boxes that are cut off: made by boxsite and imported by boxagentd, both as shipped."""
import json
import time

import pytest

from administrators import Asker, open_socket
from box import Box, pipe_with
from box_clock import BoxClock
from bundle import Bundle, write
from independent_phone import KeyPair
from independent_site import RevocationSet, phone_text
from postgres import Postgres
from site_server import Site, free_port
from test_one_enrolment import NUMBERS, add_joined_box, boxes, info, log_in, new_phone, phone_id, refused  # noqa: F401

INVALID, TRY_AGAIN, NOT_FOUND, NOT_PERMITTED = 65, 75, 1, 77


@pytest.fixture
def box(site, directory):
    made = []
    add_joined_box(made, site, directory, NUMBERS[0])
    yield made[0]
    made[0].stop()


def move(site, port):
    """Moves the server to another port without telling the boxes."""
    site.server.stop()
    site.server.port = port
    site.write_configs()
    site.server.start()


def cut(site, *boxes):
    """Cuts the boxes off from their server. Returns the server's old port."""
    port = site.server.port
    move(site, free_port())
    for box in boxes:
        box.wait_until(lambda box=box: info(box)["linked_server"] is None)
    site.server.wait_until(lambda: not site.server.status()["doubt"])
    return port


def mend(site, port, *boxes):
    """Moves the server back to its old port."""
    move(site, port)
    for box in boxes:
        box.wait_until(lambda box=box: info(box)["linked_server"] is not None, timeout=90)


def make(site, directory, *words, name="site.bundle"):
    """Makes a bundle. Tries for a while, because after a clock jump the next signed status takes up to a minute."""
    file = directory / name
    site.server.wait_until(lambda: site.server.command("bundle", str(file), *words).returncode == 0, timeout=90)
    return file


def bring(box, file):
    return json.loads(box.command("site", "import", str(file), "--json").ok())


def kept(box):
    return {key: value for key, value in info(box).items() if "seconds" not in key and key != "problem"}


def denied(box, file, status=INVALID):
    """Returns why a bundle is refused. The box must be unchanged, except its reason for having no server."""
    before = kept(box)
    said = box.command("site", "import", str(file))
    assert said.wait() == status, said.err
    assert kept(box) == before
    return said.err


def revoke_somebody(site):
    key = KeyPair.new()
    site.server.ok("phone", "add", "bert", phone_text(key.public))
    phones = json.loads(site.server.ok("phone", "list", "--json"))
    site.server.ok("phone", "revoke", next(each["id"] for each in phones if each["key"] == key.public.hex()), "--yes")


def test_a_bundle_has_the_document_the_entries_the_head_and_certificates_of_those_that_are_meant(site, directory):
    members = {name: site.box(name, "--group", group) for name, group in (("one", "1"), ("two", "7"), ("three", "7"))}
    keys = {name: box.static.public for name, box in members.items()}
    site.server.add("invited", "--group", "7")
    revoke_somebody(site)
    whole = Bundle(make(site, directory).read_bytes())
    whole.document.check()
    whole.head.check(whole.document)
    assert abs(whole.head.time - time.time()) < 90
    entries = RevocationSet()
    for entry in whole.entries:
        entries.add(entry, whole.document)
    assert len(whole.entries) == 1 and entries.hash(whole.head.time, whole.document) == whole.head.set_hash
    assert {each.key for each in whole.certificates} == set(keys.values())
    assert all(each.expiry > time.time() + 23 * 3_600 for each in whole.certificates)
    group = Bundle(make(site, directory, "--group", "7").read_bytes())
    assert {each.key for each in group.certificates} == {keys["two"], keys["three"]}
    site.server.remove("three")
    one = Bundle(make(site, directory, "--box", "two").read_bytes())
    assert {each.key for each in one.certificates} == {keys["two"]}
    last = Bundle(make(site, directory, "--group", "7").read_bytes())
    assert {each.key for each in last.certificates} == {keys["two"]}, "a removed box gets nothing"
    assert len(last.entries) == 2
    for words in (("--box", "three"), ("--box", "nobody"), ("--box", "invited")):
        said = site.server.command("bundle", str(directory / "no.bundle"), *words)
        assert said.returncode == NOT_FOUND and "there is no box" in said.stderr
    assert not (directory / "no.bundle").exists()


def test_a_bundle_brings_a_box_that_is_cut_off_what_was_taken_back_and_a_certificate_and_again_changes_nothing(
        site, directory, box):
    phone, lost = (new_phone(box, site, name) for name in ("kept", "lost"))
    for each in (phone, lost):
        log_in(box, each, NUMBERS[0])
    port = cut(site, box)
    site.server.ok("phone", "revoke", phone_id(site, lost), "--yes")
    log_in(box, lost, NUMBERS[0])
    expiry = info(box)["certificate_expiry"]
    file = make(site, directory)
    took = bring(box, file)
    assert took["changed"] and took["entries_added"] == 1 and took["new_certificate"], took
    assert took["certificate_expiry"] > expiry and took["head_number"] == 1
    assert "site has revoked" in refused(box, lost, NUMBERS[0]) or len(box.json("devices")) == 1
    log_in(box, phone, NUMBERS[0])
    again = bring(box, file)
    assert not again["changed"] and again["entries_added"] == 0
    # Stored data survives a crash.
    box.kill()
    box.start()
    assert info(box)["entries"] == 1 and info(box)["head_number"] == 1
    assert refused(box, lost, NUMBERS[0])
    mend(site, port, box)
    box.wait_until(lambda: info(box)["fresh_seconds"] is not None, timeout=90)
    assert info(box)["problem"] is None
    log_in(box, phone, NUMBERS[0])


def test_older_foreign_and_damaged_bundles_are_refused_with_the_reason(site, directory, box):
    cut(site, box)
    old = make(site, directory, name="old.bundle")
    revoke_somebody(site)
    new = make(site, directory)
    data = new.read_bytes()
    flipped = directory / "flipped"
    flipped.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert "not signed" in denied(box, flipped)
    bring(box, new)
    assert "older than this box's data" in denied(box, old)
    for name, changed, reason in [
        ("cut", data[:-1], "ends too early"), ("short", data[:40], "ends too early"), ("empty", b"", "is not a bundle"),
        ("other", b"boxsite:1/AAAA", "is not a bundle"), ("newer", data.replace(b"bundle/1", b"bundle/2"), "newer version"),
        ("more", data + b"\0", "is damaged"),
    ]:
        file = directory / name
        file.write_bytes(changed)
        assert reason in denied(box, file), name
    assert "cannot be read" in denied(box, directory / "nowhere")


def test_what_lies_in_a_bundle_is_believed_by_its_signature_alone(site, directory, box):
    """An attacker with the stick may put anything into the file."""
    cut(site, box)
    revoke_somebody(site)
    mine = Bundle(make(site, directory).read_bytes())
    key = KeyPair.new().public
    for name, messages, reason in [
        ("no entries", [each for each in mine.messages if each[0] != 2], "does not include every revocation"),
        ("no head", mine.messages[:-1], "ends too early"),
        ("two documents", [mine.messages[0]] + mine.messages, "damaged"),
        ("servers", mine.messages[:1] + [b"\x07\x01\x0b192.0.2.1:1"] + mine.messages[1:], "damaged"),
        ("a forged entry", mine.messages[:1] + [b"\x02" + mine.entries[0].bytes[:2] + key + mine.entries[0].bytes[34:]]
         + mine.messages[1:], "not signed"),
    ]:
        file = directory / "changed.bundle"
        file.write_bytes(write(messages))
        assert reason in denied(box, file), name
    # Another box's certificate does no harm, and a missing one is not an error.
    file = directory / "plain.bundle"
    file.write_bytes(write([each for each in mine.messages if each[0] != 1]))
    took = bring(box, file)
    assert took["changed"] and not took["new_certificate"]


def test_a_bundle_of_another_site_is_refused(site, directory, box):
    cut(site, box)
    database = Postgres(directory / "two").start()
    try:
        foreign = Site(directory / "foreign", database).found()
        try:
            assert "belongs to another site" in denied(box, make(foreign, directory))
        finally:
            foreign.stop()
    finally:
        database.remove()


@pytest.mark.parametrize("year", [1970, 2038])
def test_a_box_whose_calendar_is_far_off_takes_a_bundle_as_any_other(site, directory, year):
    clock = BoxClock(directory)
    clock.set(0, calendar=(-int(time.time()) + 60) if year == 1970 else 12 * 365 * 86_400)
    made = clock.rule(Box(directory / "box", directory / "air"))
    try:
        made.start()
        made.command("join", stdin=pipe_with(site.server.ok("box", "add", "ward").encode())).ok()
        made.wait_until(lambda: info(made)["head_number"] is not None)
        cut(site, made)
        revoke_somebody(site)
        took = bring(made, make(site, directory))
        assert took["changed"] and took["head_number"] == 1 and took["hours_left"] >= 23
    finally:
        made.stop()


def test_a_bundle_comes_by_standard_input_too_and_only_to_a_member(site, directory, box):
    cut(site, box)
    revoke_somebody(site)
    said = box.command("site", "import", "-", stdin=pipe_with(make(site, directory).read_bytes())).ok()
    assert "entries added: 1" in said and "hours left without the site" in said
    box.command("leave", "--yes").ok()
    none = box.command("site", "import", str(directory / "site.bundle"))
    assert none.wait() == NOT_FOUND and "does not belong to a site" in none.err


def test_no_bundle_is_made_while_nothing_is_signed_and_a_file_that_cannot_be_written_is_said(site, directory):
    said = site.server.command("bundle", str(directory / "nowhere" / "file"))
    assert said.returncode == 70 and "cannot be written" in said.stderr
    old = make(site, directory)
    old.write_bytes(b"what was there")
    site.database.kill()
    site.server.wait_until(lambda: site.server.status()["doubt"])
    said = site.server.command("bundle", str(old))
    assert said.returncode == TRY_AGAIN, said.stderr
    assert old.read_bytes() == b"what was there" and {each.name for each in directory.glob("site.bundle*")} == {"site.bundle"}


def test_a_bundle_is_an_administrators_and_a_wards_for_its_own_boxes(site, directory):
    keys = {group: site.box("box%s" % group, "--group", group).static.public for group in ("1", "7")}
    open_socket(site.server)
    for role, account in (("viewer", "games"), ("helpdesk", "man"), ("ward", "lp")):
        words = ("--group", "7") if role == "ward" else ()
        site.server.ok("admin", "add", role, "--role", role, "--account", account, *words)
    for account in ("games", "man"):
        reply, = Asker(site.server, account).ask("bundle")
        assert reply["kind"] == "not-permitted", reply
    parts = Asker(site.server, "lp").ok("bundle")
    found = Bundle(b"".join(bytes.fromhex(part["part"]) for part in parts))
    assert [each.key for each in found.certificates] == [keys["7"]]
    reply, = Asker(site.server, "lp").ask("bundle", box="box1")
    assert reply["kind"] == "not-found"
    written = site.database.sql("SELECT actor_name, detail FROM audit_entries WHERE event = 'bundle' ORDER BY number")
    assert "ward" in written and "certificates of 1 boxes" in written
