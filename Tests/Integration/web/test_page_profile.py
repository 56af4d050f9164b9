"""The contents of the browser's profile after a phone was used, file by file, and the abilities of a copy of the profile."""

import base64
import json
import shutil

import pytest
from authenticator import Authenticator, set_up
from chromium import Chromium
from test_page_passkey import everything
from test_page_safety import everything_in

PASSWORD, PIN = "Zahnradbahn-7741-Xylophon", "8264917350"

# Records each text that the page encrypts, and each value that a passkey returns.
OVERHEAR = """(() => {
    window.heard = { sealed: [], prf: [], code: [] };
    const hex = value => Array.from(new Uint8Array(value.buffer ?? value), byte => byte.toString(16).padStart(2, "0")).join("");
    const encrypt = SubtleCrypto.prototype.encrypt;
    SubtleCrypto.prototype.encrypt = function (how, key, data) { heard.sealed.push(hex(data.slice ? data.slice() : data)); return encrypt.call(this, how, key, data); };
    const results = PublicKeyCredential.prototype.getClientExtensionResults;
    PublicKeyCredential.prototype.getClientExtensionResults = function () {
        const all = results.call(this), value = all.prf?.results?.first; if (value) heard.prf.push(hex(value)); return all; };
})()"""


def forms(secret):
    """Returns the encodings in which a browser might store the secret."""
    digits = secret.hex()
    texts = [secret, digits.encode(), digits.upper().encode(), base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"="),
             ",".join(str(byte) for byte in secret).encode()]
    return set(texts + [text.decode("latin1").encode("utf-16-le") for text in texts])


def found_in(profile, secrets):
    """Returns (secret's name, file) of each place where a secret was found."""
    wanted = [(name, form) for name, secret in secrets.items() for form in forms(secret)]
    return sorted({(name, str(path.relative_to(profile))) for path, data in everything_in(profile) for name, form in wanted if form in data})


def use(web, box, with_passkey):
    """Enrols, stores the password and logs in. Returns all secrets of these steps by name."""
    box.pam_service(users={"alice": PASSWORD.encode()})
    web.launch()
    if with_passkey:
        Authenticator(web.browser)
    web.js(OVERHEAR)
    if with_passkey:
        set_up(web)
    web.enrol(box)
    code = web.code
    web.store(box, password=PASSWORD, pin=PIN)
    web.tap("To the boxes")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    if with_passkey:
        web.tap("Log in at box " + box.id)
    else:
        web.log_in(box, PIN)
    web.sees("You are logged in")
    assert program.wait() == 0
    heard = web.js("heard")
    # Keeps texts of 32 bytes, except the passkey's check value, which is all zeros. A text that is itself sealed data is longer.
    plain = [bytes.fromhex(each) for each in dict.fromkeys(heard["sealed"]) if len(each) == 64 and set(each) != {"0"}]
    assert len(plain) == 2, "the device key and the device secret"
    assert len(heard["prf"]) == (4 if with_passkey else 0) and len(set(heard["prf"])) <= 1
    return {"password": PASSWORD.encode(), "PIN": PIN.encode(), "device key": plain[0], "device secret": plain[1],
            "enrolment code": code.split("/")[1].encode(), "enrolment secret": enrolment_secret(code),
            **{"value of the passkey": bytes.fromhex(each) for each in heard["prf"]}}


def enrolment_secret(code):
    """Returns the secret of docs/reference/protocol.md, section 4."""
    text = code.split("/")[1]
    return base64.b32decode(text + "=" * (-len(text) % 8))[72:104]


@pytest.mark.parametrize("with_passkey", [False, True], ids=["without a passkey", "with a passkey"])
def test_no_secret_is_in_any_file_of_the_profile_after_the_browser_ended(web, with_passkey):
    box = web.box()
    secrets = use(web, box, with_passkey)
    web.browser.stop()
    web.browser = None
    assert found_in(web.directory / "profile", secrets) == []
    # The search does find data that is there. The user's name and the box's digits are not secrets.
    assert {name for name, _ in found_in(web.directory / "profile", {"user": b"alice", "digits": box.id.encode()})} == {"user", "digits"}


def copied(web):
    """Starts a second browser on a copy of the profile and opens the page."""
    web.browser.stop()
    shutil.copytree(web.directory / "profile", web.directory / "copy", symlinks=True)
    for lock in (web.directory / "copy").glob("Singleton*"):
        lock.unlink()
    web.browser = Chromium(web.directory / "copy", web.bus.address)
    web.browser.choose = web.pick
    web.load().sees("Your boxes")


def without_its_box(web, box):
    """Puts the copy where no box answers. All its later answers come from the browser alone."""
    copied(web)
    box.agent.stop()
    web.wanted = "cancel"


def test_a_copied_profile_without_a_passkey_cannot_tell_a_right_pin_from_a_wrong_one(web):
    box = web.box()
    use(web, box, False)
    digits = box.id
    without_its_box(web, box)
    said, kept = [], [everything(web)]
    for pin in (PIN, "0000"):
        web.tap("Log in at box " + digits)
        web.sees("Enter your PIN")
        web.type("PIN", pin)
        web.tap("Log in at box " + digits)
        web.sees("The list was closed")
        said.append(web.shown)
        kept.append(everything(web))
        web.tap("To the boxes")
        web.sees("Your boxes")
    assert said[0] == said[1] and len(set(kept)) == 1


def test_nothing_that_is_kept_without_a_passkey_depends_on_the_pin(web):
    box = web.box()
    web.launch().ready(box)
    before = everything(web)
    web.tap("Settings")
    web.tap("Change PIN")
    for label, pin in (("Old PIN", "4711"), ("New PIN", PIN), ("The new PIN again", PIN)):
        web.type(label, pin)
    web.tap("Change PIN")
    web.sees("Box %s: done." % box.id)
    assert everything(web) == before


def test_a_copied_profile_with_a_passkey_opens_nothing_and_takes_no_pin(web):
    box = web.box()
    use(web, box, True)
    web.tap("To the boxes")
    copied(web)
    web.wanted = box.id
    before, counted = everything(web), box.json("devices")[0]["pin_attempts_left"]
    Authenticator(web.browser)
    for order in ("Log in at box " + box.id, "Show session"):
        web.tap(order)
        web.sees("The passkey was not used")
        assert web.js("document.querySelector('input') === null")
        web.tap("To the boxes")
        web.sees("Your boxes")
    assert everything(web) == before and box.json("devices")[0]["pin_attempts_left"] == counted
    # Even a script of the page that has the browser's key cannot open the layer of the passkey.
    assert opened_by_the_browsers_key(web) == {"key": False, "secret": False, "pin": False}


def test_a_copied_profile_without_a_passkey_holds_the_phones_keys(web):
    box = web.box()
    use(web, box, False)
    copied(web)
    assert opened_by_the_browsers_key(web) == {"key": True, "secret": True}
    web.wanted = box.id
    web.tap("Show session")
    web.sees("This phone has no open session there.")


def opened_by_the_browsers_key(web):
    """Returns for each sealed value whether the browser's key reveals the secret itself, 32 bytes, and no further seal."""
    return json.loads(web.js("""(async () => {
        const database = await new Promise(done => { const r = indexedDB.open("boxphone"); r.onsuccess = () => done(r.result); });
        const get = (name, how, key) => new Promise(done => { const r = database.transaction(name).objectStore(name)[how](key); r.onsuccess = () => done(r.result); });
        const key = await get("keys", "get", "seal"), [row] = await get("boxes", "getAll"), found = {};
        const id = Array.from(row.id, byte => byte.toString(16).padStart(2, "0")).join("");
        for (const name of ["key", "secret", "pin"]) if (row[name]) {
            const additionalData = new TextEncoder().encode(name + id);
            const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv: row[name].iv, additionalData }, key, row[name].bytes);
            found[name] = opened.byteLength === 32;
        }
        return JSON.stringify(found);
    })()"""))
