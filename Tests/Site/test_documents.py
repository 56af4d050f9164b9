"""Site documents that are published, and those that are refused. Also files with issuers' keys that are not valid."""
import os
import random
import shutil
import subprocess
import time

import pytest

from box import BIN
from deadline import Deadline
from independent_phone import KeyPair
from independent_site import GrantText, phone_text
from linked_box import LinkedBox
from postgres import PROGRAMS, Postgres
from site_root import Request, Root, document_text, drop_all, read_document_text
from site_server import Site
from wrong_clock import WrongClock

DAY = 86_400


@pytest.fixture
def root(site):
    return Root(site)


def present(site):
    return read_document_text(site.server.ok("document", "show"))


def linked(site, name):
    box = LinkedBox(site.box(name))
    return box.take_until(lambda: box.head)


def test_new_issuers_are_in_a_file_of_their_own_and_the_same_request_comes_again_until_it_is_published(site, root):
    first = site.server.command("issuers", "new")
    assert "New keys are in issuers-2.key" in first.stderr
    file = site.server.state / "issuers-2.key"
    assert file.stat().st_mode & 0o777 == 0o600 and file.stat().st_size == 128
    ids = [line.split()[1] for line in first.stderr.splitlines() if "until" in line]
    assert len(ids) == 4
    again = site.server.command("issuers", "new")
    assert Request.read(again.stdout).issuers[0][1] == Request.read(first.stdout).issuers[0][1]
    assert "which no document lists yet" in again.stderr
    other = Request.read(site.server.ok("issuers", "new", "--replace", "--days", "30"))
    assert other.issuers[0][1] != Request.read(first.stdout).issuers[0][1]
    assert 29 * DAY < other.issuers[0][2] - time.time() <= 30 * DAY + 60
    root.publish(root.sign(request=other.text))
    done = site.server.command("issuers", "new")
    assert done.returncode == 65 and "valid keys of both files" in done.stderr
    listed = present(site)
    assert len(listed.issuers) == 8
    # A year later: the older keys are dropped, and the next keys use their file.
    old = [key_id.hex() for key_id, (_, _, expiry) in listed.issuers.items() if expiry - time.time() > 31 * DAY]
    root.publish(root.sign(*[word for each in old for word in ("--drop", each)]))
    assert "New keys are in issuers.key" in site.server.command("issuers", "new").stderr
    assert "issuers new" in site.database.sql("SELECT event FROM audit_entries")


def test_from_the_second_year_on_the_file_of_the_expired_issuers_is_free(site, root):
    first = present(site)
    text = site.server.ok("issuers", "new")
    root.publish(root.sign(request=text))
    root.publish(root.sign(*drop_all(first)))
    # The end of a year: the document still lists the older keys, which expire now.
    soon = int(time.time()) + 3
    old = [(role, key, soon) for role, key, _ in first.issuers.values()]
    root.publish(root.sign(request=Request(Request.read(text).site, old).text))
    assert len(present(site).issuers) == 8
    deadline = Deadline(30)
    while (done := site.server.command("issuers", "new")).returncode == 65 and not deadline.is_over():
        assert "valid keys of both files" in done.stderr
    assert done.returncode == 0 and "New keys are in issuers.key" in done.stderr, done.stderr


def test_the_request_and_the_document_survive_a_server_that_is_killed_between_file_and_database(site, root):
    text = site.server.ok("issuers", "new")
    site.server.kill()
    site.server.start()
    assert Request.read(site.server.ok("issuers", "new")).issuers[0][1] == Request.read(text).issuers[0][1]
    root.publish(root.sign(request=text))
    site.server.kill()
    site.server.start()
    assert site.server.command("status").returncode == 0 and len(present(site).issuers) == 8


def test_what_is_shown_in_words_before_it_is_signed(site, root):
    asked = site.server.ok("issuers", "new")
    old = present(site)
    dropped = next(key_id.hex() for key_id, (role, _, _) in old.issuers.items() if role == 1)
    done = root.command("sign", "--root-key", root.key, "--document", root.file(root.present()), "--drop", dropped[:6],
                        "--generation", "--yes", root.file(asked))
    assert done.returncode == 0
    assert "document 1.1 becomes 1.2" in done.stderr and "Generation 1.2 starts" in done.stderr
    line, = [line for line in done.stderr.splitlines() if dropped in line]
    assert "dropped" in line and line.startswith("boxes")
    assert done.stderr.count("added") == 4 and done.stderr.count("stays") == 3
    assert len(done.stdout.splitlines()) == 1
    # Without a terminal, the command cannot ask for confirmation, so it demands --yes.
    silent = root.command("sign", "--root-key", root.key, "--document", root.file(root.present()), root.file(asked))
    assert silent.returncode == 64 and "--yes" in silent.stderr and not silent.stdout


RUBBISH = {"nothing": "", "words": "hello\n", "a request": None, "zeros": "boxsite-document:1/" + "A" * 200,
           "another version": "boxsite-document:2/AAAA", "noise": random.Random(42).randbytes(3000).hex(),
           "too long": "boxsite-document:1/" + "A" * 4000}


@pytest.mark.parametrize("name", RUBBISH)
def test_rubbish_is_no_document(site, root, name):
    text = RUBBISH[name] if RUBBISH[name] is not None else site.server.ok("issuers", "new")
    before = present(site).bytes
    for done in [site.server.command("document", "publish", root.file(text)),
                 root.command("sign", "--root-key", root.key, "--document", root.file(text), "--generation", "--yes")]:
        assert done.returncode == 65 and "boxsite-document:1/" in done.stderr + "boxsite-document:1/", done.stderr
        assert done.stderr.count("\n") <= 2 and not done.stdout
    assert present(site).bytes == before and site.server.command("status").returncode == 0


def test_a_document_with_any_byte_changed_is_not_published(site, root):
    good = read_document_text(root.sign(request=site.server.ok("issuers", "new"))).bytes
    seeded = random.Random(42)
    for index in sorted(seeded.sample(range(len(good)), 12)):
        bad = bytearray(good)
        bad[index] ^= 1 << seeded.randrange(8)
        done = site.server.command("document", "publish", root.file(document_text(bytes(bad))))
        assert done.returncode == 65, (index, done.stderr)
    assert present(site).version & 0xFFFF_FFFF == 1


def test_another_sites_document_and_keys_are_refused(site, root, directory, postgres):
    postgres.run(PROGRAMS / "createdb", "-h", postgres.sockets, "-U", "boxsite", "other")
    other = Site(directory / "other", postgres)
    server = other.make_server()
    other.write_configs()
    server.config.write_text(server.config.read_text().replace('dbname = "boxsite"', 'dbname = "other"'))
    subprocess.run([BIN / "boxsite", "init", "--config", server.config, "--root-directory", other.root], check=True,
                   capture_output=True)
    server.start()
    try:
        theirs = Root(other)
        foreign = theirs.sign(request=server.ok("issuers", "new"), document=server.ok("document", "show"))
        assert "belongs to another site" in root.refused(foreign)
        for words, says in [
                (["sign", "--root-key", theirs.key, "--document", root.file(root.present()), "--generation"], "did not sign this document"),
                (["sign", "--root-key", root.next_key, "--document", root.file(root.present()), "--generation"],
                 "perhaps you gave the next root key by mistake"),
                (["succeed", "--next-root-key", theirs.next_key, "--new-next-root", root.directory / "new", "--document",
                  root.file(root.present())], "not the key of this document's next root"),
                (["sign", "--root-key", root.key, "--document", root.file(root.present()),
                  root.file(server.ok("issuers", "new"))], "different sites")]:
            done = root.command(*words, "--yes")
            assert done.returncode == 65 and says in done.stderr, done.stderr
            assert not done.stdout
        assert not (root.directory / "new").exists()
    finally:
        server.stop()


def test_an_older_document_and_one_on_top_of_an_older_one_are_refused_and_the_same_one_again_is_not(site, root):
    first = root.present()
    asked = site.server.ok("issuers", "new")
    second = root.sign(request=asked)
    assert "published site document 1.2" in root.publish(second)
    assert "is already published" in root.publish(second)
    assert "older than the current one" in root.refused(first)
    assert "contradicts the current one" in root.refused(root.sign("--generation", document=first))
    third = root.sign("--generation")
    assert "starts generation 1.2" in root.publish(third)
    assert "older than the current one" in root.refused(second)
    assert "of an earlier generation" in root.refused(root.sign(*drop_all(present(site))[:2], document=second))
    assert site.database.sql("SELECT count(*) FROM site_documents") == "3"


def test_of_two_administrators_who_publish_at_once_one_is_told_no(site, root):
    second = site.add_server()
    base = root.present()
    asked = site.server.ok("issuers", "new")
    texts = [root.sign(request=asked, document=base), root.sign("--drop", drop_all(present(site))[1], request=asked, document=base)]
    (second.state / "issuers-2.key").write_bytes((site.server.state / "issuers-2.key").read_bytes())
    (second.state / "issuers-2.key").chmod(0o600)
    running = [subprocess.Popen([BIN / "boxsite", "document", "publish", root.file(text), "--socket", server.run / "control.sock"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for text, server in zip(texts, site.servers)]
    said = [each.communicate() for each in running]
    assert sorted(each.returncode for each in running) == [0, 65], said
    assert "contradicts" in "".join(error for _, error in said)
    newest = present(site)
    for server in site.servers:
        server.wait_until(lambda server=server: server.status()["document"] == newest.version)
        server.wait_until(lambda server=server: not server.status()["doubt"])


def test_an_administrator_whose_server_died_in_the_commit_publishes_again(site, root):
    text = root.sign("--generation")
    site.database.sql(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$")
    site.database.sql("CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON site_documents DEFERRABLE INITIALLY DEFERRED "
                      "FOR EACH ROW EXECUTE FUNCTION wait()")
    asking = subprocess.Popen([BIN / "boxsite", "document", "publish", root.file(text), "--socket", site.server.run / "control.sock"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    site.server.wait_until(lambda: site.database.sql(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT' AND wait_event = 'PgSleep'"))
    site.server.kill()
    assert asking.wait() == 69
    site.server.wait_until(lambda: site.database.sql("SELECT count(*) FROM site_documents") == "2")
    site.database.sql("DROP TRIGGER wait ON site_documents")
    site.server.start()
    assert "is already published" in root.publish(text)
    assert present(site).generation & 0xFFFF_FFFF == 2


def test_a_publication_whose_commit_has_no_end_is_said_and_the_same_command_settles_it(site, root):
    text = root.sign("--generation")
    site.database.sql(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$")
    site.database.sql("CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON site_documents DEFERRABLE INITIALLY DEFERRED "
                      "FOR EACH ROW EXECUTE FUNCTION wait()")
    asking = subprocess.Popen([BIN / "boxsite", "document", "publish", root.file(text), "--socket", site.server.run / "control.sock"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    site.server.wait_until(lambda: site.database.sql(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT' AND wait_event = 'PgSleep'"))
    site.database.kill()
    said = asking.communicate()[1]
    assert asking.returncode == 75, said
    site.database.start()
    site.server.wait_until(lambda: not site.server.status()["doubt"])
    site.database.sql("DROP TRIGGER IF EXISTS wait ON site_documents")
    assert "site document 1.2" in root.publish(text)
    assert site.database.sql("SELECT count(*) FROM site_documents") == "2"


def test_a_new_generation_is_refused_while_phones_would_believe_a_revoked_box_again(site, root):
    linked(site, "stolen")
    site.server.remove("stolen")
    plain = root.sign("--generation")
    said = root.refused(plain)
    assert "signed for removed boxes" in said and "boxsite issuers new" in said
    boxes = next(key_id.hex() for key_id, (role, _, _) in present(site).issuers.items() if role == 1)
    assert boxes in said
    asked = site.server.ok("issuers", "new")
    assert "signed for removed boxes" in root.refused(root.sign("--generation", request=asked))
    assert "1 entries are signed again" in root.publish(root.sign("--generation", "--drop", boxes, request=asked))
    fresh = linked(site, "fresh")
    entry, = fresh.entries
    assert entry.kind == 3 and entry.generation == present(site).generation and fresh.head.number == 1


def test_who_was_revoked_and_added_again_stays_in_while_the_old_phone_stays_out_in_a_new_generation(site, root):
    old = GrantText(site.server.ok("phone", "add", "anna", phone_text(KeyPair.new().public))).grant
    site.server.ok("user", "revoke", "anna", "--yes")
    new = GrantText(site.server.ok("phone", "add", "anna", phone_text(KeyPair.new().public))).grant
    root.publish(root.sign("--generation"))
    box = linked(site, "one")
    with pytest.raises(Exception, match="phone revoked"):
        box.set.check(old)
    box.set.check(new)


def test_what_a_dropped_issuer_of_revocations_had_signed_is_signed_anew_at_once(site, root):
    member = linked(site, "member")
    gone = GrantText(site.server.ok("phone", "add", "anna", phone_text(KeyPair.new().public))).grant
    site.server.ok("user", "revoke", "anna", "--yes")
    member.take_until(lambda: member.head.number == 1)
    stolen = next(key_id.hex() for key_id, (role, _, _) in present(site).issuers.items() if role == 3)
    said = root.publish(root.sign("--drop", stolen, request=site.server.ok("issuers", "new")))
    assert "1 entries are signed again" in said
    member.take_until(lambda: member.head.number == 2)
    assert len(member.entries) == 2
    fresh = linked(site, "fresh")
    assert len(fresh.entries) == 1
    with pytest.raises(Exception, match="user revoked"):
        fresh.set.check(gone)


FILES = {
    "others may read it": (lambda file: file.chmod(0o640), "chmod 600"),
    "a link": (lambda file: (file.rename(file.with_name("elsewhere")), file.symlink_to(file.with_name("elsewhere"))), "symbolic"),
    "a link to nothing": (lambda file: (file.unlink(), file.symlink_to("/nowhere")), "symbolic"),
    "a directory": (lambda file: (file.unlink(), file.mkdir()), "not a regular file"),
    "too short": (lambda file: file.write_bytes(bytes(127)), "exactly 128 bytes"),
    "too long": (lambda file: file.write_bytes(bytes(129)), "exactly 128 bytes"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_issuers_that_is_not_as_it_should_be_is_said_and_the_server_goes_on(site, name):
    spoil, says = FILES[name]
    site.server.ok("issuers", "new")
    spoil(site.server.state / "issuers-2.key")
    done = site.server.command("issuers", "new")
    assert done.returncode == 70 and "issuers-2.key" in done.stderr and says in done.stderr.lower(), done.stderr
    assert site.server.command("status").returncode == 0
    site.server.stop()
    site.server.start(wait=False)
    site.server.running.wait_for(says if says != "symbolic" else "issuers-2.key")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_with_issuers_of_another_user_is_refused(site):
    site.server.ok("issuers", "new")
    os.chown(site.server.state / "issuers-2.key", 65_534, 65_534)
    done = site.server.command("issuers", "new")
    assert done.returncode == 70 and "belongs to another user" in done.stderr, done.stderr


def test_a_roots_key_that_others_may_read_signs_nothing(site, root):
    document = root.file(root.present())
    root.key.chmod(0o644)
    done = root.command("sign", "--root-key", root.key, "--document", document, "--generation", "--yes")
    assert done.returncode == 65 and "chmod 600" in done.stderr and not done.stdout
    root.key.chmod(0o600)
    shutil.copy(root.key, root.directory / "next")
    done = root.command("succeed", "--next-root-key", root.next_key, "--new-next-root", root.directory / "next", "--document",
                        document, "--yes")
    assert done.returncode == 65 and "a current root" in done.stderr and not done.stdout


def test_the_file_for_a_new_next_root_is_made_once_and_taken_again(site, root):
    document, file = root.file(root.present()), root.directory / "third.key"
    words = ["succeed", "--next-root-key", root.next_key, "--new-next-root", file, "--document", document, "--yes"]
    first, again = root.command(*words), root.command(*words)
    assert first.returncode == again.returncode == 0 and first.stdout == again.stdout
    assert file.stat().st_size == 32 and file.stat().st_mode & 0o777 == 0o600
    assert "already existed" in again.stderr


def test_the_database_keeps_every_document_and_the_audit_says_who_published_it(site, root):
    root.publish(root.sign(*drop_all(present(site)), request=site.server.ok("issuers", "new")))
    assert site.database.sql("SELECT count(*) FROM site_documents") == "2"
    said = site.database.sql("SELECT actor, detail FROM audit_entries WHERE event = 'document publish'")
    assert said.startswith("root|") and "version 1.2" in said


@pytest.mark.parametrize("seconds", [-20_000 * 86_400, 30_000 * 86_400])
def test_no_site_is_founded_by_clocks_that_cannot_be_right_or_that_differ(directory, seconds):
    database = Postgres(directory / "one").start()
    site = Site(directory / "site", database)
    server = site.make_server()
    site.write_configs()
    clock = WrongClock(site, directory, is_founded=False)

    def found():
        return subprocess.run([BIN / "boxsite", "init", "--config", server.config, "--root-directory", site.root],
                              capture_output=True, text=True, check=False, env=server.environment)

    clock.set(seconds)
    done = found()
    assert done.returncode != 0 and "which cannot be right" in done.stderr, done.stderr
    clock.file.write_text("3600\n")
    done = found()
    assert done.returncode != 0 and "this machine's clock" in done.stderr, done.stderr
    assert not list(site.root.iterdir()) and not list(server.state.iterdir())
    clock.set(0)
    done = found()
    assert done.returncode == 0, done.stderr
    database.remove()
