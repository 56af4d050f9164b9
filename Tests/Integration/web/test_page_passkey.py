"""A passkey on the page, with a virtual authenticator: it is set up before the first key is made. Then one touch logs in."""

import pytest
from authenticator import Authenticator, count_touches, set_up
from test_page_radio import RECORD
from test_page_session import commands  # noqa: F401
from test_sessions import Login


@pytest.fixture
def authenticator(web):
    web.launch()
    return Authenticator(web.browser)


def ready(web, box):
    """Enrols with a passkey, stores the PIN behind it, and returns to the list."""
    set_up(web)
    web.ready(box)


def log_in(web, box):
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.tap("Log in at box " + box.id)
    web.sees("You are logged in at box " + box.id)
    assert program.wait() == 0


def test_with_a_passkey_one_touch_logs_in_and_nothing_is_typed(web, authenticator):
    box = web.box()
    ready(web, box)
    assert len(authenticator.passkeys) == 1
    count_touches(web)
    log_in(web, box)
    assert web.js("touches") == ["get"]


def test_what_opens_something_asks_for_the_passkey_anew(web, authenticator, commands):  # noqa: F811
    words = '["%s", "%s", "{user}"]'
    box = web.box(**{"sessions.%s_command" % name: words % (commands, name) for name in ("lock", "unlock", "logout")})
    ready(web, box)
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    web.tap("Log in at box " + box.id)
    web.sees("alice is logged in")
    count_touches(web)
    web.tap("Lock")
    web.sees("Unlocking asks for your passkey.")
    assert web.js("touches") == []
    authenticator.cancel_once()
    web.tap("Unlock")
    web.sees("The passkey was not used")
    assert (commands.parent / "called").read_text().split() == ["lock", "alice"]
    authenticator.present()
    web.tap("Unlock")
    web.sees("Unlocked.")
    assert web.js("touches") == ["get", "get"]
    login.close()


def test_without_a_passkey_the_page_says_who_can_unlock(web, commands):  # noqa: F811
    words = '["%s", "%s", "{user}"]'
    box = web.box(**{"sessions.%s_command" % name: words % (commands, name) for name in ("lock", "unlock", "logout")})
    web.launch().ready(box)
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("alice is logged in")
    web.tap("Lock")
    web.sees("Unlocking needs no PIN: anyone who holds this phone unlocked can do it.")
    login.close()


@pytest.mark.parametrize("why", ["the person is not known", "another authenticator", "cancelled"])
def test_a_passkey_that_is_not_given_sends_nothing_and_loses_nothing(web, authenticator, why):
    box = web.box()
    ready(web, box)
    if why == "the person is not known":
        authenticator.knows_the_person(False)
    elif why == "another authenticator":
        authenticator.remove()
        Authenticator(web.browser)
    else:
        authenticator.cancel_once()
    web.js(RECORD)
    before = everything(web)
    web.tap("Log in at box " + box.id)
    web.sees("The passkey was not used: it was cancelled or refused, or it is not on this phone. Nothing was sent and nothing is lost.")
    assert everything(web) == before
    assert web.js("links") == []
    if why == "cancelled":
        authenticator.present()
        web.tap("Try again")
        web.wait("document.getElementById('live').textContent.includes('Waiting for the login screen')")


def test_a_passkey_with_another_value_opens_nothing_and_says_so(web, authenticator):
    box = web.box()
    ready(web, box)
    # Replaces the passkey with another one of the same phone and page, which has another value.
    web.js("""(async () => {
        const made = await navigator.credentials.create({ publicKey: { rp: { name: "other" }, challenge: new Uint8Array(32),
            user: { id: new Uint8Array(16), name: "other", displayName: "other" }, pubKeyCredParams: [{ type: "public-key", alg: -7 }],
            authenticatorSelection: { userVerification: "required", residentKey: "required" }, extensions: { prf: {} } } });
        const database = await new Promise(done => { const r = indexedDB.open("boxphone"); r.onsuccess = () => done(r.result); });
        const keys = database.transaction("keys", "readwrite").objectStore("keys");
        const record = await new Promise(done => { const r = keys.get("passkey"); r.onsuccess = () => done(r.result); });
        record.credential = new Uint8Array(made.rawId);
        keys.put(record, "passkey");
        await new Promise(done => { keys.transaction.oncomplete = done; });
    })()""")
    web.load().sees("Your boxes")
    web.js(RECORD)
    before = everything(web)
    web.tap("Log in at box " + box.id)
    web.sees("This passkey does not match the one that this phone was set up with. Nothing was sent and nothing is lost.")
    assert everything(web) == before and web.js("links") == []


@pytest.mark.parametrize("options, said", [
    ({"hasPrf": False}, "This browser or passkey gives pages no key."),
    ({"isUserVerified": False}, "The passkey was not used"),
])
def test_a_passkey_that_cannot_hold_keys_is_refused_before_anything_lies_behind_it(web, options, said):
    web.launch()
    Authenticator(web.browser, **options)
    before = everything(web)
    web.tap("Add a box")
    web.tap("Set up a passkey")
    web.sees(said)
    assert everything(web) == before
    web.tap("Without a passkey")
    web.sees("Scan or paste")


def test_a_passkey_whose_value_changes_is_refused_before_anything_lies_behind_it(web, authenticator):
    before = everything(web)
    web.tap("Add a box")
    web.tap("Set up a passkey")
    web.sees("Use it once more")
    web.js("""(() => { const { get } = CredentialsContainer.prototype;
        CredentialsContainer.prototype.get = async function (options) {
            options.publicKey.extensions.prf.eval.first = crypto.getRandomValues(new Uint8Array(32));
            return get.call(this, options); }; })()""")
    web.tap("Check the passkey")
    web.sees("The passkey gave a different key the second time, so it protects nothing.")
    assert everything(web) == before
    assert authenticator.passkeys == []


def test_a_phone_without_a_check_of_its_own_is_not_told_to_use_a_passkey(web):
    web.launch()
    web.tap("Add a box")
    web.sees("Scan or paste")


def everything(web):
    """Returns all that the page stores, as text. The browser's key appears only as existing."""
    return web.js("""(async () => {
        const database = await new Promise(done => { const r = indexedDB.open("boxphone"); r.onsuccess = () => done(r.result); });
        const all = name => new Promise(done => { const s = database.transaction(name).objectStore(name), keys = s.getAllKeys(), r = s.getAll();
            r.onsuccess = () => done([keys.result, r.result]); });
        const text = (_, value) => value instanceof Uint8Array ? Array.from(value) : value;
        const found = JSON.stringify([await all("keys"), await all("boxes"), await all("notes"), { ...localStorage }, { ...sessionStorage }], text);
        database.close();
        return found;
    })()""")


def test_the_browsers_list_needs_a_click_and_a_passkey_does_not(web, authenticator):
    """Shows why the list must come first in a click (Phones/Web/phone.js): using a passkey may outlast the click."""
    def without_a_click(what):
        return web.browser.call("Runtime.evaluate", expression="(%s).then(() => 'given', error => error.name)" % what, awaitPromise=True,
                                returnByValue=True, userGesture=False)["result"]["value"]

    made = """navigator.credentials.create({ publicKey: { rp: { name: "x" }, user: { id: new Uint8Array(16), name: "x", displayName: "x" },
        challenge: new Uint8Array(32), pubKeyCredParams: [{ type: "public-key", alg: -7 }] } })
        .then(passkey => { window.made = passkey.rawId; })"""
    # A test's evaluation counts as a click, and a click is valid for some seconds.
    assert web.js("navigator.userActivation.isActive") is True
    over = "navigator.userActivation.isActive ? Promise.reject(new Error()) : Promise.resolve()"
    web.browser.until(lambda: without_a_click(over) == "given")
    assert without_a_click(made) == "given"
    assert without_a_click("navigator.credentials.get({ publicKey: { challenge: new Uint8Array(32),"
                           " allowCredentials: [{ type: 'public-key', id: made }] } })") == "given"
    assert without_a_click("navigator.bluetooth.requestDevice({ acceptAllDevices: true })") == "SecurityError"
