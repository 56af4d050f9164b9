"""The page during a session at a box that it knows only through its site."""
import pytest

from test_one_enrolment import NUMBERS
from test_sessions import Login, commands  # noqa: F401
from test_web_phone import boxes, enrol, log_in, web  # noqa: F401


@pytest.fixture
def settings(commands):  # noqa: F811
    return {"sessions.%s_command" % name: '["%s", "%s", "{user}"]' % (commands, name) for name in ("lock", "unlock", "logout")}


def test_a_session_at_a_box_of_the_site_is_locked_unlocked_and_ended_also_by_a_page_that_was_closed(site, web, boxes, commands):  # noqa: F811
    web.launch().sees("No boxes yet")
    enrol(web, site, NUMBERS[0])
    web.sees("This phone belongs to site")
    login = Login(boxes[0], "alice")
    boxes[0].wait_until(boxes[0].programs_waiting)
    log_in(web, boxes[0], NUMBERS[0])
    web.sees("alice is logged in")
    web.sees("Box %s of your site" % NUMBERS[0])
    web.tap("Lock")
    web.sees("The session of alice is locked")
    # The box's digits are in the list, so nothing is typed.
    web.relaunch().sees("Box %s of your site" % NUMBERS[0])
    web.wanted = NUMBERS[0]
    web.tap("Show session")
    web.sees("The session of alice is locked")
    web.tap("Unlock")
    web.sees("Unlocked.")
    web.tap("Log out")
    web.sees("Logged out.")
    called = (commands.parent / "called").read_text().split("\n")
    assert called[:3] == ["lock alice", "unlock alice", "logout alice"]
    login.close()
    web.sees("This phone has no open session there.")
    web.tap("To the boxes")
    web.sees("as alice")
