"""Goes through every screen of the page at a real box, for tests that inspect all of them."""

from test_sessions import Login

HOLD_LOCK = """if (!sessionStorage.free) navigator.locks.request("boxphone", () => new Promise(() => {}));"""
NO_BLUETOOTH = "delete Navigator.prototype.bluetooth;"
# Adds a detector that sees no code, because Debian's Chromium has none.
BLIND_DETECTOR = "globalThis.BarcodeDetector = class { async detect() { return []; } };"
NOT_CONFIRMED = """(async () => {
    const database = await new Promise(done => { const asked = indexedDB.open("boxphone"); asked.onsuccess = () => done(asked.result); });
    const work = database.transaction("boxes", "readwrite"), boxes = work.objectStore("boxes");
    boxes.getAll().onsuccess = ({ target }) => { for (const row of target.result) boxes.openCursor().onsuccess = ({ target }) =>
        target.result.update({ ...row, confirmed: false }); };
    await new Promise(done => { work.oncomplete = done; });
    database.close();
})()"""
UNDER_WAY = """(async () => {
    const database = await new Promise(done => { const asked = indexedDB.open("boxphone"); asked.onsuccess = () => done(asked.result); });
    const work = database.transaction("notes", "readwrite");
    work.objectStore("notes").put("%s", "underWay");
    await new Promise(done => { work.oncomplete = done; });
    database.close();
})()"""
EMPTY = "new Promise(done => { const all = indexedDB.deleteDatabase('boxphone'); all.onsuccess = all.onblocked = () => done(); })"


def with_script(used, script, *sees):
    """Loads the page with a script that runs before the page's own. Waits for the texts in `sees`."""
    used.before_load(script)
    used.load()
    used.sees(*sees)


def without_scripts(used):
    for identifier in used.scripts:
        used.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=identifier)
    used.scripts.clear()
    used.load()


def before_there_is_a_box(used, person):
    """Yields the name of each screen while it is shown, until a box is enrolled and has the password."""
    box = used.own
    with_script(used, NO_BLUETOOTH, person.say("cannot.bluetooth"))
    yield "cannot"
    without_scripts(used)
    with_script(used, HOLD_LOCK, person.say("elsewhere.title"))
    yield "elsewhere"
    without_scripts(used)
    used.js(EMPTY)
    used.before_load(BLIND_DETECTOR)
    used.load()
    person.sees("home.none")
    yield "none"
    person.tap("home.about")
    person.sees("about.host")
    yield "about"
    person.tap("back")
    person.tap("home.add")
    person.sees("enrol.text")
    yield "enrol"
    person.tap("enrol.button")
    person.hears("enrol.noCode")
    yield "enrol-no-code"
    person.tap("enrol.camera")
    used.wait("document.querySelector('video')?.readyState > 1")
    yield "camera"
    person.tap("back")
    person.tap("back")
    person.sees("home.none")
    confirm = person.compares(box)
    yield "compare"
    confirm()
    yield "store"
    person.tap("store.send")
    used.wait("document.getElementById('live').textContent")
    yield "store-refused"
    person.stores(box)
    yield "stored"
    person.tap("toBoxes")
    person.sees("home.title")
    yield "boxes"


def about_a_login(used, person):
    box, digits = used.own, used.own_id
    # Like the start of a day: the page was reloaded, so the browser shows its list again.
    used.load()
    person.sees("home.title")
    person.opens_login(box)
    used.keys("47")
    yield "pin"
    person.tap("back")
    person.sees("home.title")
    person.logs_in(box, "0000")
    person.sees("r.6", "2")
    yield "wrong-pin"
    used.keys("0001")
    person.tap("login.button", digits)
    person.sees("pin.last")
    yield "last-try"
    used.keys("4711")
    person.tap("login.button", digits)
    person.hears("p.waitingForPrompt")
    yield "waiting"
    login = Login(box, "alice")
    person.sees("s.state.1", "alice")
    yield "connected"
    person.tap("s.lock")
    person.sees("s.state.2", "alice")
    yield "locked"
    person.tap("s.unlock")
    person.sees("s.done.unlock")
    yield "unlocked"
    sudo = used.sudo()
    person.sees("q.care")
    yield "request"
    # Allows the request: after a decline, the box would not ask again soon.
    used.keys("4711")
    person.tap("q.allow")
    person.sees("s.allowed")
    sudo.ok()
    used.logind.put_processes_in("")
    login.close()
    person.sees("s.state.0")
    yield "session-ended"
    person.tap("toBoxes")
    person.sees("home.title")


def about_a_box(used, person):
    digits = used.own_id
    person.tap("home.settings")
    person.sees("settings.box", digits, "alice")
    yield "settings"
    person.tap("forget.button", digits)
    person.sees("forget.text")
    yield "forget"
    person.tap("back")
    person.sees("settings.title")
    person.tap("pin.change")
    person.sees("pin.old")
    yield "change-pin"
    person.tap("back")
    used.load()
    person.sees("home.title")
    used.wanted = "cancel"
    person.logs_in(used.own)
    person.sees("c.cancelled")
    yield "not-chosen"
    used.wanted = digits
    used.js(UNDER_WAY % digits)
    used.load()
    person.sees("unknown.title")
    yield "unknown"
    person.tap("understood")
    person.sees("home.title")
    used.js(NOT_CONFIRMED)
    used.load()
    person.sees("home.unfinished", digits)
    yield "unfinished"
    person.tap("home.askBox", digits)
    person.sees("done.title")
    yield "done"


def all_screens(used, person):
    yield from before_there_is_a_box(used, person)
    yield from about_a_login(used, person)
    yield from about_a_box(used, person)
