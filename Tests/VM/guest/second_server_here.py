"""A second server of the site in this guest. It reaches PostgreSQL over the network, as docs/how-to/run-a-site.md describes: it
verifies a certificate and sends a password."""

import json
import os
import pathlib
import shutil
import subprocess

import guide
import pexpect
import site_here
from deadline import slowness
from machine import Failed, run, wait_until

SECTION = "Add a second server"
NAME, ADDRESS = "one.example.org", "192.0.2.11"
STATE, RUN = "/var/lib/boxsite-2", "/run/boxsite-2"
FILE = pathlib.Path("/etc/boxsite/second.toml")
CERTIFICATE, KEY = "/etc/boxsite/postgresql.pem", "/etc/boxsite/postgresql.key"
POSTGRESQL = pathlib.Path("/etc/postgresql") / site_here.VERSION / "main"
UNIT = "boxsited-2"


def append(file, line):
    with open(file, "a", encoding="utf-8") as text:
        text.write(line + "\n")


def certify(name, certificate=CERTIFICATE, key=KEY):
    """Makes the certificate that the guide requires on a database machine."""
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=" + name,
        "-addext", "subjectAltName=DNS:" + name, "-out", certificate, "-keyout", key, seconds=60)
    shutil.chown(key, "postgres", "postgres")
    os.chmod(certificate, 0o644)


def let_come(listen, allow, password, restart):
    """Prepares the database for the second server. A connection from this machine to 192.0.2.10 also has that source address."""
    certify(NAME)
    for line in (guide.done(listen), "ssl_cert_file = '%s'" % CERTIFICATE, "ssl_key_file = '%s'" % KEY):
        append(POSTGRESQL / "postgresql.conf", line)
    append(POSTGRESQL / "pg_hba.conf", guide.done(allow).replace(ADDRESS, site_here.ADDRESS))
    type_password([password], ("Enter new password", "Enter it again"), "a long password")
    guide.type_line(restart)


def type_password(lines, questions, password, changes=()):
    """Types lines of the guide in one shell, and answers their questions with the password. `changes` replaces names in any line."""
    text = "\n".join(map(guide.done, lines))
    for old, new in dict(changes).items():
        if old not in text:
            raise Failed("the guide has no %r in %r any more" % (old, text))
        text = text.replace(old, new)
    typed = pexpect.spawn("bash", ["-ec", text], encoding="utf-8", timeout=60 * slowness())
    for question in questions:
        typed.expect(question)
        typed.sendline(password)
    typed.expect(pexpect.EOF)
    typed.close()
    if typed.exitstatus != 0:
        raise Failed("%r ended with %s: %s" % (text, typed.exitstatus, typed.before))


def configure(database, server, make, edit):
    """Configures the second server next to the first, with its own directories."""
    site_here.take_address(ADDRESS, "lo:2")
    *_, addresses = server
    guide.done(addresses)
    first = pathlib.Path(site_here.CONFIGURATION)
    text = first.read_text()
    old, = [line for line in text.splitlines() if line.startswith("addresses = ")]
    first.write_text(text.replace("\n%s\n" % old, '\n%s\nlisten = "%s:4711"\n' % (addresses, site_here.ADDRESS)))
    FILE.write_text("\n".join([*map(guide.done, database), "", *map(guide.done, server), 'listen = "%s:4711"' % ADDRESS,
                               'state_directory = "%s"' % STATE, 'runtime_directory = "%s"' % RUN, ""]))
    guide.type_line(make)
    guide.done(edit)
    append("/etc/boxsite/pgpass", "%s:5432:boxsite:boxsite:a long password" % NAME)
    for directory in (STATE, RUN):
        run("install", "-d", "-o", "boxsite", "-g", "boxsite", "-m", "0700", directory)
    for name in ("issuers.key", "issuers-2.key", "site.secret"):
        if pathlib.Path("/var/lib/boxsite", name).exists():
            run("install", "-o", "boxsite", "-g", "boxsite", "-m", "0600", "/var/lib/boxsite/" + name, STATE)


def start():
    run("systemd-run", "--quiet", "--collect", "--unit=" + UNIT, "-p", "User=boxsite", "boxsited", "--config", FILE)


def status():
    """Returns the second server's status while it signs, otherwise None."""
    done = subprocess.run(["boxsite", "status", "--json", "--socket", RUN + "/control.sock"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)
    said = json.loads(done.stdout) if done.stdout else {"doubt": "it does not answer"}
    return said if said["doubt"] is None else None


def encrypted():
    """Returns how many servers' connections to PostgreSQL are encrypted."""
    return int(run("runuser", "-u", "postgres", "--", "psql", "-At", "-c", "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity "
                   "USING (pid) WHERE ssl AND usename = 'boxsite'").stdout)


def set_up():
    listen, allow, password, restart, *configuration, make, edit, enable, look = guide.lines(SECTION)
    if (enable, look) != tuple(guide.lines("Start the server")):
        raise Failed("the guide starts the second server in another way than the first")
    at = configuration.index("[server]")
    let_come(listen, allow, password, restart)
    configure(configuration[:at], configuration[at:], make, edit)
    run("systemctl", "restart", "boxsited", seconds=60)
    wait_until(lambda: site_here.signs(site_here.look()), 60, of="the first server signs")
