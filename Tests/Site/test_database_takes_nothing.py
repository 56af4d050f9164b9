"""A database that is read-only, or whose disk is full. Nothing acknowledged is lost, and boxes stay linked."""
import errno
import os
import subprocess

import pytest

from independent_phone import KeyPair
from linked_box import LinkedBox
from postgres import PROGRAMS, Postgres
from site_box import CERTIFICATE, JoinCode
from site_server import Site
from test_database import linked

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give PostgreSQL a small disk")
DISK = 96 << 20


def test_a_database_that_may_only_be_read_changes_nothing_and_says_so(site):
    box = linked(site, "one")
    site.database.sql("ALTER SYSTEM SET default_transaction_read_only = on")
    site.database.sql("SELECT pg_reload_conf()")
    done = site.server.command("box", "add", "two")
    assert done.returncode == 75 and "read-only" in done.stderr, done
    # The server continues to serve boxes from memory, and may still read over an earlier connection.
    again = LinkedBox(site.link(box.link))
    again.take_until(lambda: again.head)
    # A read-only session can still change that setting.
    site.database.run(PROGRAMS / "psql", "-h", site.database.sockets, "-U", "boxsite", "-X", "-q",
                      "-c", "SET default_transaction_read_only = off", "-c", "ALTER SYSTEM RESET default_transaction_read_only",
                      "-c", "SELECT pg_reload_conf()", "boxsite")
    site.server.wait_until(lambda: not site.server.status()["doubt"])
    assert "two" not in site.server.boxes()
    added = site.server.wait_until(lambda: (done := site.server.command("box", "add", "two")).returncode == 0 and done.stdout.strip())
    site.join(JoinCode(added), KeyPair.new()).expect(CERTIFICATE)


@pytest.fixture
def small_disk(directory):
    place = directory / "one"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % DISK, "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def fill(place):
    file = place / "ballast"
    with open(file, "wb", buffering=0) as ballast:
        size = 1 << 20
        while size:
            try:
                ballast.write(bytes(size))
            except OSError as error:
                assert error.errno == errno.ENOSPC
                size //= 16
    return file


@needs_root
def test_a_full_disk_is_said_loses_nothing_that_was_acknowledged_and_is_over_when_there_is_room(small_disk, directory):
    database = Postgres(small_disk).start()
    site = Site(directory / "site", database).found()
    try:
        box = linked(site, "one")
        ballast = fill(small_disk)
        acknowledged, said = ["one"], None
        for number in range(2_000):
            done = site.server.command("box", "add", "box%d" % number)
            if done.returncode != 0:
                said = done
                break
            acknowledged.append("box%d" % number)
        assert said and "database" in said.stderr, said
        again = LinkedBox(site.link(box.link))
        again.take_until(lambda: again.head)
        ballast.unlink()
        # PostgreSQL exits if it cannot write its log, and its supervisor restarts it.
        if database.process.poll() is not None:
            database.start()
        site.server.wait_until(lambda: not site.server.status()["doubt"], timeout=60)
        assert set(acknowledged) <= set(site.server.boxes())
        linked(site, "later")
        site.server.remove("later")
        again.take_until(lambda: again.head.number == 1)
        site.join(site.server.add("last"), KeyPair.new())
    finally:
        site.stop()
        database.remove()
