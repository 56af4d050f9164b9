"""A second PostgreSQL in this guest, as a cluster at its own address: the standby of docs/how-to/run-a-site.md, typed line by line. The
guide's two machines are two clusters, main and two, so their paths and sockets differ from the guide's."""

import os
import pathlib
import shutil

import guide
import second_server_here as server
import site_here
from machine import run, wait_until

ADDRESS, NAME = "192.0.2.20", "two.example.org"
CONFIGURATION = pathlib.Path("/etc/postgresql") / site_here.VERSION / "two"
SOCKETS = {"one": "/var/run/postgresql", "two": "/run/postgresql-two"}
CERTIFICATE, KEY = "/etc/boxsite/postgresql-two.pem", "/etc/boxsite/postgresql-two.key"
BOTH = "/etc/postgresql/databases.pem"
PASSWORD = "another long password"


def prepare():
    """Makes the second machine, and lets each of the two copy the other's database."""
    *allow, named, reload, user = guide.lines("Add a standby database")
    site_here.take_address(ADDRESS, "lo:3")
    run("pg_createcluster", site_here.VERSION, "two", "-p", "5433", seconds=200)
    run("install", "-d", "-o", "postgres", "-g", "postgres", SOCKETS["two"])
    server.certify(NAME, CERTIFICATE, KEY)
    # In this guest the servers' connections to the second address come from there.
    here = "hostssl boxsite boxsite %s/32 scram-sha-256" % ADDRESS
    for line in (*map(guide.done, allow), here):
        server.append(server.POSTGRESQL / "pg_hba.conf", line)
    shutil.copy(server.POSTGRESQL / "pg_hba.conf", CONFIGURATION / "pg_hba.conf")
    server.append(server.POSTGRESQL / "postgresql.conf", named.replace("'two'", "'one'"))
    for line in ("port = 5432", "listen_addresses = '%s'" % ADDRESS, "unix_socket_directories = '%s'" % SOCKETS["two"],
                 "ssl_cert_file = '%s'" % CERTIFICATE, "ssl_key_file = '%s'" % KEY, guide.done(named)):
        server.append(CONFIGURATION / "postgresql.conf", line)
    pathlib.Path(BOTH).write_text("".join(pathlib.Path(each).read_text() for each in (server.CERTIFICATE, CERTIFICATE)))
    guide.type_line(reload)
    # Debian's createuser would choose one of the two clusters by itself.
    server.type_password([user], ("Enter password", "Enter it again"), PASSWORD, {"createuser": "createuser -h " + SOCKETS["one"]})


def copy(primary, standby):
    """Types the guide's copy, which is from one to two, in this direction, and waits until the standby keeps up."""
    stop, move, *copying, start, reset, again, name, reload, look, remove = guide.lines("Copy the primary")
    cluster = site_here.VERSION + " " + {"one": "main", "two": "two"}[standby]
    directory = {"VERSION/main": cluster.replace(" ", "/")}
    at_standby, at_primary = {"VERSION main": cluster}, {"psql": "psql -h " + SOCKETS[primary]}
    guide.type_line(stop, at_standby, status=None)
    guide.type_line(move, directory)
    server.type_password(copying, ("Password:",), PASSWORD, {
        **directory, "host=one.": "host=%s." % primary, "=192.0.2.10": "=192.0.2." + {"one": "10", "two": "20"}[primary]})
    guide.type_line(start, at_standby)
    guide.type_line(reset, {"psql": "psql -h " + SOCKETS[standby]})
    guide.type_line(again, at_standby)
    guide.type_line(name, {**at_primary, "'two'": "'%s'" % standby})
    guide.type_line(reload)
    wait_until(lambda: [each.split() for each in guide.type_line(look, at_primary).splitlines() if standby in each]
               == [[standby, "|", "sync"]], 60, of="the standby keeps up")
    guide.type_line(remove, directory)


def promote(standby, lost):
    """Takes the primary's machine away, and types what the guide has for that."""
    cluster = {name: site_here.VERSION + " " + each for name, each in (("one", "main"), ("two", "two"))}
    off, promotion = guide.lines("Promote the standby")
    guide.type_line(off, {off: "pg_ctlcluster %s stop -m immediate" % cluster[lost]})
    guide.type_line(promotion, {"VERSION main": cluster[standby]})


def use_both():
    """Names both databases in the second server's [database] table. Each has a certificate and a line in the password file."""
    text = server.FILE.read_text()
    for line in guide.lines("Let the servers use both databases"):
        key = line.split(" = ")[0]
        old, = [each for each in text.splitlines() if each.startswith(key + " = ")]
        text = text.replace(old + "\n", guide.done(line) + "\n")
    server.FILE.write_text(text)
    server.append("/etc/boxsite/pgpass", "%s:5432:boxsite:boxsite:a long password" % NAME)
    shutil.copy(BOTH, server.CERTIFICATE)
    os.chmod(server.CERTIFICATE, 0o644)


def accept_loss():
    text = server.FILE.read_text()
    server.FILE.write_text(text.replace("[database]\n", "[database]\naccept_loss = true\n"))
