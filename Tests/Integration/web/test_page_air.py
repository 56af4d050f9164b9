"""Trouble in the air: impostors of a box, values that are truncated silently, a link that ends at each step, hostile texts."""

import json

import pytest
from person import Person
from thorough import cases

# Pauses at one step of a link until the test calls goOn(). Meanwhile, the test ends the link.
STEPS = """(() => {
    const [wanted, link] = %s;
    let links = 0;
    const at = async (name, value) => {
        if (name === wanted && links === link && !globalThis.held) {
            globalThis.held = name;
            await new Promise(done => { globalThis.goOn = done; });
        }
        return value;
    };
    const server = BluetoothRemoteGATTServer.prototype, value = BluetoothRemoteGATTCharacteristic.prototype;
    const { connect, getPrimaryService } = server, { readValue, startNotifications, writeValueWithoutResponse: write } = value;
    server.connect = async function () { links += 1; return at("connected", await connect.call(this)); };
    server.getPrimaryService = async function (name) { return at("found", await getPrimaryService.call(this, name)); };
    value.readValue = async function () { return at("identified", await readValue.call(this)); };
    value.startNotifications = async function () { return at("subscribed", await startNotifications.call(this)); };
    value.writeValueWithoutResponse = async function (bytes) { await at("writing"); return at("written", await write.call(this, bytes)); };
})();"""
# A radio that silently truncates long values, as Android's does.
CUTS = """(() => {
    globalThis.cut = 0;
    const { writeValueWithoutResponse: write } = BluetoothRemoteGATTCharacteristic.prototype;
    BluetoothRemoteGATTCharacteristic.prototype.writeValueWithoutResponse = function (value) {
        if (globalThis.cutting && value.length > 20) { globalThis.cut += 1; value = value.slice(0, 20); }
        return write.call(this, value);
    };
})();"""


@pytest.fixture
def person(used):
    return Person(used)


def logins(box):
    return sum(entry["event"].startswith("login") for entry in box.json("audit"))


def logs_in(used, person):
    program = used.waits_for_a_tap()
    person.logs_in(used.own)
    person.sees("o.login", used.own_id)
    assert program.wait() == 0


def test_a_radio_that_begins_to_cut_values_in_silence_costs_no_login(used, person):
    used.before_load(CUTS)
    used.load()
    logs_in(used, person)
    person.tap("toBoxes")
    used.js("globalThis.cutting = true")
    logs_in(used, person)
    assert used.js("cut") > 0


# The first link asks for the box's state. The second one logs in.
FEW = [(1, "connected"), (1, "written"), (2, "subscribed"), (2, "written")]
OTHERS = [(1, "found"), (1, "identified"), (1, "subscribed"), (1, "writing"), (2, "connected"), (2, "found"), (2, "identified"), (2, "writing")]


@pytest.mark.parametrize("link, step", cases(FEW, OTHERS))
def test_a_link_that_ends_at_any_step_before_the_pin_is_sent_is_tried_again(used, person, link, step):
    used.before_load(STEPS % json.dumps([step, link]))
    used.load()
    before, program = logins(used.own), used.waits_for_a_tap()
    person.logs_in(used.own)
    used.wait("globalThis.held")
    used.zoo.lose_link(used.zoo.device(0, 1))
    used.js("goOn()")
    # The PIN had not been sent completely, so the next link sends it. The box sees one login.
    person.sees("o.login", used.own_id)
    assert program.wait() == 0
    assert logins(used.own) == before + 1


# Impostors of a box. Their rows look alike in the browser's list.


def both_rows(web, wanted, first):
    """Waits until both rows are in the list, and picks the true box if `first`, otherwise the other one."""
    def pick(devices):
        rows = [each["id"] for each in devices if each["name"] == "Box " + wanted]
        web.rows = rows
        return None if len(rows) < 2 else next(row for row in rows if (row == web.true) == first)
    web.browser.choose = pick


@pytest.fixture
def doubled(web):
    """A page that knows a box, and a second box with another key and the same digits."""
    box = web.box()
    web.launch()
    pick = web.browser.choose
    web.browser.choose = lambda devices: setattr(web, "true", pick(devices) or getattr(web, "true", None)) or pick(devices)
    web.ready(box)
    web.load().sees("Your boxes")
    web.twin = web.box(**{"radio.adapter": '"hci2"', "box.id": '"%s"' % box.id})
    web.own = box
    return web


def test_an_evil_twin_is_sent_nothing_and_the_true_box_can_be_chosen_then(doubled):
    box = doubled.own
    both_rows(doubled, box.id, first=False)
    doubled.log_in(box)
    doubled.sees("it is not your box. Nothing was sent.")
    assert doubled.twin.json("status")["tap_held"] is False
    doubled.tap("To the boxes")
    both_rows(doubled, box.id, first=True)
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    doubled.log_in(box)
    doubled.sees("You are logged in")
    assert program.wait() == 0


def test_two_boxes_of_ones_own_that_show_the_same_digits_are_told_apart(doubled):
    box, twin = doubled.own, doubled.twin
    both_rows(doubled, box.id, first=False)
    twin.pam_service(users={"bob": b"bob's own"})
    order = twin.command("enrol", "bob", "--web", "--yes")
    doubled.tap("Add a box")
    doubled.type("Code", order.wait_for_code())
    doubled.tap("Find the box")
    doubled.sees("Password and PIN for box")
    doubled.store(twin, password="bob's own", pin="8642")
    doubled.tap("To the boxes")
    doubled.sees("As bob")

    def log_in(user, pin):
        doubled.js("""document.querySelectorAll(".card").forEach(card =>
            card.querySelector("button.main").setAttribute("aria-label", card.querySelector("bdi").textContent))""")
        doubled.tap(user)
        doubled.sees("Enter your PIN")
        doubled.keys(pin)
        doubled.tap("Log in at box")

    # The page still holds a connection to bob's box, so alice's PIN is not sent.
    log_in("alice", "4711")
    doubled.sees("it is not your box. Nothing was sent.")
    assert not twin.tap_held()
    doubled.tap("To the boxes")
    for mine, user, pin in ((box, "alice", "4711"), (twin, "bob", "8642")):
        doubled.sees("As bob")
        both_rows(doubled, box.id, first=mine is box)
        program = mine.pam(user)
        mine.wait_until(mine.programs_waiting)
        log_in(user, pin)
        if mine is twin:
            doubled.sees("it is not your box. Nothing was sent.")
            doubled.tap("To the boxes")
            doubled.sees("As bob")
            log_in(user, pin)
        doubled.sees("You are logged in")
        assert program.wait() == 0
        doubled.tap("To the boxes")
