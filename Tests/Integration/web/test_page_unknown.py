"""A password was delivered, and the page never hears the verdict. The page asks before it sends that password a third time."""

import pytest
from person import Person
from test_page_clock import CLOCKS

# After holdBack(), the page hears nothing that the radio brings, until bring().
HOLD = """(() => {
    const value = BluetoothRemoteGATTCharacteristic.prototype, { addEventListener: listen } = value;
    let held = null;
    globalThis.holdBack = () => { held = []; };
    globalThis.bring = () => { const late = held; held = null; late.forEach(hear => hear()); return late.length; };
    globalThis.heldBack = () => held.length;
    value.addEventListener = function (name, heard, ...rest) {
        return listen.call(this, name, event => {
            const hear = heard.bind(this, { target: { value: event.target.value } });
            if (held) held.push(hear); else hear();
        }, ...rest);
    };
    // timeIsUp() runs the long timer that was set last, as if its time had passed.
    const set = globalThis.setTimeout;
    globalThis.setTimeout = (act, delay, ...rest) => {
        if (delay > 60_000) globalThis.timeIsUp = act;
        return set(act, delay, ...rest);
    };
})();"""
LONGER_THAN_A_VERDICT = 700_000  # milliseconds (Sources/PhoneCore/Errand/PhoneLimits.swift)


@pytest.fixture
def gate(used):
    """Makes login programs wait between the delivery and the check of the password. Returns a function that lets one go on."""
    path = used.own.directory / "gate"
    path.unlink(missing_ok=True)
    used.own.pam_service()
    service = used.own.directory / "pam.d" / "demo"
    lines = service.read_text().splitlines()
    lines.insert(1, "auth [default=ignore] pam_exec.so quiet /bin/sh -c [mkfifo %s; cat %s; rm %s]" % (path, path, path))
    service.write_text("\n".join(lines) + "\n")

    def go_on():
        used.own.wait_until(path.exists)
        path.open("w").close()

    yield go_on
    used.own.pam_service()


@pytest.fixture
def person(used):
    used.before_load(CLOCKS)
    used.before_load(HOLD)
    used.load().sees("Your boxes")
    return Person(used)


def reloaded(used, person, go_on):
    used.load().sees("may or may not have done it")
    go_on()
    person.tap("understood")


def slept(used, person, go_on):
    used.js("ahead.wall += 600_000")
    person.sees("r.2", used.own_id)
    go_on()
    person.tap("toBoxes")


def gives_up(used, person, go_on):
    """The page has waited as long as a verdict may take. The verdict arrives then."""
    used.js("holdBack()")
    go_on()
    used.wait("heldBack()")
    used.js("ahead.steady += %d, ahead.wall += %d, timeIsUp()" % (LONGER_THAN_A_VERDICT, LONGER_THAN_A_VERDICT))
    person.sees("r.2", used.own_id)
    assert used.js("bring()") > 0
    person.sees("r.2", used.own_id)
    assert used.js("document.querySelector('h1').textContent") == person.say("login.failed")
    person.tap("toBoxes")


def logs_in_unheard(used, person, ends, gate):
    program = used.waits_for_a_tap()
    person.logs_in(used.own)
    person.hears("p.delivered")
    ends(used, person, gate)
    program.wait()
    person.sees("home.title")


@pytest.mark.parametrize("ends", [reloaded, slept, gives_up])
def test_a_password_whose_verdict_was_not_heard_twice_is_not_sent_again_without_a_yes(used, person, gate, ends):
    for _ in range(2):
        logs_in_unheard(used, person, ends, gate)
        used.wanted = used.own_id
    program = used.waits_for_a_tap()
    for answer in ("cancel", "again"):
        person.tap("login.button", used.own_id)
        person.sees("again.unknown", used.own_id)
        assert used.own.programs_waiting() == 1
        person.tap(answer)
    person.sees("pin.label")
    used.keys("4711")
    person.tap("login.button", used.own_id)
    # The browser's list is answered only while the test waits for the page.
    person.hears("p.delivered")
    gate()
    person.sees("o.login", used.own_id)
    program.ok()
    # The accepted password costs no question.
    person.tap("toBoxes")
    logs_in_unheard(used, person, ends, gate)
    used.wanted = used.own_id
    person.opens_login(used.own)
