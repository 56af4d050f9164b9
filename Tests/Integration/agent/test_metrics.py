"""The metrics file as node_exporter reads it. A file that cannot be written affects no login. The documented alerts match it."""

import json
import os
import pathlib
import re

import pytest
import yaml

from box import ROOT

DOCUMENT = (ROOT / "docs/how-to/monitor.md").read_text()


def samples(path: pathlib.Path):
    """Returns the samples: {name with labels: value}."""
    found = {}
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name] = float(value)
    return found


def login(box, phone):
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.command("login").wait()
    program.wait()


@pytest.fixture
def metrics(directory):
    (directory / "metrics").mkdir()
    return directory / "metrics" / "boxagent.prom"


@pytest.fixture
def box(make_box, metrics):
    return make_box(**{"metrics.file": f'"{metrics}"'}).pam_service(users={"alice": b"correct horse"})


def finding(box, name="metrics"):
    done = box.command("doctor", "--json")
    done.wait()
    return next((one for one in json.loads(done.out) if one["name"] == name), None)


def test_logins_count_by_their_verdict_and_the_file_is_whole_when_the_agent_ends(box, metrics):
    box.wait_until(metrics.exists)
    assert samples(metrics)["boxagent_phones_enrolled"] == 0
    phone = box.phone("a").enrol("alice", b"correct horse")
    # A tap alone is not a login. A login counts when a program takes the tap.
    tap = phone.command("login")
    box.wait_until(box.tap_held)
    box.pam("alice").ok()
    tap.ok()
    phone.with_secrets("credentials", "set", password=b"wrong").ok()
    login(box, phone)
    assert finding(box)["level"] == "good"
    box.agent.stop()
    found = samples(metrics)
    assert found['boxagent_logins_total{result="correct"}'] == 1
    assert found['boxagent_logins_total{result="wrong"}'] == 1
    assert found["boxagent_login_duration_seconds_count"] == 2
    assert 0 < found["boxagent_login_duration_seconds_sum"] < 120
    assert found["boxagent_radio_working"] == 1
    assert found["boxagent_phones_enrolled"] == 1
    assert metrics.stat().st_mode & 0o777 == 0o644
    assert os.listdir(metrics.parent) == [metrics.name]
    assert "alice" not in metrics.read_text() and metrics.read_text().endswith("\n# EOF\n")


def test_wrong_pins_and_the_wipe_after_the_tenth_are_counted(box, metrics):
    phone = box.phone("b").enrol("alice", box_held=True)
    phone.with_secrets("credentials", "set", pin=b"4711", password=b"correct horse").ok()
    for _ in range(10):
        phone.with_secrets("login", pin=b"0000").wait()
    box.agent.stop()
    found = samples(metrics)
    assert (found["boxagent_wrong_pins_total"], found["boxagent_wipes_total"]) == (10, 1)
    assert sum(value for name, value in found.items() if name.startswith("boxagent_logins_total")) == 0


@pytest.mark.parametrize("obstacle", ["missing", "file", "long"])
def test_a_file_that_cannot_be_written_is_told_and_disturbs_no_login(make_box, directory, obstacle):
    path = directory / "absent" / "boxagent.prom"
    if obstacle == "file":
        path.parent.write_text("no directory")
    if obstacle == "long":
        # A file name has at most 255 bytes, so the temporary file, whose name is longer than this one, cannot be created.
        path = directory / ("x" * 250 + ".prom")
    box = make_box(**{"metrics.file": f'"{path}"'}).pam_service(users={"alice": b"correct horse"})
    box.agent.wait_for("metrics: ")
    phone = box.phone("a").enrol("alice", b"correct horse")
    tap = phone.command("login")
    box.wait_until(box.tap_held)
    box.pam("alice").ok()
    tap.ok()
    told = finding(box)
    assert told["level"] == "warning" and str(path) in told["text"] and "/how-to/monitor.md" in told["cure"]
    assert box.agent.err.count("metrics: ") == 1
    box.agent.stop()
    assert "ended" in box.agent.err


def test_a_name_that_node_exporter_does_not_read_is_told(make_box, directory):
    box = make_box(**{"metrics.file": f'"{directory}/boxagent.txt"'})
    box.wait_until((directory / "boxagent.txt").exists)
    assert finding(box)["level"] == "warning" and ".prom" in finding(box)["text"]


def test_the_documented_alerts_are_rules_about_metrics_that_there_are(box, metrics):
    box.wait_until(metrics.exists)
    text = metrics.read_text()
    names = {re.split(r"[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}
    (group,) = [group for block in re.findall(r"^```yaml\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
                for group in yaml.safe_load(block)["groups"] if group["name"] == "boxagent"]
    assert len({rule["alert"] for rule in group["rules"]}) == len(group["rules"])
    for rule in group["rules"]:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"} and rule["annotations"]["summary"]
        assert rule["labels"]["severity"] in ("info", "warning", "critical")
        assert re.fullmatch(r"\d+[smhd]", rule.get("for", "0s"))
        expression = rule["expr"]
        for opening, closing in ("()", "[]", "{}"):
            assert expression.count(opening) == expression.count(closing), rule["alert"]
        used = set(re.findall(r"\bboxagent_\w+", expression))
        assert used <= names, rule["alert"]
        assert used or "node_systemd_unit_state" in expression
        for name, choice in re.findall(r'(boxagent_\w+)\{\w+=~?"([^"]+)"\}', expression):
            for value in choice.split("|"):
                assert re.search(rf'^{name}\{{\w+="{value}"\}}', text, re.MULTILINE), (rule["alert"], value)
    # The page lists exactly the existing metrics and label values.
    families = set(re.findall(r"^# TYPE (\w+) (\w+)", text, re.MULTILINE))
    rows = set(re.findall(r"^\| `(boxagent_\w+)` \| (\w+) \|", DOCUMENT, re.MULTILINE))
    assert rows == {(name + "_total" * (kind == "counter"), kind) for name, kind in families}
    for value in re.findall(r'(?:result|reason)="(\w+)"', text):
        assert f"`{value}`" in DOCUMENT, value
