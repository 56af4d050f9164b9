"""A code with which many boxes join. Each box waits until an administrator has compared its fingerprint."""
import hashlib
import json
import time

from administrators import Asker, open_socket
from box import Box, pipe_with
from independent_phone import KeyPair
from site_box import CERTIFICATE, REFUSED, JoinCode
from test_one_enrolment import info

USED, EXPIRED, ALREADY, NOT_NOW, WAITING = 4, 5, 6, 7, 8
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def fingerprint(key):
    data = hashlib.sha256(b"boxlink-site-box-fingerprint-1" + key).digest()[:16]
    value = int.from_bytes(data, "big") << 2
    return "".join(ALPHABET[value >> 5 * (25 - place) & 31] for place in range(26))


def bulk(site, count, *words, until=None):
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(until or time.time() + 3_600))
    return JoinCode(site.server.ok("box", "add", "ward", "--bulk", str(count), "--until", end, *words).strip())


def waiting(site):
    return [box for box in json.loads(site.server.ok("box", "list", "--json")) if box["state"] == "waiting"]


def come(site, code, key):
    """Returns the site's answer to a box with that key."""
    return site.join(code, key).receive()


def test_a_box_waits_until_it_is_approved_and_gets_a_certificate_then(site):
    code, keys = bulk(site, 3, "--group", "7"), [KeyPair.new() for _ in range(2)]
    for key in keys:
        said = come(site, code, key)
        assert said.kind == REFUSED and said.value == WAITING
        # A second attempt with the same key uses up no further place of the code.
        assert come(site, code, key).value == WAITING
    assert {box["fingerprint"] for box in waiting(site)} == {fingerprint(key.public) for key in keys}
    assert all(box["groups"] == [7] for box in waiting(site))
    said = site.server.ok("box", "approve", fingerprint(keys[0].public))
    name = "ward-" + fingerprint(keys[0].public)[:8]
    assert name in said and site.server.boxes()[name]["state"] == "joined"
    # The box continues with a link, like one that missed the answer.
    assert come(site, code, keys[0]).value == ALREADY
    box = site.boxes[-1]
    assert site.link(box).receive().kind == CERTIFICATE
    assert [box["fingerprint"] for box in waiting(site)] == [fingerprint(keys[1].public)]
    assert come(site, code, keys[1]).value == WAITING


def test_boxes_that_are_listed_in_advance_join_without_waiting(site, directory):
    keys = [KeyPair.new() for _ in range(2)]
    file = directory / "fingerprints"
    file.write_text("%s  the first\n\n" % fingerprint(keys[0].public).upper())
    code = bulk(site, 2, "--fingerprints", str(file))
    assert come(site, code, keys[0]).kind == CERTIFICATE
    assert come(site, code, keys[1]).value == WAITING


def test_bulk_code_abused(site, directory):
    """An attacker has the code and makes keys without end. Other boxes come too late, or with a revoked code."""
    code = bulk(site, 3)
    keys = [KeyPair.new() for _ in range(5)]
    assert [come(site, code, key).value for key in keys] == [WAITING] * 3 + [USED] * 2
    assert len(waiting(site)) == 3
    # If one box cannot be approved, none is.
    some = site.server.command("box", "approve", fingerprint(keys[0].public), fingerprint(keys[4].public))
    assert some.returncode == 1 and len(waiting(site)) == 3
    site.server.ok("box", "reject", fingerprint(keys[2].public))
    assert come(site, code, keys[2]).value == USED
    listed, = json.loads(site.server.ok("box", "codes", "--json"))
    assert (listed["taken"], listed["places"], listed["revoked"]) == (3, 3, False)
    assert "rejected: 2" in site.server.ok("box", "revoke-code", listed["id"])
    assert waiting(site) == [] and come(site, code, keys[0]).value == USED
    late = site.server.command("box", "approve", fingerprint(keys[0].public))
    assert late.returncode == 1 and "no waiting box has the fingerprint" in late.stderr
    # At most 60 boxes a minute, regardless of the code's own limit.
    fast = bulk(site, 100)
    site.database.sql("INSERT INTO bulk_boxes (key, fingerprint, code) SELECT sha256(i::text::bytea), substr(sha256(i::text::bytea), 1, 16), "
                      "'\\x%s' FROM generate_series(1, 60) i" % fast.code_id.hex())
    assert come(site, fast, KeyPair.new()).value == NOT_NOW
    over = bulk(site, 2)
    site.database.sql("UPDATE bulk_codes SET expires_at = now() WHERE id = '\\x%s'" % over.code_id.hex())
    assert come(site, over, KeyPair.new()).value == EXPIRED
    for words in (("0", "2099-01-01"), ("1001", "2027-01-01"), ("5", "yesterday"), ("5", "2020-01-01"), ("5", "2099-01-01")):
        said = site.server.command("box", "add", "ward", "--bulk", words[0], "--until", words[1])
        assert said.returncode in (64, 65), said


def test_a_key_that_is_a_box_already_takes_no_place_and_a_removed_one_never_comes_back(site):
    code, key = bulk(site, 1), KeyPair.new()
    site.join(site.server.add("one"), key).expect(CERTIFICATE)
    assert come(site, code, key).value == ALREADY
    site.server.remove("one")
    assert come(site, code, key).value == 2
    assert come(site, code, KeyPair.new()).value == WAITING


def test_boxagent_says_its_fingerprint_and_joins_with_the_same_code_once_it_is_approved(site, directory):
    text = site.server.ok("box", "add", "ward", "--bulk", "2", "--until",
                          time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3_600)))
    box = Box(directory / "box", directory / "air").start()
    try:
        said = box.command("join", stdin=pipe_with(text.encode()))
        assert said.wait() == 75 and "has not approved this box yet" in said.err
        found, = waiting(site)
        assert found["fingerprint"] in said.err
        site.server.ok("box", "approve", found["fingerprint"])
        box.command("join", stdin=pipe_with(text.encode())).ok()
        box.wait_until(lambda: info(box)["head_number"] is not None)
    finally:
        box.stop()


def test_a_ward_makes_and_approves_for_its_own_groups_alone(site):
    open_socket(site.server)
    site.server.ok("admin", "add", "ward", "--role", "ward", "--account", "lp", "--group", "7")
    site.server.ok("admin", "add", "viewer", "--role", "viewer", "--account", "games")
    ward, viewer = Asker(site.server, "lp"), Asker(site.server, "games")
    key = KeyPair.new()
    come(site, bulk(site, 2, "--group", "1"), key)
    wanted = bytes.fromhex(hashlib.sha256(b"boxlink-site-box-fingerprint-1" + key.public).hexdigest())[:16]
    reply, = ward.ask("bulk", action="approve", groups=b"", fingerprints=wanted)
    assert reply["kind"] == "not-found", reply
    assert [each for each in ward.ask("bulk", action="waiting", groups=b"", fingerprints=b"") if each["type"] == "waiting-box"] == []
    reply, = viewer.ask("bulk", action="approve", groups=b"", fingerprints=wanted)
    assert reply["kind"] == "not-permitted"
    reply, = ward.ask("bulk", action="add", name="x", places=2, until=int(time.time()) + 60, groups=b"\0\1", fingerprints=b"")
    assert reply["kind"] == "not-permitted", reply
