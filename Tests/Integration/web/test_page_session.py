"""The page during an open session: it locks, unlocks and logs out. The user also changes PIN, password and boxes."""

import pytest
from test_sessions import Login


@pytest.fixture
def commands(directory):
    """A program that records its arguments."""
    script = directory / "session-command"
    script.write_text('#!/bin/sh\nprintf "%s\\n" "$*" >>"$(dirname "$0")/called"\n')
    script.chmod(0o700)
    return script


def test_the_page_locks_unlocks_and_ends_the_session_it_opened(web, commands):
    words = '["%s", "%s", "{user}"]'
    box = web.box(**{"sessions.%s_command" % name: words % (commands, name) for name in ("lock", "unlock", "logout")})
    web.launch().ready(box)
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("alice is logged in")
    web.tap("Lock")
    web.sees("The session of alice is locked")
    web.tap("Unlock")
    web.sees("Unlocked.")
    web.tap("Log out")
    web.sees("Logged out.")
    assert (commands.parent / "called").read_text().split("\n")[:3] == ["lock alice", "unlock alice", "logout alice"]
    login.close()
    web.sees("This phone has no open session there.")
    web.tap("To the boxes")
    web.sees("Your boxes")


def test_a_pin_is_changed_and_the_old_one_is_wrong(web):
    box = web.box()
    web.launch().ready(box)
    web.tap("Settings")
    web.tap("Change PIN")
    web.type("Old PIN", "4711")
    web.type("New PIN", "8642")
    web.type("The new PIN again", "8642")
    web.tap("Change PIN")
    web.sees("Box %s: done." % box.id)
    web.tap("To the boxes")
    web.log_in(box, "4711")
    web.sees("Wrong PIN. 9 tries left.")


def test_too_many_wrong_pins_say_that_the_password_is_gone_and_it_can_be_stored_again(web):
    box = web.box(**{"pin.attempts": "3"})
    web.launch().ready(box)
    web.log_in(box, "0000")
    for digits, said in (("0001", "Wrong PIN. 2 tries left."), ("0002", "This is the last try.")):
        web.sees(said)
        web.keys(digits)
        web.tap("Log in at box")
    web.sees("Too many wrong PINs: the password at box %s is deleted." % box.id)
    web.tap("Store password at box")
    web.store(box)


def test_a_revoked_phone_says_so(web):
    box = web.box()
    web.launch().ready(box)
    (device,) = box.json("devices")
    box.command("revoke", device["id"], "--yes").ok()
    web.log_in(box)
    web.sees("Box %s did not accept this phone." % box.id)


def test_a_forgotten_box_is_gone_after_a_reload(web):
    box = web.box()
    web.launch().ready(box)
    web.tap("Settings")
    web.tap("Forget box")
    web.sees("Forget box %s?" % box.id)
    web.tap("Forget box")
    web.sees("No boxes yet")
    web.load().sees("No boxes yet")
    assert web.js("""(async () => { const r = await new Promise(done => { const o = indexedDB.open("boxphone"); o.onsuccess = () => done(o.result); });
        return new Promise(done => { const a = r.transaction("boxes").objectStore("boxes").count(); a.onsuccess = () => done(a.result); }); })()""") == 0
