"""Refusals by the browser, the phone or the user. The page reports each one with a cure."""

import json

import pytest
from person import Person
from screens import BLIND_DETECTOR

CODE_SEEN = """globalThis.BarcodeDetector = class {
    turns = 0;
    async detect(video) { if (video.readyState < 2) throw new Error("no picture"); return ++this.turns < 3 ? [] : [{ rawValue: %s }]; }
};"""
# Records the camera's tracks, to check what still runs after the user has gone on.
TRACKS = """(() => {
    globalThis.tracks = [];
    const media = navigator.mediaDevices, ask = media.getUserMedia.bind(media);
    media.getUserMedia = async wanted => {
        globalThis.asked = true;
        if (globalThis.late) await new Promise(done => { globalThis.answer = done; });
        const stream = await ask(wanted);
        tracks.push(...stream.getTracks());
        return stream;
    };
})();"""


@pytest.fixture
def person(used):
    return Person(used)


def camera(used, setting):
    used.browser.call("Browser.setPermission", permission={"name": "camera"}, setting=setting)


def test_a_code_that_the_camera_sees_is_taken(used, person):
    order = used.own.command("enrol", "alice", "--web", "--yes")
    code = order.wait_for_code()
    camera(used, "granted")
    used.before_load(TRACKS + CODE_SEEN % json.dumps(code))
    used.load()
    person.tap("home.add")
    person.tap("enrol.camera")
    used.wait("document.querySelector('textarea')?.value === %s" % json.dumps(code))
    assert used.js("tracks.map(each => each.readyState)") == ["ended"]
    order.stop()


def test_codes_that_are_none_are_passed_over_by_the_camera(used, person):
    camera(used, "granted")
    used.before_load(TRACKS + CODE_SEEN % json.dumps("https://example.org/"))
    used.load()
    person.tap("home.add")
    person.tap("enrol.camera")
    used.wait("document.querySelector('video')?.readyState > 1")
    used.js("new Promise(done => { let left = 20; const next = () => --left ? requestAnimationFrame(next) : done(); next(); })")
    assert used.js("document.querySelector('video') !== null")
    person.tap("back")
    person.sees("enrol.text")
    assert used.js("tracks.map(each => each.readyState)") == ["ended"]


def test_a_camera_that_is_refused_is_said_and_the_code_can_be_typed(used, person):
    camera(used, "denied")
    used.before_load(BLIND_DETECTOR)
    used.load()
    person.tap("home.add")
    person.tap("enrol.camera")
    person.hears("enrol.noCamera")
    assert person.focus == "textarea Code"


def test_a_camera_that_comes_after_the_person_went_back_is_switched_off(used, person):
    camera(used, "granted")
    used.before_load("globalThis.late = true;" + TRACKS + BLIND_DETECTOR)
    used.load()
    person.tap("home.add")
    person.tap("enrol.camera")
    used.wait("!!globalThis.answer")
    person.tap("back")
    person.fills("enrol.code", "boxlink:2/")
    used.js("answer()")
    used.wait("tracks.length && tracks.every(each => each.readyState === 'ended')")
    assert used.js("document.querySelector('textarea').value") == "boxlink:2/"
    assert used.js("document.getElementById('live').textContent") == ""


def test_bluetooth_that_is_off_is_switched_on_while_the_list_is_open(used, person):
    used.zoo.power(0, False)
    try:
        used.waits_for_a_tap()
        person.logs_in(used.own)
    finally:
        used.zoo.power(0, True)
    person.sees("o.login", used.own_id)


def test_bluetooth_that_is_off_is_said_where_the_browser_says_so(used, person):
    used.before_load("""navigator.bluetooth.requestDevice = async () => { throw new DOMException("no adapter", "NotFoundError"); };
        navigator.bluetooth.getAvailability = async () => false;""")
    used.load()
    person.logs_in(used.own)
    person.sees("c.off")


@pytest.mark.parametrize("name, message, key", [
    ("NotFoundError", "User cancelled the requestDevice() chooser.", "c.cancelled"),
    ("NotFoundError", "User denied the browser permission to scan for Bluetooth devices.", "c.refused"),
    ("NotFoundError", "User or their enterprise administrator has disabled Web Bluetooth.", "c.refused"),
    ("NotFoundError", "Web Bluetooth API globally disabled.", "c.refused"),
    ("SecurityError", "Access to the feature \"bluetooth\" is disallowed by permissions policy.", "c.refused"),
    ("NotAllowedError", "Permission denied", "c.refused")])
def test_what_the_browser_says_of_its_list_is_told_with_what_helps(used, person, name, message, key):
    used.before_load("navigator.bluetooth.requestDevice = async () => { throw new DOMException(%s, %s); };" % (
        json.dumps(message), json.dumps(name)))
    used.load()
    person.logs_in(used.own)
    person.sees(key)


def test_a_browser_in_which_bluetooth_is_blocked_says_that_it_may_not(web):
    box = web.box()
    preferences = web.directory / "profile/Default/Preferences"
    preferences.parent.mkdir(parents=True)
    preferences.write_text(json.dumps({"profile": {"default_content_setting_values": {"bluetooth_guard": 2}}}))
    order = box.command("enrol", "alice", "--web", "--yes")
    web.launch()
    web.wanted = box.id
    web.tap("Add a box")
    web.type("Code", order.wait_for_code())
    web.tap("Find the box")
    web.sees("The browser may not use Bluetooth.")


def test_two_new_pins_that_differ_are_both_entered_again(used, person):
    person.tap("home.settings")
    person.tap("store.again")
    for key, text in (("store.password", "another horse"), ("store.pin", "4711"), ("store.repeat", "4712")):
        person.fills(key, text)
    person.tap("store.send")
    person.hears("pin.differ")
    person.has_focus("input " + person.say("store.pin"))
    assert used.js("[...document.querySelectorAll('input[type=password]')].map(each => each.value.length).join()") == "13,0,0"
