"""Several PostgreSQLs: a change needs a standby that has it, unless the administrator accepts its loss."""
import subprocess

import pytest

from box import BIN
from postgres import Postgres
from site_server import Site


@pytest.fixture
def primary(directory):
    made = Postgres(directory / "one").start()
    yield made
    made.remove()


@pytest.fixture
def standby(primary, directory):
    made = primary.make_standby(directory / "two").start()
    yield made
    made.remove()


@pytest.fixture
def pair(primary, standby, directory):
    """A site on a primary that names its standby."""
    name_standby(primary, "two")
    site = Site(directory / "site", primary, standby).found()
    yield site
    site.stop()


def name_standby(primary, name):
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = '%s'" % name)
    primary.sql("SELECT pg_reload_conf()")


def refused(done):
    return done.returncode == 70 and "has no synchronous standby" in done.stderr and "accept_loss = true" in done.stderr


def test_no_site_is_founded_where_no_standby_has_it(primary, standby, directory):
    site = Site(directory / "site", primary, standby)
    server = site.make_server()
    site.write_configs()
    words = [BIN / "boxsite", "init", "--config", server.config, "--root-directory", site.root]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "has no synchronous standby" in done.stderr
    assert primary.sql("SELECT count(*) FROM site_state") == "0" and not list(site.root.iterdir())


def test_nothing_is_changed_while_the_database_names_no_standby_and_boxes_are_served_on(pair):
    site = pair
    member = site.box("member")
    before = site.server.status()
    assert before["standby"] == "named" and before["alarms"] == []
    # The setting changes while a server runs and is connected.
    name_standby(site.database, "")
    site.server.wait_until(lambda: site.server.status()["standby"] == "missing")
    alarm, = site.server.status()["alarms"]
    assert "changes are refused until synchronous_standby_names" in alarm
    shown = site.server.command("status")
    assert shown.returncode == 2 and "to do: the database has no synchronous standby" in shown.stdout
    rows = site.database.sql("SELECT (SELECT changes FROM site_state), (SELECT number FROM audit_head)")
    for words in (("box", "add", "other"), ("box", "remove", "member", "--yes"), ("admin", "add", "anna", "--role", "viewer")):
        assert refused(site.server.command(*words)), words
    assert rows == site.database.sql("SELECT (SELECT changes FROM site_state), (SELECT number FROM audit_head)")
    # A box gets the site's messages as before.
    back = site.link(member)
    assert site.server.boxes()["member"]["state"] == "joined" and not before["doubt"]
    back.drop()
    name_standby(site.database, "two")
    site.server.wait_until(lambda: site.server.status()["standby"] == "named")
    site.server.ok("box", "remove", "member", "--yes")


def test_an_accepted_loss_is_said(pair):
    site = pair
    text = site.server.config.read_text().replace("[database]", "[database]\naccept_loss = true")
    site.server.config.write_text(text)
    name_standby(site.database, "")
    site.server.stop()
    site.server.start()
    site.server.ok("box", "add", "one")
    status = site.server.status()
    assert status["standby"] == "loss-accepted" and "accept_loss allows that" in status["alarms"][0]
    shown = site.server.command("status")
    assert shown.returncode == 2 and "lost if it is lost (accept_loss)" in shown.stdout
    # With a standby nothing is lost, even if the loss is accepted.
    name_standby(site.database, "two")
    site.server.wait_until(lambda: site.server.status()["standby"] == "named")
    assert site.server.status()["alarms"] == []


def test_a_change_waits_for_the_standby_though_the_database_is_set_not_to(pair):
    """boxsited overrides the user's synchronous_commit = off, and acknowledges a change only after the standby has it."""
    site = pair
    primary, standby = site.databases
    primary.sql("ALTER ROLE boxsite SET synchronous_commit = off")
    site.server.stop()
    site.server.start()
    site.box("one")
    standby.freeze()
    done = site.server.command("box", "remove", "one", "--yes", timeout=60)
    assert done.returncode != 0, "acknowledged though no standby has it"
    standby.thaw()
    site.server.wait_until(lambda: "one" not in site.server.boxes())


def test_a_promoted_standby_is_not_changed_until_it_names_one_of_its_own(pair, directory):
    site = pair
    primary, standby = site.databases
    site.box("one")
    primary.kill()
    standby.promote()
    site.server.wait_until(lambda: site.server.status()["standby"] == "missing")
    assert refused(site.server.command("box", "remove", "one", "--yes"))
    successor = standby.make_standby(directory / "three").start()
    name_standby(standby, "two")
    site.server.wait_until(lambda: site.server.status()["standby"] == "named")
    site.server.ok("box", "remove", "one", "--yes")
    successor.remove()


def test_one_database_needs_no_standby(site):
    assert site.server.status()["standby"] == "not-needed"
    assert "kept by one PostgreSQL" in site.server.ok("status")
