"""The page sends a login only once, takes no markup from boxes, stores no secret on disk, and starts without a network."""

import pathlib
import urllib.request

import pytest
from private_bus import PrivateBus

VECTORS = (pathlib.Path(__file__).resolve().parents[3] / "Tests/Vectors/protocol.md").read_text()
CODE = VECTORS.split("```text vectors-code")[1].split("```")[0].strip()
UNKNOWN = "Box %s may or may not have done it. Look at its screen."


def everything_in(folder):
    """Yields (path, bytes) of every file of the profile."""
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()


def test_a_lost_link_says_that_it_is_not_known(web):
    box = web.box()
    web.launch().ready(box)
    # No program waits. The box holds the login and reports that.
    web.log_in(box)
    web.wait("document.getElementById('live').textContent.includes('Waiting for the login screen')")
    web.zoo.lose_link(web.zoo.device(0, 1))
    web.sees(UNKNOWN % box.id)


def test_a_reload_in_the_middle_of_a_login_says_that_it_is_not_known(web):
    box = web.box()
    web.launch().ready(box)
    # No program waits. The box holds the credential for a while, and the page waits.
    web.log_in(box)
    web.wait("document.getElementById('live').textContent.includes('Waiting for the login screen')")
    web.load().sees(UNKNOWN % box.id)
    web.tap("Understood")
    web.sees("Your boxes")
    web.load().sees("Your boxes")


def test_the_second_start_needs_no_server(web):
    box = web.box()
    web.launch().ready(box)
    web.js("navigator.serviceWorker.ready.then(() => true)")
    web.server.stop()
    web.browser.stop()
    web.launch().sees("Log in at box " + box.id)
    web.wanted = box.id
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("You are logged in")
    assert program.wait() == 0


def test_a_chooser_that_is_closed_says_what_to_do(web):
    box = web.box()
    web.launch().ready(box)
    web.load().sees("Your boxes")
    web.wanted = "cancel"
    web.log_in(box)
    web.sees("The list was closed, or the box was not in it.")
    web.wanted = box.id
    web.tap("Try again")
    web.sees("Enter your PIN")


def test_bluetooth_that_is_missing_is_said(web, directory):
    (directory / "empty").mkdir()
    bus = PrivateBus(directory / "empty")
    try:
        web.launch(bus=bus.address)
        web.tap("Add a box")
        web.type("Code", CODE)
        web.tap("Find the box")
        web.sees("Bluetooth is off or missing.")
    finally:
        bus.stop()


def test_a_browser_without_web_bluetooth_is_told_what_helps(web):
    web.launch(features="").sees("This browser has no Web Bluetooth.")
    web.sees("You can always type the password at the box.")


def test_a_page_that_did_not_come_by_https_does_not_begin(web):
    web.launch(flags=["--host-resolver-rules=MAP boxphone.example 127.0.0.1"])
    web.browser.go("http://boxphone.example:%d/" % web.server.port)
    web.sees("This page was not loaded over HTTPS.")


@pytest.mark.parametrize("code", ["", "boxlink:2/AAAA", "https://phone.example/#boxlink"])
def test_what_is_no_code_is_said_before_anything_is_asked(web, code):
    web.launch()
    web.tap("Add a box")
    web.type("Code", code)
    web.tap("Find the box")
    web.sees("The code is not complete.")


def test_what_a_box_says_cannot_become_markup(web):
    web.launch()
    web.js("""(async () => {
        const { say, visible } = await import("./texts.js");
        const place = document.querySelector("main");
        place.replaceChildren(...say("home.user", "<img src=x onerror=window.hurt=1>\\u202edlrow\\u0000"));
    })()""")
    assert web.js("document.querySelector('main img') === null && window.hurt === undefined")
    assert web.js("document.querySelector('main bdi').textContent") == "<img src=x onerror=window.hurt=1>\\u{202e}dlrow\\u{0}"
    # Even the page's own script cannot insert markup: the browser refuses texts in place of markup or scripts.
    assert web.js("(() => { try { document.body.innerHTML = '<b>x</b>'; return 'taken' } catch (e) { return e.name } })()") == "TypeError"
    assert web.js("(() => { try { eval('1'); return 'taken' } catch (e) { return e.name } })()") == "EvalError"


def test_the_page_cannot_be_framed(web):
    web.launch()
    with urllib.request.urlopen(web.server.url) as answer:
        policy = answer.headers["Content-Security-Policy"]
    for rule in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"):
        assert rule in policy
    frame = web.directory / "frame"
    frame.mkdir()
    (frame / "index.html").write_text("<iframe src='%s'></iframe>" % web.server.url)
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    import functools
    import threading
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(SimpleHTTPRequestHandler, directory=str(frame)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        web.browser.go("http://localhost:%d/" % server.server_address[1])
        web.browser.until(lambda: any("frame-ancestors" in str(each) for each in web.browser.console()))
    finally:
        server.shutdown()
        server.server_close()


def test_neither_password_nor_pin_is_anywhere_in_the_profile_while_the_browser_runs(web):
    box = web.box()
    box.pam_service(users={"alice": b"Zahnradbahn-7741-Xylophon"})
    web.launch()
    web.enrol(box)
    web.store(box, password="Zahnradbahn-7741-Xylophon", pin="8264917350")
    web.tap("To the boxes")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box, "8264917350")
    web.sees("You are logged in")
    assert program.wait() == 0
    profile = web.directory / "profile"
    found = [str(path) for path, data in everything_in(profile)
             for secret in ("Zahnradbahn-7741-Xylophon", "8264917350")
             if secret.encode() in data or secret.encode("utf-16-le") in data]
    assert found == []
    # The search would find secrets: it finds data that the page does store.
    assert any(box.id.encode() in data for _, data in everything_in(profile))


def test_keys_cannot_be_taken_out_of_the_store(web):
    box = web.box()
    web.launch().ready(box)
    assert web.js("""(async () => {
        const database = await new Promise(done => { const r = indexedDB.open("boxphone"); r.onsuccess = () => done(r.result); });
        const get = (name, all) => new Promise(done => { const r = database.transaction(name).objectStore(name)[all](name === "keys" ? "seal" : undefined); r.onsuccess = () => done(r.result); });
        const key = await get("keys", "get"), [row] = await get("boxes", "getAll");
        let how = "exported";
        try { await crypto.subtle.exportKey("raw", key); } catch (error) { how = error.name; }
        return [how, row.key.bytes.length, row.secret.bytes.length, Object.keys(row).sort().join()];
    })()""") == ["InvalidAccessError", 48, 48, "authority,boxKey,confirmed,digits,id,key,label,mode,refused,secret,serial,unknown,user"]


def test_a_changed_core_is_not_started(web, directory):
    import shutil
    other = directory / "changed"
    shutil.copytree(web.page, other)
    core = bytearray((other / "boxphone.wasm").read_bytes())
    core[-1] ^= 1
    (other / "boxphone.wasm").write_bytes(core)
    web.server.stop()
    from page_server import PageServer
    web.server = PageServer(other)
    box = web.box()
    web.launch()
    web.wanted = box.id
    order = box.command("enrol", "alice", "--web", "--yes")
    web.tap("Add a box")
    web.type("Code", order.wait_for_code())
    web.tap("Find the box")
    web.sees("A part of this page is from another release.")


@pytest.mark.parametrize("how", ["closed", "left"])
def test_a_second_tab_waits_until_the_first_is_gone(web, how):
    web.launch().sees("No boxes yet")
    first, session = web.browser.target, web.browser.session
    target = web.browser.call("Target.createTarget", url=web.server.url)["targetId"]
    web.browser.attach(target)
    web.sees("Open elsewhere")
    if how == "closed":
        web.browser.call("Target.closeTarget", targetId=first)
    else:
        second, web.browser.session = web.browser.session, session
        web.browser.go("about:blank")
        web.browser.session = second
    web.sees("No boxes yet")
