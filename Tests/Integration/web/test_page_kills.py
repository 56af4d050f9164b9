"""The browser is killed at each store and each send, and started again on the same profile. Nothing is lost, nothing is sent twice,
and the page says so if it cannot know an outcome."""

import pytest
from person import Administrator
from stops import kill, kill_there, stop_at
from thorough import cases

UNKNOWN = "Box %s may or may not have done it. Look at its screen."
KEYS = """(async () => {
    const database = await new Promise(done => { const asked = indexedDB.open("boxphone"); asked.onsuccess = () => done(asked.result); });
    const rows = await new Promise(done => { const asked = database.transaction("boxes").objectStore("boxes").getAll();
        asked.onsuccess = () => done(asked.result); });
    database.close();
    return rows.map(row => row.key.bytes.join());
})()"""


def begin_enrolment(web, box, code):
    web.wanted = box.id
    web.tap("Add a box")
    web.type("Code", code)
    web.tap("Find the box")


def test_an_enrolment_that_is_killed_at_each_step_is_settled_by_the_protocol(web):
    box = web.box()
    order = box.command("enrol", "alice", "--web", "--yes")
    code = order.wait_for_code()
    web.launch()
    # Before the key is stored: nothing was sent, and the code is still valid.
    stop_at(web, "before put boxes")
    web.load().sees("No boxes yet")
    begin_enrolment(web, box, code)
    kill_there(web)
    web.sees("No boxes yet")
    # The key is stored, but the box was told nothing. If the page asks, the box refuses the phone.
    stop_at(web, "after put boxes")
    web.load().sees("No boxes yet")
    begin_enrolment(web, box, code)
    kill_there(web)
    web.sees("Box %s may or may not have added this phone." % box.id)
    (key,) = web.js(KEYS)
    web.wanted = box.id
    web.tap("Ask box")
    web.sees("Box %s did not accept this phone." % box.id)
    assert box.json("devices") == []
    # In the middle of message 1. The first two links ask with the stored key, and the third one enrols.
    stop_at(web, "3:before write", 2)
    web.load().sees("may or may not have added this phone")
    begin_enrolment(web, box, code)
    kill_there(web)
    web.sees("may or may not have added this phone")
    # The box has enrolled the phone, but the page has not stored that. The page keeps the same key, and the box lists one phone.
    stop_at(web, "before put boxes")
    web.load().sees("may or may not have added this phone")
    begin_enrolment(web, box, code)
    kill_there(web)
    web.sees("may or may not have added this phone")
    order.ok()
    assert len(box.json("devices")) == 1
    web.wanted = box.id
    web.tap("Ask box")
    web.sees("Box %s: done." % box.id)
    web.tap("To the boxes")
    web.sees("Log in at box")
    assert web.js(KEYS) == [key]


def test_an_enrolment_that_is_killed_while_the_administrator_compares_leaves_no_phone_that_nobody_confirmed(web):
    box = web.box()
    administrator = Administrator(box)
    web.launch()
    begin_enrolment(web, box, administrator.code)
    web.wait("document.querySelector('.digits')")
    kill(web)
    web.sees("Box %s may or may not have added this phone." % box.id)
    administrator.leaves()
    web.ready(box)
    assert len(box.json("devices")) == len(web.js(KEYS)) == 1


# The point of the kill, its count, and whether the next start reports an unknown outcome.
LOGIN_STOPS = [("before put notes", 1, False), ("after put notes", 1, True), ("2:before write", 1, True), (None, 1, True)]


def test_a_login_that_is_killed_at_each_step_is_never_sent_again_and_said_to_be_not_known(web):
    box = web.box()
    web.launch().ready(box)
    for name, count, unknown in LOGIN_STOPS:
        if name:
            stop_at(web, name, count)
        web.load().sees("Your boxes")
        web.wanted = box.id
        web.log_in(box)
        if name:
            kill_there(web)
        else:
            web.wait("document.getElementById('live').textContent.includes('Waiting for the login screen')")
            kill(web)
        if unknown:
            web.sees(UNKNOWN % box.id)
            web.tap("Understood")
        web.sees("Your boxes")
        assert name is None or not box.tap_held()
    # No earlier login is sent now, and a new one works.
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.wanted = box.id
    web.log_in(box)
    web.sees("You are logged in")
    assert program.wait() == 0
    assert [entry["event"] for entry in box.json("audit")].count("login-correct") == 1


# The second link's notifications are the handshake's, the box's hello, and the answer. By then the box has the new PIN.
ANSWERED = ("2:notification", 3, True, "86420")
BEFORE = [("before put notes", 1, False, "4711"), ("after put notes", 1, True, "4711"), ("2:notification", 1, True, "4711")]


@pytest.mark.parametrize("name, count, unknown, good", cases([ANSWERED], BEFORE))
def test_a_change_of_the_pin_that_is_killed_is_done_or_not_and_said_to_be_not_known(web, name, count, unknown, good):
    box = web.box()
    web.launch().ready(box)
    stop_at(web, name, count)
    web.load().sees("Your boxes")
    web.wanted = box.id
    web.tap("Settings")
    web.tap("Change PIN")
    web.type("Old PIN", "4711")
    web.type("New PIN", "86420")
    web.type("The new PIN again", "86420")
    web.tap("Change PIN")
    kill_there(web)
    if unknown:
        web.sees(UNKNOWN % box.id)
        web.tap("Understood")
    web.sees("Your boxes")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.wanted = box.id
    web.log_in(box, good)
    web.sees("You are logged in")
    assert program.wait() == 0
