"""Use with the keyboard alone: every flow works, each stop shows the focus, and the focus goes where the user expects it."""

import pytest
import screens
from person import Administrator, Person
from test_sessions import Login


@pytest.fixture
def person(used):
    return Person(used)


def enter(person, *keys):
    person.tabs_to(*keys)
    person.press("Enter")


def test_a_box_is_added_and_the_password_stored_without_a_pointer(used, person):
    used.js(screens.EMPTY)
    used.load()
    person.sees("home.none")
    administrator = Administrator(used.own)
    enter(person, "home.add")
    person.has_focus("textarea Code")
    enter(person, "enrol.button")
    person.hears("enrol.noCode")
    person.has_focus("button Find the box")
    person.press("Tab", shift=True)
    person.press("Tab", shift=True)
    person.has_focus("textarea Code")
    used.browser.call("Input.insertText", text=administrator.code)
    enter(person, "enrol.button")
    used.wait("document.querySelector('.digits')")
    person.has_focus("h1 Compare the digits")
    administrator.confirms(used.js("document.querySelector('.digits').textContent"))
    person.sees("store.title", used.own_id)
    person.has_focus("input Your password at the box")
    person.types("correct horse")
    for _ in range(2):
        person.press("Tab")
        person.looks_at_focus()
        person.types("4711")
    person.press("Enter")
    person.sees("store.done.text", used.own_id)
    person.has_focus("h1 Stored")
    assert person.say("store.done.text", used.own_id) in person.spoken()
    enter(person, "toBoxes")
    person.sees("home.title")
    person.has_focus("h1 Your boxes")


def test_a_login_by_typed_digits_says_its_verdict(used, person):
    enter(person, "login.button", used.own_id)
    person.has_focus("input PIN")
    person.types("47")
    person.press("Enter")
    person.hears("pin.bounds")
    person.has_focus("input PIN")
    program = used.waits_for_a_tap()
    person.types("4711")
    person.press("Enter")
    person.sees("o.login", used.own_id)
    assert program.wait() == 0
    person.sees("s.title", used.own_id)
    person.has_focus("h1 Box " + used.own_id)
    assert person.say("o.login", used.own_id) in person.spoken()


def test_a_login_by_the_keypads_keys_and_a_wrong_pin_that_is_said(used, person):
    enter(person, "login.button", used.own_id)
    for digit in "0009":
        enter(person, digit)
        person.has_focus("button " + digit)
    enter(person, "pin.back")
    enter(person, "0")
    enter(person, "login.button", used.own_id)
    person.sees("r.6", "2")
    person.has_focus("input PIN")
    assert person.say("r.6", "2") in person.spoken()
    used.waits_for_a_tap()
    person.types("4711")
    enter(person, "login.button", used.own_id)
    person.sees("o.login", used.own_id)


def test_a_session_is_locked_unlocked_and_ended(used, person):
    login = Login(used.own, "alice")
    used.own.wait_until(used.own.programs_waiting)
    enter(person, "login.button", used.own_id)
    person.types("4711")
    person.press("Enter")
    person.sees("s.state.1", "alice")
    for act, said in (("s.lock", "s.done.lock"), ("s.unlock", "s.done.unlock"), ("s.logout", "s.done.logout")):
        enter(person, act)
        person.sees(said)
        assert person.say(said) in person.spoken()
    login.close()
    person.sees("s.state.0")
    enter(person, "toBoxes")
    person.sees("home.title")


def test_a_request_is_heard_and_allowed(used, person):
    used.forget_what_was_asked()
    enter(person, "session.button")
    person.sees("s.state.0")
    sudo = used.sudo()
    person.sees("q.care")
    person.has_focus("h1 Box %s asks" % used.own_id)
    person.tabs_to("pin.label")
    person.types("4711")
    enter(person, "q.allow")
    person.sees("s.allowed")
    assert sudo.wait() == 0
    assert person.say("s.allowed") in person.spoken()


def test_a_pin_is_changed_and_changed_back(used, person):
    for old, new in (("4711", "86420"), ("86420", "4711")):
        enter(person, "home.settings")
        person.has_focus("h1 Settings")
        enter(person, "pin.change")
        person.has_focus("input Old PIN")
        person.types(old)
        person.press("Tab")
        person.types(new)
        person.press("Tab")
        person.types(new)
        enter(person, "pin.change")
        person.sees("done.title")
        person.has_focus("h1 Done")
        enter(person, "toBoxes")
        person.sees("home.title")


def test_a_box_is_forgotten_after_it_was_thought_over(used, person):
    enter(person, "home.settings")
    person.has_focus("h1 Settings")
    enter(person, "forget.button", used.own_id)
    person.has_focus("h1 Forget box %s?" % used.own_id)
    enter(person, "back")
    person.has_focus("h1 Settings")
    enter(person, "forget.button", used.own_id)
    enter(person, "forget.button", used.own_id)
    person.sees("home.none")
    person.has_focus("h1 No boxes yet")


def test_a_language_is_chosen_and_the_next_one_after_it(used, person):
    enter(person, "home.settings")
    person.sees("settings.language")
    person.tabs_to("settings.language")
    for heading in ("Einstellungen", "Настройки"):
        person.press("ArrowDown")
        used.sees(heading)
        used.wait("document.activeElement.localName === 'select'")


def test_what_has_the_focus_keeps_it_when_the_box_tells_something(used, person):
    login = Login(used.own, "alice")
    used.own.wait_until(used.own.programs_waiting)
    enter(person, "login.button", used.own_id)
    person.types("4711")
    person.press("Enter")
    person.sees("s.state.1", "alice")
    person.tabs_to("s.logout")
    # The box sends the session's state again, as after each action of another user.
    used.own.command("lock", "--user", "alice").ok()
    person.sees("s.state.2", "alice")
    person.has_focus("button Log out")
    login.close()
