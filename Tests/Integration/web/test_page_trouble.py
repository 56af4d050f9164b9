"""A full disk, hostile texts, and a hidden page."""

import json

import pytest
from person import Person
from screens import EMPTY

HOSTILE = "\u202e<img src=x onerror=hurt=1>\u2066\u0000" + "я" * 200
PUT_USER = """(async () => {
    const database = await new Promise(done => { const asked = indexedDB.open("boxphone"); asked.onsuccess = () => done(asked.result); });
    const work = database.transaction("boxes", "readwrite"), boxes = work.objectStore("boxes");
    boxes.openCursor().onsuccess = ({ target }) => target.result.update({ ...target.result.value, user: new TextEncoder().encode(%s) });
    await new Promise(done => { work.oncomplete = done; });
    database.close();
})()"""
# After fill(STORE), the page's writes to that store fail, as on a full disk.
FULL = """globalThis.fill = store => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...rest) {
        if (this.name !== store) return put.apply(this, rest);
        globalThis.refused = (globalThis.refused ?? 0) + 1;
        throw new DOMException("no room", "QuotaExceededError");
    };
};"""


@pytest.fixture
def person(used):
    return Person(used)


def unhurt(used):
    assert used.js("document.querySelector('main img') === null && globalThis.hurt === undefined")
    # The content does not extend beyond the screen's edges.
    assert used.js("document.documentElement.scrollWidth <= innerWidth")


def test_a_user_name_that_is_markup_and_turns_text_around_is_shown_as_text(used, person):
    used.js(PUT_USER % json.dumps(HOSTILE))
    used.load()
    used.sees("\\u{202e}<img src=x onerror=hurt=1>\\u{2066}\\u{0}")
    unhurt(used)
    person.tap("home.settings")
    person.sees("settings.title")
    unhurt(used)
    person.tap("back")
    person.opens_login(used.own)
    used.sees("\\u{202e}<img")
    unhurt(used)


def test_a_terminal_that_is_markup_is_shown_as_text_in_a_request(used, person):
    used.forget_what_was_asked()
    person.tap("session.button")
    person.sees("s.state.0")
    used.sudo(terminal="<b onclick=hurt()>\u202e</b>")
    person.sees("q.care")
    used.sees("<b onclick=hurt()>")
    unhurt(used)
    # Allows the request: after an unanswered one, the box would not ask again soon.
    used.keys("4711")
    person.tap("q.allow")
    person.sees("s.allowed")


@pytest.mark.parametrize("name", ["boxes", "notes"])
def test_a_login_on_a_full_disk_sends_no_pin_and_says_so(used, person, name):
    used.before_load(FULL)
    used.load()
    used.js("fill('%s')" % name)
    program = used.waits_for_a_tap()
    person.logs_in(used.own)
    used.sees("Free some space")
    assert used.js("refused") == 1
    assert used.own.programs_waiting() == 1
    person.tap("toBoxes")
    used.load()
    person.logs_in(used.own)
    person.sees("o.login", used.own_id)
    assert program.wait() == 0


def test_an_enrolment_on_a_full_disk_sends_nothing_and_says_so(used, person):
    used.js(EMPTY)
    used.before_load(FULL)
    used.load()
    person.sees("home.none")
    used.js("fill('boxes')")
    order = used.own.command("enrol", "alice", "--web", "--yes")
    code = order.wait_for_code()
    person.tap("home.add")
    person.fills("enrol.code", code)
    person.tap("enrol.button")
    used.sees("Free some space")
    # The same code is still valid when there is room.
    used.load()
    person.tap("home.add")
    person.fills("enrol.code", code)
    person.tap("enrol.button")
    person.sees("store.title", used.own_id)
    order.ok()


def test_a_password_on_a_full_disk_is_not_sent(used, person):
    used.before_load(FULL)
    used.load()
    used.js("fill('notes')")
    person.tap("home.settings")
    person.tap("store.again")
    person.fills("store.password", "another horse")
    person.fills("store.pin", "1234")
    person.fills("store.repeat", "1234")
    person.tap("store.send")
    used.sees("Free some space")
    used.load()
    used.waits_for_a_tap()
    person.logs_in(used.own)
    person.sees("o.login", used.own_id)


def test_a_browser_that_keeps_nothing_says_so(used, person):
    used.before_load("indexedDB.open = () => { throw new DOMException('no', 'UnknownError'); };")
    used.load()
    person.sees("cannot.store")


def test_a_page_that_is_hidden_shows_nothing(used, person):
    person.opens_login(used.own)
    used.keys("47")

    def hidden(value):
        used.js("""(() => { Object.defineProperty(document, "hidden", { value: %s, configurable: true });
            document.dispatchEvent(new Event("visibilitychange")); })()""" % value)
        return used.js("getComputedStyle(document.querySelector('h1')).visibility + getComputedStyle(document.querySelector('.pin')).visibility")

    assert hidden("true") == "hiddenhidden"
    assert hidden("false") == "visiblevisible"
