"""Tests/known-attacks.md names tests, and each must exist exactly once. Scripts/check-known-attacks, the last stage of
Scripts/test, checks that each ran and passed. The tests below show that this script can fail."""
import importlib.machinery
import importlib.util
import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATH = str(ROOT / "Scripts" / "check-known-attacks")
loader = importlib.machinery.SourceFileLoader("check_known_attacks", PATH)
attacks = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(attacks)

NAME = "A try is counted"
PYTEST = """<testsuites><testsuite>
<testcase classname="a.test_b" name="test_good"/>
<testcase classname="a.test_b" name="test_mixed[one]"/>
<testcase classname="a.test_b" name="test_mixed[two]"><failure message="no">no</failure></testcase>
<testcase classname="a.test_b" name="test_root"><skipped message="needs root"/></testcase>
</testsuite></testsuites>"""


def swift(*events, identity="M.Suite/counted()/Suite.swift:1:2", name=NAME):
    """Returns the event stream of one test, as `swift test --event-stream-output-path` writes it."""
    records = [{"kind": "test", "version": 0, "payload": {
        "kind": "function", "id": identity, "name": "counted()", "displayName": name}}]
    for kind, more in events:
        records.append({"kind": "event", "version": 0, "payload": {"kind": kind, "testID": identity, **more}})
    return "\n".join(json.dumps(record) for record in records)


BEGUN, ENDED, LEFT_OUT = ("testStarted", {}), ("testEnded", {}), ("testSkipped", {})
ISSUE = ("issueRecorded", {"issue": {"isKnown": False}})
EXPECTED_ISSUE = ("issueRecorded", {"issue": {"isKnown": True}})


def end_of(directory, name=NAME):
    return attacks.verdict(name, attacks.ends(directory))[0]


def test_every_test_that_the_page_names_is_written_for_one_runner():
    names = attacks.named((ROOT / "Tests" / "known-attacks.md").read_text())
    assert len(names) > 100
    files = [path for path in (ROOT / "Tests").rglob("*")
             if path.suffix in (".swift", ".py") and path.name != pathlib.Path(__file__).name]
    written = {path: path.read_text() for path in files}
    wrong = []
    for name in names:
        places = [path for path, text in written.items() for _ in range(text.count(attacks.written(name)))]
        if len(places) != 1:
            wrong.append((name, [str(path.relative_to(ROOT)) for path in places]))
    assert not wrong


@pytest.mark.parametrize("text, end", [
    (swift(BEGUN, ENDED), attacks.PASSED),
    (swift(BEGUN, EXPECTED_ISSUE, ENDED), attacks.PASSED),
    (swift(BEGUN, ISSUE, ENDED), attacks.FAILED),
    (swift(LEFT_OUT), attacks.SKIPPED),
    # The process died in the test, or the test exists and did not run.
    (swift(BEGUN), attacks.FAILED),
    (swift(), attacks.FAILED),
    (swift(BEGUN, ENDED, name="Something else"), attacks.FAILED),
])
def test_a_named_test_of_swift_has_to_run_and_pass(tmp_path, text, end):
    (tmp_path / "units.jsonl").write_text(text)
    assert end_of(tmp_path) == end


def test_a_line_ends_at_its_line_break_and_nowhere_else(tmp_path):
    separator = swift(BEGUN, ("issueRecorded", {"issue": {"isKnown": False}, "messages": "a@b"}), ENDED).replace("@", chr(0x2028))
    (tmp_path / "units.jsonl").write_text(separator)
    assert end_of(tmp_path) == attacks.FAILED


def test_a_named_test_has_to_pass_in_every_stage_that_runs_it(tmp_path):
    (tmp_path / "units.jsonl").write_text(swift(BEGUN, ENDED))
    (tmp_path / "units-address.jsonl").write_text(swift(BEGUN, ISSUE, ENDED))
    assert end_of(tmp_path) == attacks.FAILED


def test_two_tests_of_one_name_prove_nothing(tmp_path):
    (tmp_path / "units.jsonl").write_text(
        swift(BEGUN, ENDED) + "\n" + swift(BEGUN, ENDED, identity="M.Other/counted()/Other.swift:9:2"))
    assert end_of(tmp_path) == attacks.FAILED


@pytest.mark.parametrize("name, end", [
    ("test_good", attacks.PASSED), ("test_mixed", attacks.FAILED), ("test_root", attacks.SKIPPED),
    ("test_absent", attacks.FAILED)])
def test_a_named_test_of_pytest_has_to_run_and_pass_with_all_its_arguments(tmp_path, name, end):
    (tmp_path / "integration.xml").write_text(PYTEST)
    assert end_of(tmp_path, name) == end


def test_a_named_scenario_has_to_run_and_pass(tmp_path):
    (tmp_path / "everyday.json").write_text(json.dumps({NAME: "passed", "Another": "failed"}))
    assert [end_of(tmp_path, name) for name in (NAME, "Another", "A third")] == [
        attacks.PASSED, attacks.FAILED, attacks.FAILED]


def test_half_written_results_count_for_nothing(tmp_path):
    (tmp_path / "integration.xml").write_text(PYTEST[:120])
    (tmp_path / "units.jsonl").write_text(swift(BEGUN, ENDED)[:-20])
    assert end_of(tmp_path, "test_good") == attacks.FAILED
    assert end_of(tmp_path) == attacks.FAILED


def test_a_skipped_test_is_skipped_for_a_user_and_failed_for_root():
    found = {"test": {NAME: {"one": attacks.SKIPPED}}}
    for is_root, end in ((False, attacks.SKIPPED), (True, attacks.FAILED)):
        counts, problems = attacks.check([NAME], ["test"], lambda _: "test", found, is_root)
        assert counts == {end: 1} and "needs root" in problems[0]


def test_each_runner_answers_for_its_own_names_only():
    found = {"test": {NAME: {"one": attacks.PASSED}}, "vm": {"A scenario": {"two": attacks.PASSED}}}
    owners = {NAME: "test", "A scenario": "vm", "Nobody's": "test"}.get
    names = [NAME, "A scenario", "Nobody's"]
    assert attacks.check(names, ["vm"], owners, found, True) == ({attacks.PASSED: 1}, [])
    counts, problems = attacks.check(names, ["test", "vm"], owners, found, True)
    assert counts == {attacks.PASSED: 2, attacks.FAILED: 1} and "Nobody's" in problems[0]


def test_a_name_that_two_runners_have_is_refused():
    found = {"test": {NAME: {"one": attacks.PASSED}}, "vm": {NAME: {"two": attacks.PASSED}}}
    counts, _ = attacks.check([NAME], ["test", "vm"], lambda _: "vm", found, True)
    assert counts == {attacks.FAILED: 1}


def test_a_runner_that_failed_without_a_result_that_says_so_counts_one():
    results = attacks.test_results
    assert results.line(results.count([pathlib.Path("nowhere.xml")], 2)) == "0 passed, 1 failed"


def test_results_are_counted_with_what_was_skipped(tmp_path):
    (tmp_path / "integration.xml").write_text(PYTEST)
    results = attacks.test_results
    assert results.line(results.count([tmp_path / "integration.xml"], 1)) == "2 passed, 1 failed, 1 skipped"
