"""boxagentd in a site: it joins, learns of revocations, survives restarts and outages, and leaves."""
import json

import pytest

import loopback_air as air
from box import Box, pipe_with


@pytest.fixture
def make_agent(directory):
    boxes = []

    def make(name):
        box = Box(directory / name, directory / "air").start()
        boxes.append(box)
        return box

    yield make
    for box in boxes:
        box.stop()


def join(box, site, name, *words):
    code = site.server.ok("box", "add", name, *words)
    joining = box.command("join", stdin=pipe_with(code.encode()))
    return joining.ok()


def info(box):
    return json.loads(box.command("site", "--json").ok())


def test_a_box_joins_with_the_code_and_says_where_it_belongs(site, make_agent):
    box = make_agent("box")
    said = join(box, site, "ward3-1", "--number", "004711", "--group", "3")
    assert "004711" in said and site.server.status()["site"][:8] in said
    shown = info(box)
    assert shown["site"] == site.server.status()["site"]
    assert (shown["box_number"], shown["groups"]) == ("004711", "3")
    assert shown["linked_server"] == "127.0.0.1:%d" % site.server.port
    listed = site.server.wait_until(lambda: site.server.boxes()["ward3-1"]["address"] and site.server.boxes()["ward3-1"])
    assert listed["state"] == "joined" and listed["program"].startswith("boxagentd ")


def test_a_box_has_what_was_taken_back_within_a_second_and_keeps_it(site, make_agent):
    box = make_agent("box")
    join(box, site, "one")
    join(make_agent("lost"), site, "lost")
    site.server.remove("lost")
    site.server.wait_until(lambda: info(box)["entries"] == 1 and info(box)["head_number"] == 1)
    site.server.wait_until(lambda: site.server.boxes()["one"]["took"] == 1)
    site.server.stop()
    box.kill()
    box.start()
    shown = info(box)
    assert (shown["entries"], shown["head_number"], shown["linked_server"]) == (1, 1, None)
    assert shown["hours_left"] > 0


def test_a_removed_box_hears_why_and_can_leave(site, make_agent):
    box = make_agent("box")
    join(box, site, "one")
    site.server.remove("one")
    box.wait_until(lambda: "removed" in (info(box)["problem"] or ""))
    assert "removed" in box.agent.err
    box.command("leave", "--yes").ok()
    assert box.command("site").wait() == 1


def test_a_box_that_leaves_is_taken_out_of_the_site(site, make_agent):
    box = make_agent("box")
    join(box, site, "one")
    box.command("leave", "--yes").ok()
    assert box.command("site").wait() == 1
    site.server.wait_until(lambda: "one" not in site.server.boxes())
    box.kill()
    box.start()
    assert box.command("site").wait() == 1


@pytest.mark.parametrize("spoil, says", [
    (lambda code: "rubbish", "not a join code"),
    (lambda code: code.replace("boxsite:1/", "boxsite:9/"), "newer version"),
    (lambda code: code[:-4], "damaged"),
], ids=["no code", "a newer version", "cut off"])
def test_what_is_no_join_code_is_said(site, make_agent, spoil, says):
    box = make_agent("box")
    code = site.server.ok("box", "add", "one").strip()
    joining = box.command("join", stdin=pipe_with(spoil(code).encode() + b"\n"))
    assert joining.wait() != 0 and says in joining.err, joining.err
    assert box.command("site").wait() == 1


def test_a_used_code_is_said_and_changes_nothing(site, make_agent):
    code = site.server.ok("box", "add", "one").encode()
    make_agent("first").command("join", stdin=pipe_with(code)).ok()
    second = make_agent("second")
    joining = second.command("join", stdin=pipe_with(code))
    assert joining.wait() != 0 and "already used" in joining.err, joining.err
    assert second.command("site").wait() == 1


def test_a_server_that_is_not_there_is_said_within_the_time_limit(site, make_agent):
    code = site.server.ok("box", "add", "one").encode()
    site.server.stop()
    joining = make_agent("box").command("join", stdin=pipe_with(code))
    assert joining.wait(90) != 0 and "127.0.0.1:%d" % site.server.port in joining.err, joining.err


def test_a_box_comes_back_by_itself_when_its_server_does_and_takes_another_one_meanwhile(site, make_agent):
    site.add_server()
    box = make_agent("box")
    join(box, site, "one")
    first = info(box)["linked_server"]
    server = next(each for each in site.servers if first.endswith(":%d" % each.port))
    server.kill()
    box.wait_until(lambda: info(box)["linked_server"] not in (None, first), timeout=90)
    server.start()


def test_local_phones_log_in_as_before_while_a_box_belongs_to_a_site(site, make_agent):
    box = make_agent("box").pam_service(users={"alice": b"correct horse"})
    phone = box.phone("a").enrol("alice", b"correct horse")
    join(box, site, "one", "--number", "004711")
    box.wait_until(lambda: "Box 004711" in air.boxes(box.air))
    # The user reads the new number off the screen once. After that, the phone knows it.
    for words in [["login", "004711"], ["login"]]:
        program = box.pam("alice")
        box.wait_until(box.programs_waiting)
        phone.command(*words).ok()
        program.ok()
