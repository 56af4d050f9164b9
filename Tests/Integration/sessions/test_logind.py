"""Sessions with logind. A phone that logged in owns the session. An operation's outcome is what logind reports."""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from test_sessions import Login  # noqa: E402

STRANGER_UID = 4711


def log_in(box, logind, session="c42", user="alice", password=b"correct horse", **properties):
    """Logs a user in with a logind session. Returns (program, phone)."""
    phone = box.phone(user).enrol(user, password) if not hasattr(box, user) else getattr(box, user)
    setattr(box, user, phone)
    logind.add(session, user, **properties)
    login = Login(box, user, terminal=properties.get("terminal", "tty2"), session=session)
    # pam_systemd sets the leader when it opens the session.
    logind.change(session, "Leader", login.program.process.pid)
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    login.program.wait_for("session is open")
    box.wait_until(lambda: owned(box, session))
    return login, phone


def listing(box, *words):
    return json.loads(box.command("sessions", "--json", *words).ok())


def owned(box, session):
    """Returns a phone's session, also while the agent does not know all sessions."""
    command = box.command("sessions", "--json")
    command.wait()
    return next((one for one in json.loads(command.out) if one["id"] == session and one["device"]), None)


def test_the_phone_locks_unlocks_and_ends_its_logind_session(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    phone.command("lock").ok()
    assert owned(box, "c42")["state"] == "locked"
    phone.command("unlock").ok()
    assert owned(box, "c42")["state"] == "active"
    phone.command("logout").ok()
    box.wait_until(lambda: not listing(box))
    assert logind.calls() == [["lock", "c42"], ["unlock", "c42"], ["terminate", "c42"]]
    login.close()


def test_a_lock_that_nobody_confirms_is_not_called_done(box, logind):
    login, phone = log_in(box, logind, type="wayland", locker="deaf")
    attempt = phone.command("lock")
    assert attempt.wait() == 9
    assert "lock" in attempt.err
    assert owned(box, "c42")["state"] == "active"
    login.close()


def test_a_console_without_a_locker_says_that_it_cannot_lock_and_can_still_be_ended(box, logind):
    login, phone = log_in(box, logind)
    attempt = phone.command("lock")
    assert attempt.wait() == 9 and "no program can lock the session" in attempt.err, attempt.err
    assert logind.calls() == []
    finding = next(one for one in json.loads(doctor(box)) if one["name"] == "sessions")
    assert (finding["level"], finding["text"]) == ("warning", "no locker runs in session c42")
    phone.command("logout").ok()
    login.close()


def doctor(box):
    command = box.command("doctor", "--json")
    command.wait()
    return command.out


def test_a_session_that_will_not_end_is_killed(box, logind):
    login, phone = log_in(box, logind, stubborn=True)
    phone.command("logout").ok()
    assert logind.calls() == [["terminate", "c42"], ["kill", "c42", "all", "9"]]
    login.close()


def test_a_session_that_ends_during_an_unlock_was_not_unlocked(box, logind):
    login, phone = log_in(box, logind, type="wayland", locker="deaf")
    logind.locked("c42", True)
    box.wait_until(lambda: owned(box, "c42")["state"] == "locked")
    unlock = phone.command("unlock")
    box.wait_until(lambda: ["unlock", "c42"] in logind.calls())
    logind.remove("c42")
    assert unlock.wait() == 9 and "you have no session" in unlock.err, (unlock.out, unlock.err)
    login.close()


def test_a_lock_by_the_sites_command_counts_until_an_unlock_or_the_sessions_own_word(box, logind):
    box.stop()
    box.write_config(**{"sessions.lock_command": '["/bin/true"]', "sessions.unlock_command": '["/bin/true"]'})
    box.start()
    login, phone = log_in(box, logind, type="wayland")
    phone.command("lock").ok()
    assert owned(box, "c42")["state"] == "locked"
    # A change of another property does not affect the lock.
    logind.idle("c42", 1_000_000)
    box.command("lock", "--session", "c42").ok()
    assert owned(box, "c42")["state"] == "locked" and "locked" in phone.command("status").ok()
    phone.command("unlock").ok()
    assert owned(box, "c42")["state"] == "active"
    phone.command("lock").ok()
    for hint in (True, False):
        logind.locked("c42", hint)
    box.wait_until(lambda: owned(box, "c42")["state"] == "active")
    # The same holds for a session that no phone opened.
    logind.add("c50", "bob", type="x11")
    box.wait_until(lambda: len(listing(box)) == 2)
    box.command("lock", "--session", "c50").ok()
    assert [one["state"] for one in listing(box)] == ["active", "locked"]
    assert logind.calls() == []
    login.close()


def test_an_unlock_that_only_a_command_could_do_is_not_called_done_without_one(box, logind):
    box.stop()
    box.write_config(**{"sessions.lock_command": '["/bin/true"]'})
    box.start()
    login, phone = log_in(box, logind, type="wayland")
    phone.command("lock").ok()
    unlock = phone.command("unlock")
    assert unlock.wait() != 0 and "fault" in unlock.err, (unlock.out, unlock.err)
    assert owned(box, "c42")["state"] == "locked", "the screen may still be locked, and requests behind it are not shown"
    login.close()


def test_a_lock_on_the_machine_itself_is_told_to_the_phone(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    logind.locked("c42", True)
    box.wait_until(lambda: owned(box, "c42")["state"] == "locked")
    assert "locked" in phone.command("status").ok()
    login.close()


def test_an_agent_that_was_killed_knows_afterwards_whose_the_session_is(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    box.kill()
    box.start()
    box.wait_until(lambda: owned(box, "c42"))
    phone.command("lock").ok()
    phone.command("logout").ok()
    assert logind.calls() == [["lock", "c42"], ["terminate", "c42"]]
    login.close()


def test_a_session_that_a_slow_logind_does_not_describe_does_not_count_as_ended(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    logind.add("c43", "bob", terminal="tty3")
    box.kill()
    logind.undescribe("c42")
    box.start()
    box.wait_until(lambda: logind.calls().count(["describe", "c42"]) >= 2)
    assert "logind does not describe all of its sessions" in doctor(box)
    assert phone.command("lock").wait() == 70, "the box does not say that there is no session"
    listed = box.command("sessions", "--json")
    assert listed.wait() == 70 and "logind does not describe all of its sessions" in listed.err
    logind.undescribe("")
    box.wait_until(lambda: owned(box, "c42"))
    phone.command("lock").ok()
    assert "session-closed" not in [entry["event"] for entry in box.json("audit")]
    login.close()


def test_the_log_says_which_sessions_a_shutdown_ended(box, logind):
    for begins, detail in ((True, "the machine is shutting down"), (False, "")):
        login, _ = log_in(box, logind)
        logind.shut_down(True)
        logind.shut_down(begins)
        logind.remove("c42")
        box.wait_until(lambda: not owned(box, "c42"))
        closed = [entry for entry in box.json("audit") if entry["event"] == "session-closed"]
        assert closed[-1]["detail"] == detail, closed
        login.close()


def test_sessions_that_end_while_they_are_read_do_not_keep_the_agent_from_knowing_the_others(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    box.kill()
    logind.hush()
    logind.add("brief-0", "bob", uid=STRANGER_UID, seat="", terminal="")
    box.start()
    box.wait_until(lambda: owned(box, "c42"))
    phone.command("lock").ok()
    login.close()


def test_a_phone_that_tapped_and_reports_no_more_is_not_missed_after_a_restart_either(box, logind):
    def phones():
        return json.loads(box.command("status", "--explain", "--json").ok())["presence"]

    login, phone = log_in(box, logind, type="wayland")
    watching = phone.command("watch", "--json")
    box.wait_until(lambda: phones()[0]["next"] == "away, unless it reports")
    watching.stop()
    box.wait_until(lambda: not phones()[0]["connected"])
    phone.command("unlock").ok()
    box.kill()
    box.start()
    box.wait_until(lambda: owned(box, "c42"))
    assert [one["next"] for one in phones()] == [None]
    login.close()


def test_another_session_with_the_same_id_is_not_the_phones(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    box.kill()
    logind.remove("c42")
    logind.add("c42", "bob", type="wayland")
    box.start()
    box.wait_until(lambda: listing(box))
    assert not owned(box, "c42")
    assert phone.command("lock").wait() == 9
    assert logind.calls() == []
    closed, = [entry for entry in box.json("audit") if entry["event"] == "session-closed"]
    assert closed["user"] == "alice" and closed["detail"] == "while boxagentd was not running", closed
    login.close()


def test_a_logind_that_restarts_is_followed(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    logind.kill()
    box.wait_until(lambda: "systemd-logind is not running" in doctor(box))
    assert phone.command("lock").wait() == 9
    logind.start()
    box.wait_until(lambda: "logind locks" in doctor(box))
    # The fake has forgotten the session, as if it had ended meanwhile.
    assert listing(box) == []
    log_in(box, logind, session="c43", type="wayland")[0].close()
    login.close()


def test_a_refusal_by_polkit_is_named_as_what_it_is(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    logind.deny()
    assert phone.command("lock").wait() == 9
    command = box.command("lock", "--session", "c42")
    assert command.wait() != 0
    assert "polkit" in command.out
    login.close()


def test_whatever_phones_opened_is_locked_before_the_machine_sleeps(box, logind):
    login, _ = log_in(box, logind, type="wayland")
    box.wait_until(logind.delayed)
    logind.sleep(True)
    box.wait_until(lambda: not logind.delayed())
    assert logind.calls() == [["lock", "c42"]]
    logind.sleep(False)
    box.wait_until(logind.delayed)
    login.close()


def test_a_lock_that_fails_after_the_machine_has_woken_leaves_the_next_sleep_delayed(box, logind):
    login, _ = log_in(box, logind, type="wayland", locker="deaf")
    box.wait_until(logind.delayed)
    logind.sleep(True)
    box.wait_until(lambda: not logind.delayed())
    logind.sleep(False)
    box.wait_until(logind.delayed)
    box.agent.wait_for("confirmed the lock within")
    assert logind.delayed()
    login.close()


def test_commands_name_sessions_by_id_user_and_all_and_say_what_became_of_each(box, logind):
    logind.add("c1", "alice", type="x11")
    logind.add("c2", "bob", uid=STRANGER_UID, type="x11", locker="deaf")
    logind.add("c3", "bob", uid=STRANGER_UID, type="x11")
    box.wait_until(lambda: len(listing(box)) == 3)
    done = json.loads(box.command("lock", "--session", "c1", "--json").ok())
    assert [(one["id"], one["outcome"]) for one in done] == [("c1", "done")]
    command = box.command("lock", "--user", "bob", "--json")
    assert command.wait() != 0
    assert [(one["id"], one["outcome"]) for one in json.loads(command.out)] == [("c2", "failed"), ("c3", "done")]
    assert [one["outcome"] for one in json.loads(box.command("unlock", "--all", "--json").ok())] == ["done"] * 3
    assert box.command("lock", "--session", "c9").wait() != 0




def test_a_session_that_lasted_as_long_as_it_may_is_ended_whatever_the_agent_went_through(box, logind):
    box.stop()
    box.write_config(**{"auto_logout.longest_seconds": "12"})
    box.start()
    login, phone = log_in(box, logind, type="wayland")
    box.kill()
    box.start()
    box.wait_until(lambda: ["terminate", "c42"] in logind.calls())
    login.close()


def test_the_automatic_logout_by_absence_holds_over_a_kill_and_ends_the_session_itself(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    phone.command("auto-logout", "10s").ok()
    box.kill()
    box.start()
    box.wait_until(lambda: ["terminate", "c42"] in logind.calls())
    login.close()


def log_in_late(box, logind, between=lambda: None, **properties):
    """Logs alice in with a session that begins after the program asked for a tap, as with pam_systemd. Returns (program, phone)."""
    phone = box.phone("alice").enrol("alice", b"correct horse")
    login = Login(box, "alice", terminal=properties.get("terminal", "tty2"), session="c42")
    box.wait_until(box.programs_waiting)
    logind.add("c42", "alice", leader=login.program.process.pid, **properties)
    between()
    phone.command("login").ok()
    login.program.wait_for("session is open")
    box.wait_until(lambda: box.json("status")["sessions_owned"] == 1)
    return login, phone


def test_a_session_that_logind_did_not_describe_at_first_is_ended_and_not_only_called_so(box, logind):
    logind.undescribe("c42")

    def describe():
        box.wait_until(lambda: ["describe", "c42"] in logind.calls())
        logind.undescribe("")

    login, phone = log_in_late(box, logind, describe, type="wayland")
    phone.command("logout").ok()
    assert logind.calls()[-1] == ["terminate", "c42"] and not listing(box)
    login.close()


def test_hundreds_of_other_sessions_are_listed_and_end_none(box, logind):
    login, phone = log_in_late(box, logind, seat="", terminal="ttyS0")
    for number in range(300):
        logind.add("s%d" % number, "bob", uid=STRANGER_UID, seat="", terminal="")
    for number in range(5):
        logind.add("v%d" % number, "carol", uid=STRANGER_UID, terminal="tty5")
    box.wait_until(lambda: len(listing(box)) == 306)
    assert owned(box, "c42")
    phone.command("logout").ok()
    assert logind.calls()[-1] == ["terminate", "c42"]
    login.close()


def test_the_end_of_an_inner_login_ends_no_outer_one(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    logind.put_processes_in("c42")
    inner = Login(box, "alice", terminal="tty2", session="c42")
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    inner.program.wait_for("session is open")
    inner.close()
    phone.command("lock").ok()
    assert owned(box, "c42")["state"] == "locked"
    login.close()
    box.wait_until(lambda: not owned(box, "c42"))


def test_no_lock_is_called_done_while_logind_cannot_be_asked(box, logind):
    login, phone = log_in(box, logind, type="wayland")
    phone.command("lock").ok()
    logind.kill()
    box.agent.wait_for("the sessions of logind cannot be read")
    again = phone.command("lock")
    assert again.wait() == 9 and "did not lock" in again.err, again.err
    logind.start()
    login.close()
