"""A box joins a site with a code, once. Each failure gives a message or a code that helps."""
import subprocess
import time

import pytest

from box import BIN
from independent_phone import KeyPair
from independent_site import Refused
from linked_box import LinkedBox
from site_box import (ALREADY_JOINED, CERTIFICATE, CODE_EXPIRED, CODE_USED, HEAD, REFUSED, REMOVED, Ended, SiteBox)


def test_a_box_joins_with_its_code_and_gets_its_number_groups_and_a_head(site):
    box = LinkedBox(site.box("ward3-1", "--number", "004711", "--group", "7", "--group", "1"))
    box.take_until(lambda: box.head)
    assert box.certificate.box_id == b"004711"
    assert box.certificate.groups == [1, 7]
    assert box.certificate.key == box.link.static.public
    assert 23 * 3600 < box.certificate.expiry - time.time() <= 24 * 3600
    listed = site.server.boxes()["ward3-1"]
    assert (listed["number"], listed["state"], listed["address"]) == ("004711", "joined", "127.0.0.1")


def test_a_box_links_again_by_its_key_alone(site):
    box = site.box("one")
    box.expect(CERTIFICATE)
    box.close()
    again = site.link(box)
    assert again.expect(CERTIFICATE).key == box.static.public
    again.expect(HEAD)


def test_a_code_is_good_once(site):
    code = site.server.add("one")
    site.join(code, KeyPair.new()).expect(CERTIFICATE)
    assert site.join(code, KeyPair.new()).expect(REFUSED) == CODE_USED


def test_a_box_whose_answer_was_lost_joins_again_with_the_same_code_and_key(site):
    code, key = site.server.add("one"), KeyPair.new()
    site.join(code, key).drop()
    site.server.wait_until(lambda: site.server.boxes()["one"]["state"] == "joined")
    site.join(code, key).expect(CERTIFICATE)


def test_a_code_that_is_too_old_joins_nobody(site):
    code = site.server.add("one", "--hours", "1")
    site.database.sql("UPDATE join_codes SET expires_at = now() - interval '1 second'")
    assert site.join(code, KeyPair.new()).expect(REFUSED) == CODE_EXPIRED


def test_the_code_of_a_box_that_was_removed_before_it_joined_joins_nobody(site):
    code = site.server.add("one")
    site.server.remove("one")
    assert site.join(code, KeyPair.new()).expect(REFUSED) == CODE_USED


def test_a_key_joins_one_box_only(site):
    box = site.box("one")
    box.expect(CERTIFICATE)
    assert site.join(site.server.add("two"), box.static).expect(REFUSED) == ALREADY_JOINED
    site.server.remove("one")
    assert site.join(site.server.add("three"), box.static).expect(REFUSED) == REMOVED


def test_a_code_with_another_secret_is_refused_in_the_handshake_and_says_nothing_of_the_code(site):
    code = site.server.add("one")
    code.secret = bytes(32)
    forged = SiteBox(KeyPair.new(), code=code)
    forged.connect("127.0.0.1", site.server.port)
    with pytest.raises((Ended, Refused)):
        forged.join()
    assert site.server.boxes()["one"]["state"] == "invited"
    site.boxes.append(forged)


def test_a_box_does_not_believe_a_server_of_another_root(site):
    code = site.server.add("one")
    code.root = bytes(31) + b"\1"
    box = SiteBox(KeyPair.new(), code=code)
    site.boxes.append(box)
    with pytest.raises(Refused, match="other root"):
        box.connect("127.0.0.1", site.server.port)


@pytest.mark.parametrize("words, says, status", [
    (["box", "add", "one"], "box one already exists", 65),
    (["box", "add", "two", "--number", "004711"], "box one already has the number 004711", 65),
    (["box", "add", "two", "--number", "4711"], "six digits", 65),
    (["box", "add", "a name"], "not a valid name for a box", 65),
    (["box", "add", "two", "--group", "0"], "groups", 65),
    (["box", "add", "two", "--hours", "169"], "--hours takes a whole number from 1 to 168", 64),
    (["box", "remove", "nobody", "--yes"], "there is no box nobody", 1),
    (["box", "remove", "one"], "add --yes", 64),
])
def test_what_cannot_be_done_is_said_with_what_to_do(site, words, says, status):
    site.server.add("one", "--number", "004711")
    done = site.server.command(*words)
    assert done.returncode == status and says in done.stderr, (done.returncode, done.stderr)


def test_name_and_number_of_a_removed_box_can_be_given_again(site):
    site.server.add("one", "--number", "004711")
    site.server.remove("one")
    site.server.add("one", "--number", "004711")
    assert site.server.boxes()["one"]["state"] == "invited"


def test_a_second_init_changes_nothing(site):
    before = [(path.name, path.read_bytes()) for path in sorted(site.server.state.iterdir())]
    other = site.directory / "other-root"
    other.mkdir()
    done = subprocess.run([BIN / "boxsite", "init", "--config", site.server.config, "--root-directory", other],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 70 and "issuers.key" in done.stderr, done.stderr
    assert not list(other.iterdir())
    assert [(path.name, path.read_bytes()) for path in sorted(site.server.state.iterdir())] == before


def test_a_server_with_other_keys_than_the_site_documents_signs_nothing_and_says_so(site):
    site.server.stop()
    (site.server.state / "issuers.key").write_bytes(bytes(range(128)))
    site.server.start()
    site.server.running.wait_for("lists no key of this server for boxes, phones, revocations, servers")
    done = site.server.command("status")
    assert done.returncode == 1 and "signing" in done.stdout and "to do: this server lacks the keys" in done.stdout


def test_a_key_file_that_others_can_read_is_refused(site):
    site.server.stop()
    (site.server.state / "site.secret").chmod(0o640)
    site.server.start(wait=False)
    assert site.server.running.wait() == 69
    assert "chmod 600" in site.server.running.err
