"""Sleep and clocks: after a gap the page drops its link and recovers, and a clock that jumps does no harm."""

import pytest
from person import Person

# Replaces both clocks of the page. `wall` and `steady` are the milliseconds by which they are ahead.
CLOCKS = """(() => {
    const ahead = globalThis.ahead = { wall: 0, steady: 0 };
    const wall = Date.now, steady = performance.now.bind(performance);
    Date.now = () => wall() + ahead.wall;
    performance.now = () => steady() + ahead.steady;
})();
globalThis.frozen = false;
document.addEventListener("freeze", () => { globalThis.frozen = true; });
globalThis.connections = 0;
const { connect } = BluetoothRemoteGATTServer.prototype;
BluetoothRemoteGATTServer.prototype.connect = function () { connections += 1; return connect.call(this); };"""
YEAR = 365 * 86_400_000


@pytest.fixture
def person(used):
    used.before_load(CLOCKS)
    used.load().sees("Your boxes")
    return Person(used)


def watches(used, person):
    person.tap("session.button")
    person.sees("s.state.0")
    return used.js("connections")


def logs_in(used, person):
    program = used.waits_for_a_tap()
    person.logs_in(used.own)
    person.sees("o.login", used.own_id)
    assert program.wait() == 0


def frozen(used):
    # Chromium does not freeze a page with emulated focus, because it counts as visible.
    used.browser.call("Emulation.setFocusEmulationEnabled", enabled=False)
    used.browser.call("Page.setWebLifecycleState", state="frozen")
    used.browser.call("Page.setWebLifecycleState", state="active")
    used.browser.call("Emulation.setFocusEmulationEnabled", enabled=True)


def test_a_link_from_before_a_sleep_is_dropped_and_a_new_one_tells_the_state(used, person):
    before = watches(used, person)
    used.js("ahead.wall += 3000")
    used.wait("connections > %d" % before)
    person.sees("s.state.0")
    # The new link works: its request is answered.
    person.tap("toBoxes")
    person.sees("home.title")


def test_a_page_that_was_frozen_drops_its_link(used, person):
    before = watches(used, person)
    frozen(used)
    used.wait("connections > %d" % before)
    person.sees("s.state.0")
    assert used.js("frozen")


def test_a_short_gap_drops_nothing(used, person):
    before = watches(used, person)
    used.js("ahead.wall += 1500")
    # A dropped link would show within two beats of the page's timer.
    used.js("new Promise(done => { let beats = 0; const timer = setInterval(() => { if (++beats === 25) { clearInterval(timer); done(); } }, 100); })")
    assert used.js("connections") == before


@pytest.mark.parametrize("how", ["slept", "frozen"])
def test_a_login_during_which_the_phone_slept_is_not_known(used, person, how):
    person.logs_in(used.own)
    person.hears("p.waitingForPrompt")
    if how == "slept":
        used.js("ahead.wall += 600_000")
    else:
        frozen(used)
    person.sees("unknown", used.own_id)
    person.tap("toBoxes")
    logs_in(used, person)


@pytest.mark.parametrize("milliseconds", [-YEAR, -50 * YEAR, 50 * YEAR, 5_000 * YEAR])
def test_a_clock_that_is_set_elsewhere_does_nothing_bad(used, person, milliseconds):
    used.js("ahead.wall += %d" % milliseconds)
    logs_in(used, person)
    person.tap("toBoxes")
    # The clock jumps back. Then both clocks jump together, as after a pause of a virtual machine.
    used.js("ahead.wall -= %d" % milliseconds)
    used.js("ahead.steady += 86_400_000, ahead.wall += 86_400_000")
    logs_in(used, person)
