"""Phones that are pages in a browser, at the real boxagentd: which phones count as pages, and what their absence ends."""

import pytest

from test_independent_phone import IndependentPhone, NotAsked, order
from test_presence import ready  # noqa: F401
from test_sessions import Login, commands  # noqa: F401

BROWSER = 1 << 6


def page(box, code, capabilities=BROWSER):
    return IndependentPhone(box, code).open(code, capabilities=capabilities)


def test_a_page_is_refused_by_a_code_for_another_phone_and_the_code_is_void(box):
    command, code = order(box, "alice", "--box-held", "--yes")
    with pytest.raises(NotAsked, match="not-allowed"):
        page(box, code).reveal()
    assert command.wait() == 1 and "run 'boxagent enrol --web'" in command.err
    assert box.json("devices") == []


def test_a_page_is_marked_as_what_the_administrator_said(box):
    command, code = order(box, "alice", "--web", "--yes")
    page(box, code).enrol()
    command.ok()
    (device,) = box.json("devices")
    assert (device["web"], device["box_held"]) == (True, True)


def test_a_phone_that_does_not_say_so_is_marked_too(box):
    command, code = order(box, "alice", "--web", "--yes")
    page(box, code, capabilities=0).enrol()
    command.ok()
    assert box.json("devices")[0]["web"]


def test_revoking_pages_leaves_other_phones(box):
    for arguments, capabilities in ((["--web"], BROWSER), (["--box-held"], 0), (["--web"], BROWSER)):
        command, code = order(box, "alice", *arguments, "--yes")
        page(box, code, capabilities).enrol()
        command.ok()
    box.command("revoke", "--web", "--yes").ok()
    assert sorted((device["web"], device["state"]) for device in box.json("devices")) == [
        (False, "active"), (True, "revoked"), (True, "revoked")]


def test_a_site_that_wants_no_pages_makes_no_code_for_one(make_box):
    box = make_box(**{"enrolment.allow_web": "false"})
    refused = box.command("enrol", "alice", "--web", "--yes")
    assert refused.wait() == 77 and "this box does not accept web phones" in refused.err


def test_where_phones_are_missed_a_page_is_enrolled_by_force_only(make_box):
    box = make_box(**{"presence.require_phone": "true"})
    refused = box.command("enrol", "alice", "--web", "--yes")
    assert refused.wait() == 77 and "presence.require_phone" in refused.err and "--force" in refused.err
    command, code = order(box, "alice", "--web", "--force", "--yes")
    page(box, code).enrol()
    command.ok()


def log_in(box, phone, user, terminal, session):
    login = Login(box, user, terminal, session)
    box.wait_until(box.programs_waiting)
    phone().ok()
    login.program.wait_for("session is open")
    return login


def test_a_page_that_goes_locks_nothing_and_ends_no_session(ready):  # noqa: F811
    """Alice's phone, which is not a page, leaves at the same time. Her logout shows that the limits have passed."""
    ready.pam_service(users={"alice": b"correct horse", "bob": b"battery staple"})
    ready.write_config(**{"presence.require_phone": "true", "auto_logout.default_seconds": "10"})
    ready.agent.process.send_signal(1)
    ready.agent.wait_for("configuration reloaded")
    bob = ready.phone("b").enrol("bob", options=["--web", "--force"])
    bob.with_secrets("credentials", "set", password=b"battery staple", new_pin=b"4711").ok()
    page_login = log_in(ready, lambda: bob.with_secrets("login", pin=b"4711"), "bob", "tty8", "c43")
    phone_login = log_in(ready, lambda: ready.alice.command("login"), "alice", "tty7", "c42")
    ready.wait_until(lambda: ready.called() == ["lock alice  tty7", "logout alice  tty7"])
    assert ready.json("status")["sessions_owned"] == 2
    page_login.close()
    phone_login.close()
