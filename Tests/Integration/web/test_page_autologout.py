"""The automatic logout on the page: its time within the box's limits, and the warning before it."""

import json
import signal

import pytest
from test_sessions import Login


def opened(web, **settings):
    """Logs in at a box with these settings. Returns (box, the session's program)."""
    box = web.box(**settings)
    web.launch().ready(box)
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("alice is logged in")
    return box, login


def pick(web, seconds):
    web.js("(() => { const s = document.querySelector('select'); s.value = '%d'; s.dispatchEvent(new Event('change')); })()" % seconds)


def times(web):
    web.wait("document.querySelector('#away')")
    return json.loads(web.js("JSON.stringify([...document.querySelectorAll('#away option:enabled')].map(o => [Number(o.value), o.textContent]))"))


def test_the_time_is_chosen_within_the_boxs_bounds_and_the_box_keeps_it(web):
    box, login = opened(web, **{"auto_logout.minimum_seconds": "90", "auto_logout.maximum_seconds": "1800"})
    web.tap("Automatic logout")
    web.sees("The box allows from 1 min 30 sec to 30 min, or never.")
    offered = times(web)
    assert offered[0] == [0, "Never"] and offered[1] == [90, "1 min 30 sec"] and offered[-1] == [1800, "30 min"]
    assert web.js("document.querySelector('#away').value") == "0"
    assert web.js("document.activeElement.labels[0].textContent") == "After how long"
    pick(web, 300)
    web.tap("Save")
    web.sees("Box %s logs you out after 5 min without this phone." % box.id)
    web.tap("Show session")
    web.sees("alice is logged in")
    web.tap("Automatic logout")
    times(web)
    assert web.js("document.querySelector('#away').value") == "300"
    login.close()


def test_the_time_is_chosen_in_the_settings_too_and_never_only_where_the_box_allows_it(web):
    box = web.box(**{"auto_logout.may_be_off": "false", "auto_logout.default_seconds": "600"})
    web.launch().ready(box)
    web.tap("Settings")
    web.tap("Automatic logout")
    web.sees("The box allows from 1 min to 8 hr.")
    assert [0, "Never"] not in times(web)
    # The box's default time is for phones whose absence counts. For a page, no time is set until its user chooses one.
    assert web.js("document.querySelector('#away').selectedOptions[0].textContent") == "None chosen yet"
    web.tap("Save")
    assert web.js("document.querySelector('#away')") is not None
    # Meanwhile the administrator changes the limits.
    box.write_config(**{"auto_logout.may_be_off": "false", "auto_logout.default_seconds": "600", "auto_logout.minimum_seconds": "300"})
    box.agent.process.send_signal(signal.SIGHUP)
    pick(web, 60)
    web.tap("Save")
    web.sees("Box %s does not allow it." % box.id)


@pytest.fixture
def warned(web):
    """A box on which a session lasts 45 s, and one tap adds an hour."""
    return opened(web, **{"auto_logout.longest_seconds": "45", "auto_logout.extension_seconds": "3600", "auto_logout.extension_limit": "1",
                          "auto_logout.minimum_seconds": "10"})


def test_a_warning_counts_down_and_a_tap_puts_the_logout_off(web, warned):
    box, login = warned
    web.sees("seconds: time limit.")
    assert web.js("document.getElementById('live').textContent").startswith("Logout in")
    first = seconds_left(web)
    web.wait("Number(document.querySelector('.card .bad bdi')?.textContent) < %d" % first)
    web.tap("Stay logged in")
    web.sees("Logout postponed.")
    web.wait("!document.body.innerText.includes('Logout in')")
    web.sees("Ends in 1 hr")
    assert "extend" in [entry["detail"] for entry in box.json("audit")]
    login.close()


def test_a_warning_that_nothing_puts_off_has_no_button_and_goes_with_the_session(web):
    _, login = opened(web, **{"auto_logout.longest_seconds": "45", "auto_logout.extension_limit": "0"})
    web.sees("seconds: time limit.")
    assert "Stay logged in" not in web.shown
    login.close()
    web.sees("This phone has no open session there.")
    assert "Logout in" not in web.shown


def test_whoever_comes_back_to_a_session_that_is_about_to_end_is_warned(web, warned):
    _, login = warned
    web.sees("seconds: time limit.")
    web.tap("To the boxes")
    web.tap("Show session")
    web.sees("seconds: time limit.")
    web.tap("Stay logged in")
    web.sees("Logout postponed.")
    login.close()


def seconds_left(web):
    return web.js("Number(document.querySelector('.card .bad bdi').textContent)")
