"""The database is away, killed, failed over and restored. Acknowledged changes stay, and boxes are not cut off."""
import os

from independent_phone import KeyPair
from independent_site import phone_text
from linked_box import LinkedBox
from site_box import CERTIFICATE, NOT_NOW, REFUSED

KILLS = int(os.environ.get("SITE_KILLS", "5"))


def linked(site, name):
    box = LinkedBox(site.box(name))
    return box.take_until(lambda: box.head)


def test_links_stay_while_the_database_is_away_and_go_on_when_it_is_back(site):
    box = linked(site, "one")
    code = site.server.add("two")
    site.database.kill()
    site.server.wait_until(lambda: site.server.status()["doubt"])
    done = site.server.command("box", "add", "three")
    assert done.returncode == 75 and "database" in done.stderr, done.stderr
    assert site.join(code, KeyPair.new()).expect(REFUSED) == NOT_NOW
    site.database.start()
    site.server.wait_until(lambda: not site.server.status()["doubt"])
    site.join(code, KeyPair.new()).expect(CERTIFICATE)
    linked(site, "lost")
    site.server.remove("lost")
    box.take_until(lambda: box.head.number == 1)


def test_a_database_that_answers_nothing_holds_up_no_box_that_is_linked(site):
    member = linked(site, "one")
    site.database.freeze()
    site.server.wait_until(lambda: site.server.status()["doubt"])
    again = LinkedBox(site.link(member.link))
    # The server still sends an earlier signed status, but no certificate: it needs the time, which only the database tells.
    again.take_until(lambda: again.head)
    site.database.thaw()
    site.server.wait_until(lambda: not site.server.status()["doubt"])


def test_a_server_waits_for_its_database_at_its_start(site):
    site.server.stop()
    site.database.kill()
    site.server.start(wait=False)
    site.server.running.wait_for("cannot be reached")
    site.database.start()
    site.server.running.wait_for("ready")


def test_a_restored_backup_is_repaired_by_a_box_that_has_more(site):
    member = linked(site, "member")
    linked(site, "early")
    site.server.remove("early")
    member.take_until(lambda: member.head.number == 1)
    backup = site.database.dump()
    linked(site, "late")
    linked(site, "later")
    site.server.remove("late")
    site.server.remove("later")
    member.take_until(lambda: member.head.number == 3)
    member.link.close()
    site.restore(backup)
    assert site.server.status()["entries"] == 1
    back = LinkedBox(site.link(member.link, number=member.head.number), member.entries, member.head)
    back.take_until(lambda: back.head.number > 3)
    assert site.server.status()["entries"] == 3
    assert "repaired" in site.database.sql("SELECT event FROM audit_entries")
    fresh = linked(site, "fresh")
    assert {entry.subject for entry in fresh.entries} == {entry.subject for entry in member.entries}


def test_nothing_in_the_database_lets_anybody_join_or_sign(site):
    code = site.server.add("one")
    phone = KeyPair.new()
    site.server.ok("phone", "add", "anna", phone_text(phone.public), "--label", "blue")
    dump = site.database.dump().lower()
    keys = (site.server.state / "issuers.key").read_bytes()
    secrets = [code.secret, (site.server.state / "site.secret").read_bytes(), (site.server.state / "server.key").read_bytes(),
               *[keys[start:start + 32] for start in range(0, 128, 32)],
               *[(site.root / name).read_bytes() for name in ("root.key", "next-root.key")]]
    assert code.code_id.hex() in dump and phone.public.hex() in dump
    for secret in secrets:
        assert secret.hex() not in dump
    log = (site.directory / "server0").glob("boxsited-*")
    for path in log:
        for secret in secrets:
            assert secret not in path.read_bytes() and secret.hex() not in path.read_text()


def fail_over(site, directory):
    """Kills the primary, promotes the standby, gives it a standby of its own, and tells the servers."""
    primary, standby = site.databases
    primary.kill()
    standby.thaw()
    standby.promote()
    primary.remove()
    successor = standby.make_standby(directory).start()
    standby.sql("ALTER SYSTEM SET synchronous_standby_names = 'two'")
    standby.sql("SELECT pg_reload_conf()")
    site.databases = [standby, successor]
    site.write_configs()
    for server in site.servers:
        server.wait_until(lambda: not server.status()["doubt"])  # noqa: B023
        server.stop()
        server.start()


def test_no_acknowledged_removal_is_lost_when_the_primary_is_killed(pair, directory):
    site, acknowledged = pair, []
    witness = linked(site, "witness")
    for kill in range(KILLS):
        for number in range(3):
            name = "box%d-%d" % (kill, number)
            box = linked(site, name)
            done = site.server.command("box", "remove", name, "--yes")
            if done.returncode == 0:
                acknowledged.append(box.link.static.public)
        assert len(acknowledged) >= 3 * (kill + 1)
        fail_over(site, directory / ("next%d" % kill))
        revoked = site.database.sql("SELECT encode(content, 'hex') FROM revocations")
        for key in acknowledged:
            assert key.hex() in revoked
        witness = LinkedBox(site.link(witness.link, number=witness.head.number), witness.entries, witness.head)
        witness.take_until(lambda: len(witness.entries) == len(acknowledged))
