"""Monitoring of a site's server: the metrics file as node_exporter reads it, the documented alerts, the alarms of `boxsite status`,
and systemd's watchdog."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import pytest
import yaml

from box import ROOT, PATIENCE
from deadline import Deadline
from independent_phone import KeyPair
from independent_site import phone_text
from linked_box import LinkedBox
from test_site_held import RIGHT, WRONG, Carrier, held_phone, no_delays  # noqa: F401

DOCUMENT = (ROOT / "docs/how-to/monitor.md").read_text()
TYPES = {"counter", "gauge", "histogram"}


def families(text):
    """Parses by OpenMetrics 1.0 and by node_exporter's older rules. Returns the families by name, with type and samples."""
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""], lines[-3:]
    found, current = {}, None
    for line in lines[:-2]:
        match = re.fullmatch(r"# (TYPE|HELP|UNIT) ([a-z_]+) (.+)", line)
        if match and match[1] == "TYPE":
            current = match[2]
            assert match[3] in TYPES and current not in found, line
            found[current] = (match[3], {})
        elif match:
            assert match[2] == current and not found[current][1], line
            assert match[1] == "HELP" or current.endswith("_" + match[3]), line
            assert "\\" not in line and '"' not in line
        else:
            match = re.fullmatch(r'([a-z_]+)(\{[a-z]+="[^"\\]*"\})? (-?[0-9.e+-]+)', line)
            suffixes = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"]}[found[current][0]]
            assert match and match[1] in [current + suffix for suffix in suffixes], line
            assert (match[1] + (match[2] or "")) not in found[current][1], line
            found[current][1][match[1] + (match[2] or "")] = float(match[3])
    return found


def samples(path):
    return {name: value for _, each in families(path.read_text()).values() for name, value in each.items()}


@pytest.fixture
def metrics(site, directory):
    """Restarts the site's server with a metrics file."""
    (directory / "metrics").mkdir()
    path = directory / "metrics" / "boxsite.prom"
    site.server.extra += ["[metrics]", 'file = "%s"' % path]
    site.write_configs()
    restart(site)
    return path


def restart(site):
    site.server.stop()
    site.server.start()


def fresh(site, path):
    """Waits for the next metrics file. Each start of the server writes a file with counters at 0."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    site.server.wait_until(lambda: path.exists() and path.stat().st_mtime_ns > before, timeout=60)
    return samples(path)


def test_the_file_counts_what_has_happened_and_names_nobody(site, metrics):
    site.server.wait_until(metrics.exists)
    first = samples(metrics)
    assert first["boxsite_signing"] == 1 and first['boxsite_boxes_linked{version="same"}'] == 0
    member = LinkedBox(site.box("ward3-member"))
    gone = LinkedBox(site.box("gone"))
    site.server.remove("gone")
    gone.take_until(lambda: gone.refusal)
    site.server.ok("phone", "add", "annabel", phone_text(KeyPair.new().public))
    found = fresh(site, metrics)
    assert found['boxsite_boxes{state="joined"}'] == 1 and found['boxsite_boxes{state="removed"}'] == 1
    # This box reports no version.
    assert found['boxsite_boxes_linked{version="unknown"}'] == 1
    assert found["boxsite_links_total"] == 2 and found["boxsite_links_served_total"] == 2
    assert found['boxsite_links_refused_total{reason="removed"}'] == 1
    assert found["boxsite_grants_total"] == 1 and found["boxsite_head_number"] == 1 and found["boxsite_revocations"] == 1
    assert abs(found["boxsite_head_timestamp_seconds"] - time.time()) < 120
    assert found['boxsite_issuer_expiry_timestamp_seconds{role="boxes"}'] > time.time() + 390 * 86_400
    assert abs(found["boxsite_clock_difference_seconds"]) <= 2
    assert found["boxsite_database_look_duration_seconds_count"] > 10
    assert found['boxsite_standby{state="not-needed"}'] == 1 and found['boxsite_standby{state="missing"}'] == 0
    text = metrics.read_text()
    assert "ward3" not in text and "annabel" not in text and member.link.static.public.hex() not in text
    assert metrics.stat().st_mode & 0o777 == 0o644 and os.listdir(metrics.parent) == [metrics.name]


def test_the_same_series_are_there_whatever_happens(site, metrics):
    site.server.wait_until(metrics.exists)
    before = set(samples(metrics))
    # A box may report any text about itself. None of it becomes a label.
    box = site.box("box")
    box.drop()
    site.server.kill()
    site.server.start()
    assert set(fresh(site, metrics)) == before


@pytest.mark.parametrize("obstacle", ["missing", "file"])
def test_a_file_that_cannot_be_written_is_told_once_and_disturbs_no_box(site, directory, obstacle):
    path = directory / "absent" / "boxsite.prom"
    if obstacle == "file":
        path.parent.write_text("no directory")
    site.server.extra += ["[metrics]", 'file = "%s"' % path]
    site.write_configs()
    restart(site)
    site.server.running.wait_for("metrics: ")
    assert str(path) in site.server.running.err
    box = LinkedBox(site.box("box"))
    box.take_until(lambda: box.head)
    assert site.server.status()["doubt"] is None and site.server.running.err.count("metrics: ") == 1


# A rename(2) that takes a minute, as on a disk that does not answer.
SLOW = r"""
#include <string.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int rename(const char *from, const char *to) {
    if (strstr(to, ".prom")) sleep(60);
    return syscall(SYS_rename, from, to);
}
"""


def test_a_disk_that_does_not_answer_holds_up_no_box(site, metrics, directory):
    source, library = directory / "slow.c", directory / "slow.so"
    source.write_text(SLOW)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    site.server.environment = dict(os.environ, LD_PRELOAD=str(library))
    temporary = metrics.parent / ".boxsite.prom.new"
    restart(site)
    site.server.wait_until(temporary.exists)
    box = LinkedBox(site.box("box"))
    box.take_until(lambda: box.head)
    assert site.server.status()["doubt"] is None and temporary.exists()
    site.server.kill()


def test_a_path_that_node_exporter_does_not_read_is_refused(site, directory):
    site.server.extra += ["[metrics]", 'file = "%s/boxsite.txt"' % directory]
    site.write_configs()
    site.server.stop()
    site.server.start(wait=False)
    site.server.running.wait_for("the value of file is not valid")


def test_the_documented_alerts_are_rules_about_metrics_that_there_are(site, metrics):
    site.server.wait_until(metrics.exists)
    found = families(metrics.read_text())
    names = set(samples(metrics))
    series = {name.split("{")[0] for name in names}
    (group,) = [group for block in re.findall(r"^```yaml\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
                for group in yaml.safe_load(block)["groups"] if group["name"] == "boxsite"]
    assert len({rule["alert"] for rule in group["rules"]}) == len(group["rules"])
    for rule in group["rules"]:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"} and rule["annotations"]["summary"]
        assert rule["labels"]["severity"] in ("info", "warning", "critical")
        expression = rule["expr"]
        for opening, closing in ("()", "[]", "{}"):
            assert expression.count(opening) == expression.count(closing), rule["alert"]
        used = set(re.findall(r"\bboxsite_\w+", re.sub(r'"[^"]*"', '""', expression)))
        assert used <= series, (rule["alert"], used - series)
        for name, label, choice in re.findall(r'(boxsite_\w+)\{(\w+)=~?"([^"]+)"\}', expression):
            for value in choice.split("|"):
                assert '%s{%s="%s"}' % (name, label, value) in names, (rule["alert"], value)
    rows = set(re.findall(r"^\| `(boxsite_\w+)` \| (\w+) \|", DOCUMENT, re.MULTILINE))
    assert rows == {(name + "_total" * (kind == "counter"), kind) for name, (kind, _) in found.items()}
    for label, value in re.findall(r'\{(\w+)="([^"]+)"\}', "\n".join(names)):
        assert label in ("le", "version") and value[0] in "0123456789+" or "`%s`" % value in DOCUMENT, value


# Alarms

def joined(site, name):
    """Returns the link of a box that has joined and has a signed status."""
    box = LinkedBox(site.box(name))
    box.take_until(lambda: box.head)
    return box.link


def test_a_box_that_was_away_for_days_is_an_alarm_until_it_links_again_or_is_removed(site):
    box = joined(site, "ward3-1")
    box.drop()
    joined(site, "ward3-2").drop()
    site.database.sql("INSERT INTO box_contacts SELECT id, now() - interval '8 days', 'boxagentd 0.1.0' FROM boxes")
    restart(site)
    alarm, = site.server.wait_until(lambda: site.server.status()["alarms"])
    assert alarm.startswith("2 boxes have not linked to the site for over 7 days") and "ward3" not in alarm
    shown = site.server.command("status")
    assert shown.returncode == 2 and "to do: 2 boxes have not linked" in shown.stdout
    listed = site.server.boxes()["ward3-1"]
    assert listed["address"] is None and listed["program"] == "boxagentd 0.1.0"
    assert abs(time.time() - 8 * 86_400 - listed["seen"]) < 60
    assert site.server.running.err.count("have not linked") == 1
    # Removed boxes no longer count as missing.
    site.server.remove("ward3-2")
    restart(site)
    alarm, = site.server.wait_until(lambda: site.server.status()["alarms"])
    assert alarm.startswith("a box has not linked")
    site.link(box)
    site.server.wait_until(lambda: site.server.status()["alarms"] == [], timeout=90)
    assert site.server.command("status").returncode == 0


def test_a_box_that_is_linked_is_seen(site):
    site.box("ward3-1")
    assert site.server.boxes()["ward3-1"]["seen"] is None
    row = lambda: site.database.sql("SELECT program || ' ' || (now() - seen_at < interval '2 minutes')::text FROM box_contacts")  # noqa: E731
    site.server.wait_until(lambda: row() == "site_box true", timeout=90)
    assert abs(site.server.boxes()["ward3-1"]["seen"] - time.time()) < 120


def test_boxes_that_joined_before_there_was_a_table_are_no_alarm_at_once(site):
    joined(site, "old").drop()
    site.server.stop()
    site.database.sql("DROP TABLE box_contacts; DROP INDEX phone_credentials_wiped")
    site.database.sql("UPDATE boxes SET joined_at = now() - interval '300 days'")
    # Applies only this migration again, because the later ones cannot be applied twice.
    migration, = (ROOT / "migrations/site").glob("*_box_contacts.sql")
    site.database.sql("SET ROLE boxsite; " + migration.read_text())
    site.server.start()
    assert site.server.boxes()["old"]["seen"] is not None
    assert site.server.status()["alarms"] == []


def test_a_destroyed_password_is_an_alarm_and_a_number(no_delays, metrics):
    site = no_delays
    phone, carrier = held_phone(site), Carrier(site, "one")
    carrier.ask(phone.store, RIGHT, b"secret")
    restart(site)
    carrier = Carrier(site, "one", box=carrier.box, server=site.server)
    for _ in range(5):
        carrier.ask(phone.open, WRONG)
    # A request after the wipe destroys nothing more.
    carrier.ask(phone.open, WRONG)
    found = fresh(site, metrics)
    assert found["boxsite_held_wipes_total"] == 1
    assert found['boxsite_held_requests_total{result="wrong"}'] == 4
    assert found['boxsite_held_requests_total{result="wiped"}'] == 2
    assert site.server.running.err.count("a credential was destroyed") == 1
    restart(site)
    alarm, = site.server.wait_until(lambda: site.server.status()["alarms"])
    assert alarm.startswith("a password was destroyed by wrong PINs in the last 7 days") and "alice" not in alarm
    assert fresh(site, metrics)['boxsite_alarms{kind="wiped"}'] == 1


def test_a_contact_is_written_down_without_waiting_for_a_standby(site):
    """boxsited overrides synchronous_commit for contacts: they may be lost, so they must not wait for a second disk."""
    LinkedBox(site.box("one"))
    site.database.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    site.database.sql("SELECT pg_reload_conf()")
    site.server.wait_until(lambda: site.database.sql("SELECT count(*) FROM box_contacts") == "1", timeout=90)
    assert "could not be counted" not in site.server.running.err


# systemd


class Systemd:
    """systemd's end of a unit's sd_notify(3)."""

    def __init__(self, directory: pathlib.Path):
        self.path = directory / "notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))

    def hear(self, timeout=PATIENCE):
        self.socket.settimeout(timeout)
        try:
            return self.socket.recv(4_096).decode()
        except TimeoutError:
            return None


@pytest.fixture
def systemd(directory):
    made = Systemd(directory)
    yield made
    made.socket.close()


def test_the_watchdog_hears_of_a_server_that_turns_and_not_of_one_that_stands(site, systemd):
    site.server.environment = dict(os.environ, NOTIFY_SOCKET=str(systemd.path), WATCHDOG_USEC="1000000")
    site.server.stop()
    site.server.start()
    assert systemd.hear() == "READY=1"
    deadline = Deadline(PATIENCE)
    for _ in range(3):
        assert systemd.hear(2) == "WATCHDOG=1" and not deadline.is_over()
    os.kill(site.server.running.process.pid, signal.SIGSTOP)
    while systemd.hear(0.2):
        pass
    assert systemd.hear(2) is None
    os.kill(site.server.running.process.pid, signal.SIGCONT)
    assert systemd.hear() == "WATCHDOG=1"


def test_the_unit_asks_for_both():
    unit = (ROOT / "packaging/systemd/boxsited.service").read_text()
    assert "\nType=notify\n" in unit and re.search(r"^WatchdogSec=\d+$", unit, re.MULTILINE)
