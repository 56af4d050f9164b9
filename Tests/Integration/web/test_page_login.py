"""The page in Chromium against the real boxagentd: enrolment, login, PIN, and what the page knows after a lost link."""


def test_a_page_enrols_with_compared_digits_stores_the_password_and_logs_in(web):
    box = web.box()
    web.launch().sees("No boxes yet")
    web.ready(box)
    (device,) = box.json("devices")
    assert device["label"] == "Web phone", device
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("You are logged in at box " + box.id)
    assert program.wait() == 0


def test_a_wrong_password_at_the_box_is_said_and_a_right_one_can_be_stored(web):
    box = web.box()
    web.launch()
    web.enrol(box)
    web.store(box, password="wrong horse")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("Box %s did not accept the stored password" % box.id)
    assert program.wait() != 0
    web.tap("Store password at box")
    web.store(box)


def test_a_password_that_was_refused_is_not_sent_again_without_a_yes(web):
    box = web.box()
    web.launch()
    web.enrol(box)
    web.store(box, password="wrong horse")
    program = box.pam("alice", "authenticate")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("Box %s did not accept the stored password" % box.id)
    assert program.wait() != 0
    program = box.pam("alice", "authenticate")
    box.wait_until(box.programs_waiting)
    # A page that was loaded again asks as well, before anybody types a PIN.
    web.load()
    web.wanted = box.id
    for answer in ("Cancel", "Try again"):
        web.tap("Log in at box " + box.id)
        web.sees("Send it again?")
        assert box.programs_waiting() == 1
        web.tap(answer)
    web.sees("Enter your PIN")
    web.keys("4711")
    web.tap("Log in at box " + box.id)
    web.sees("Not logged in")
    assert program.wait() != 0
    web.tap("To the boxes")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.tap("Log in at box " + box.id)
    web.sees("Send it again?")
    web.tap("Store password at box")
    web.store(box)
    web.tap("Log in at box")
    web.sees("Enter your PIN")
    web.keys("4711")
    web.tap("Log in at box")
    web.sees("You are logged in")
    assert program.wait() == 0


def test_a_wrong_pin_says_how_many_tries_are_left_and_warns_of_the_last(web):
    box = web.box(**{"pin.attempts": "3"})
    web.launch().ready(box)
    web.log_in(box, "0000")
    web.sees("Wrong PIN. 2 tries left.")
    web.keys("0001")
    web.tap("Log in at box")
    web.sees("This is the last try. A wrong PIN deletes the password at the box.")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.keys("4711")
    web.tap("Log in at box")
    web.sees("You are logged in")
    assert program.wait() == 0


def test_the_last_try_is_known_before_a_pin_that_was_typed_already_is_sent(web):
    box = web.box(**{"pin.attempts": "3"})
    web.launch().ready(box)
    web.log_in(box, "0000")
    web.sees("Wrong PIN. 2 tries left.")
    web.keys("0001")
    web.tap("Log in at box")
    web.sees("This is the last try.")
    web.tap("Cancel")
    web.sees("Wrong PIN. One try left")
    web.tap("To the boxes")
    web.log_in(box, "0002")
    web.sees("This is the last try.")
    web.tap("Cancel")
    web.log_in(box, "4711")
    web.sees("This is the last try.")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.keys("4711")
    web.tap("Log in at box")
    web.sees("You are logged in")
    assert program.wait() == 0


def test_a_reload_and_a_new_start_keep_the_boxes(web):
    box = web.box()
    web.launch().ready(box)
    web.load().sees("Log in at box " + box.id)
    web.relaunch().sees("Log in at box " + box.id)
    web.wanted = box.id
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    web.log_in(box)
    web.sees("You are logged in")
    assert program.wait() == 0
