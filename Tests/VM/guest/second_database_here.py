"""A second PostgreSQL in this guest, as a cluster at its own address. It stores each change before the change is acknowledged. The
servers' configuration names both, as docs/how-to/run-a-site.md says. The site's second server (second_server_here) uses them."""

import os
import pathlib
import shutil

import guide
import second_server_here as server
import site_here
from machine import run

SECTION = "Add a standby database"
ADDRESS, NAME = "192.0.2.20", "two.example.org"
CONFIGURATION, DATA = pathlib.Path("/etc/postgresql/15/two"), pathlib.Path("/var/lib/postgresql/15/two")
SOCKET = "/run/postgresql-two"
CERTIFICATE, KEY = "/etc/boxsite/postgresql-two.pem", "/etc/boxsite/postgresql-two.key"


def psql(command, socket="/var/run/postgresql"):
    return run("runuser", "-u", "postgres", "--", "psql", "-At", "-h", socket, "-c", command).stdout.strip()


def copy():
    """Makes the standby as chapter 26.2 of PostgreSQL's documentation describes. Replication uses the socket, and all other traffic
    uses the network."""
    site_here.take_address(ADDRESS, "lo:3")
    run("pg_createcluster", "15", "two", "-p", "5433", seconds=200)
    shutil.rmtree(DATA)
    run("runuser", "-u", "postgres", "--", "pg_basebackup", "-R", "-D", str(DATA), "-d", "application_name=two", seconds=200)
    run("install", "-d", "-o", "postgres", "-g", "postgres", SOCKET)
    server.certify(NAME, CERTIFICATE, KEY)
    shutil.copy(server.POSTGRESQL / "pg_hba.conf", CONFIGURATION / "pg_hba.conf")
    server.append(CONFIGURATION / "pg_hba.conf", "hostssl boxsite boxsite %s/32 scram-sha-256" % ADDRESS)
    for line in ("port = 5432", "listen_addresses = '%s'" % ADDRESS, "unix_socket_directories = '%s'" % SOCKET,
                 "ssl_cert_file = '%s'" % CERTIFICATE, "ssl_key_file = '%s'" % KEY):
        server.append(CONFIGURATION / "postgresql.conf", line)
    run("pg_ctlcluster", "15", "two", "start", seconds=100)


def name(lines, socket="/var/run/postgresql", standby="two"):
    """Runs the guide's two lines of SQL on one of the two databases."""
    for line in lines:
        psql(guide.done(line).replace("'two'", "'%s'" % standby), socket)


def use_both(lines):
    """Names both databases in the second server's [database] table. Each has a certificate and a line in the password file."""
    text = server.FILE.read_text()
    for line in lines:
        key = line.split(" = ")[0]
        old, = [each for each in text.splitlines() if each.startswith(key + " = ")]
        text = text.replace(old + "\n", guide.done(line) + "\n")
    server.FILE.write_text(text)
    server.append("/etc/boxsite/pgpass", "%s:5432:boxsite:boxsite:a long password" % NAME)
    with open(server.CERTIFICATE, "a", encoding="utf-8") as all_of_them:
        all_of_them.write(pathlib.Path(CERTIFICATE).read_text())
    os.chmod(server.CERTIFICATE, 0o644)


def accept_loss():
    text = server.FILE.read_text()
    server.FILE.write_text(text.replace("[database]\n", "[database]\naccept_loss = true\n"))
