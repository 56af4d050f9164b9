"""The PIN behind the passkey: it follows a change, a wrong one is sent only once, and a lost answer makes it doubtful."""

import json

import pytest
from authenticator import Authenticator, count_touches
from test_page_elevation import sudo, sudo_box  # noqa: F401
from test_page_passkey import authenticator, log_in, ready  # noqa: F401
from test_page_profile import opened_by_the_browsers_key


def store_elsewhere(web, box, pin):
    """Changes the PIN at the box, but restores this phone's stored PIN. This is as if a copy of the phone had changed the PIN."""
    old = kept_pin(web)
    web.tap("Settings")
    web.tap("Store a new password")
    web.store(box, pin=pin)
    web.js("""(async () => { const database = await new Promise(done => { const r = indexedDB.open("boxphone"); r.onsuccess = () => done(r.result); });
        const rows = database.transaction("boxes", "readwrite").objectStore("boxes");
        const [row] = await new Promise(done => { const r = rows.getAll(); r.onsuccess = () => done(r.result); });
        const { iv, bytes, guard } = JSON.parse(%r);
        row.pin = { iv: new Uint8Array(iv), bytes: new Uint8Array(bytes), guard: new Uint8Array(guard) };
        rows.put(row, Array.from(row.id, byte => byte.toString(16).padStart(2, "0")).join(""));
        await new Promise(done => { rows.transaction.oncomplete = done; });
    })()""" % old)
    web.load().sees("Your boxes")
    web.wanted = box.id


def kept_pin(web):
    return web.js("""(async () => { const database = await new Promise(done => { const r = indexedDB.open("boxphone"); r.onsuccess = () => done(r.result); });
        const [row] = await new Promise(done => { const r = database.transaction("boxes").objectStore("boxes").getAll(); r.onsuccess = () => done(r.result); });
        return JSON.stringify(row.pin ?? null, (_, value) => value instanceof Uint8Array ? Array.from(value) : value);
    })()""")


def test_the_kept_pin_follows_a_change(web, authenticator):  # noqa: F811
    box = web.box()
    ready(web, box)
    web.tap("Settings")
    web.tap("Change PIN")
    web.sees("The PIN saved behind the passkey changes too.")
    web.type("Old PIN", "4711")
    web.type("New PIN", "864213")
    web.type("The new PIN again", "864213")
    web.tap("Change PIN")
    web.sees("Box %s: done." % box.id)
    web.tap("To the boxes")
    log_in(web, box)


def test_a_kept_pin_that_was_changed_elsewhere_costs_one_try_and_the_typed_one_takes_its_place(web, authenticator):  # noqa: F811
    box = web.box()
    ready(web, box)
    store_elsewhere(web, box, "9999")
    web.tap("Log in at box " + box.id)
    web.sees("Wrong PIN. 9 tries left.")
    web.sees("The saved PIN is no longer right")
    # A user who stops here and reloads the page must type the PIN. No try is spent.
    web.load().sees("Your boxes")
    web.tap("Understood") if "Understood" in web.shown else None
    web.tap("Log in at box " + box.id)
    web.sees("Enter your PIN")
    (device,) = box.json("devices")
    assert device["pin_attempts_left"] == 9
    web.keys("9999")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.tap("Log in at box " + box.id)
    web.sees("You are logged in")
    assert program.wait() == 0
    web.tap("To the boxes")
    log_in(web, box)


def test_a_kept_pin_is_not_sent_when_one_try_is_left(web, authenticator):  # noqa: F811
    box = web.box(**{"pin.attempts": "3"})
    ready(web, box)
    for said in ("2 tries left", "One try left"):
        web.tap("Settings")
        web.tap("Change PIN")
        for label, pin in (("Old PIN", "0000"), ("New PIN", "9999"), ("The new PIN again", "9999")):
            web.type(label, pin)
        web.tap("Change PIN")
        web.sees(said)
        web.tap("To the boxes")
        web.sees("Your boxes")
    web.tap("Log in at box " + box.id)
    web.sees("This is the last try.")
    (device,) = box.json("devices")
    assert device["pin_attempts_left"] == 1


def test_a_login_whose_answer_was_lost_asks_for_the_pin_next_time(web, authenticator):  # noqa: F811
    box = web.box()
    ready(web, box)
    # The browser is killed after the note was stored and before the box answers.
    web.js("""(() => { const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (message, ...more) {
            const text = message.bytes && new TextDecoder("latin1").decode(message.bytes);
            if (text?.includes("cpin")) { window.reached = true; return; }
            return post.call(this, message, ...more); }; })()""")
    web.tap("Log in at box " + box.id)
    web.wait("window.reached")
    web.load().sees("may or may not have done it. Look at its screen.")
    web.tap("Understood")
    count_touches(web)
    web.tap("Log in at box " + box.id)
    web.sees("Enter your PIN")
    assert web.js("document.querySelector('input[type=checkbox]').checked")
    web.keys("4711")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.tap("Log in at box " + box.id)
    web.sees("You are logged in")
    assert web.js("touches") == ["get"] and program.wait() == 0
    web.tap("To the boxes")
    log_in(web, box)


def test_whoever_wants_no_pin_kept_types_it_and_gives_the_passkey(web, authenticator):  # noqa: F811
    box = web.box()
    ready(web, box)
    web.tap("Settings")
    web.tap("Delete the saved PIN")
    web.wait("!document.body.innerText.includes('Delete the saved PIN')")
    assert kept_pin(web) == "null"
    web.tap("Back")
    web.tap("Log in at box " + box.id)
    web.sees("Enter your PIN")
    assert not web.js("document.querySelector('input[type=checkbox]').checked")
    web.keys("4711")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.tap("Log in at box " + box.id)
    web.sees("You are logged in")
    assert program.wait() == 0 and kept_pin(web) == "null"


def test_what_is_kept_does_not_tell_how_long_a_pin_is(web, authenticator):  # noqa: F811
    box = web.box()
    ready(web, box)
    short = kept_pin(web)
    web.tap("Settings")
    web.tap("Store a new password")
    web.store(box, pin="a long PIN of 30 characters !!")
    assert len(json.loads(short)["bytes"]) == len(json.loads(kept_pin(web))["bytes"])
    assert json.loads(short)["bytes"] != json.loads(kept_pin(web))["bytes"]


@pytest.mark.parametrize("how", ["removed", "lost", "forgotten"])
def test_a_passkey_is_taken_away_or_lost(web, authenticator, how):  # noqa: F811
    box = web.box()
    ready(web, box)
    web.tap("Settings")
    if how == "removed":
        web.tap("Remove the passkey")
        web.sees("A saved PIN is deleted.")
        web.tap("Remove the passkey")
        web.sees("Removed.")
        web.tap("To the boxes")
        count_touches(web)
        program = box.pam("alice")
        box.wait_until(box.programs_waiting)
        web.log_in(box)
        web.sees("You are logged in")
        assert program.wait() == 0 and web.js("touches") == []
    elif how == "lost":
        authenticator.remove()
        web.tap("The passkey is lost")
        web.sees("Ask the administrator to revoke this phone and to give you a new code for each box.")
        web.tap("Forget all boxes")
        web.sees("No boxes yet")
    else:
        web.tap("Forget box")
        web.sees("Forget box %s?" % box.id)
        web.tap("Forget box")
        web.sees("No boxes yet")
    kept = web.js("""(async () => { const database = await new Promise(done => { const r = indexedDB.open("boxphone"); r.onsuccess = () => done(r.result); });
        const all = name => new Promise(done => { const r = database.transaction(name).objectStore(name).getAllKeys(); r.onsuccess = () => done(r.result); });
        return [await all("keys"), (await all("boxes")).length]; })()""")
    assert kept == [["seal"], 1 if how == "removed" else 0]
    assert how == "lost" or authenticator.passkeys == []


def test_a_passkey_that_is_set_up_later_guards_the_boxes_that_are_there(web):
    box = web.box()
    web.launch().ready(box)
    Authenticator(web.browser)
    web.tap("Settings")
    web.sees("Anyone who copies this browser's data has this phone's keys.")
    web.tap("Set up a passkey")
    web.tap("Set up a passkey")
    web.tap("Check the passkey")
    web.sees("The passkey guards this phone's keys.")
    assert opened_by_the_browsers_key(web) == {"key": False, "secret": False}
    web.tap("To the boxes")
    count_touches(web)
    web.log_in(box)
    web.wait("document.getElementById('live').textContent.includes('Waiting for the login screen')")
    assert web.js("touches") == ["get"]


def test_a_request_is_allowed_with_one_touch(web, request):
    web.launch()
    Authenticator(web.browser)
    web.launch = lambda: type("Ready", (), {"ready": lambda _, box: ready(web, box)})()
    program = request.getfixturevalue("sudo")
    web.sees("Allowing asks for your passkey.")
    web.tap("Allow")
    web.sees("Allowed.")
    assert program.wait() == 0
