"""A phone that leaves locks its session. A phone that returns is offered a tap, and nothing happens without the tap."""
import json

import pexpect
import pytest

from box import BIN
from test_sessions import commands, log_in  # noqa: F401


@pytest.fixture
def ready(make_box, commands):  # noqa: F811
    """A box with short times, and a phone whose radio reads the signal strength from a file."""
    words = '["%s", "%s", "{user}", "{session}", "{tty}"]'
    box = make_box(**{f"sessions.{name}_command": words % (commands, name) for name in ("lock", "unlock", "logout")},
                   **{"presence.lost_seconds": "5", "presence.weak_seconds": "1", "presence.near_seconds": "0",
                      "auto_logout.minimum_seconds": "10"})
    box.pam_service(users={"alice": b"correct horse"})
    called = commands.parent / "called"
    box.called = lambda: called.read_text().splitlines() if called.exists() else []
    box.alice = box.phone("a").enrol("alice", b"correct horse")
    box.signal_file = box.directory / "signal"
    box.hears = lambda dbm: box.signal_file.write_text(f"{dbm}\n")
    return box


def watch(box):
    return box.alice.command("watch", "--json", extra=("--signal-file", str(box.signal_file)))


def watch_on_terminal(box):
    return pexpect.spawn(
        str(BIN / "boxphone"),
        ["watch", "--directory", str(box.alice.directory), "--air", str(box.air), "--signal-file",
         str(box.signal_file)], encoding="utf-8", timeout=30)


def phones(box):
    return json.loads(box.command("status", "--explain", "--json").ok())["presence"]


def wait_for_state(box, state, samples=0):
    return box.wait_until(lambda: next(
        (phone for phone in phones(box) if phone["state"] == state and phone["samples"] >= samples), None))


def test_a_weak_signal_locks_and_a_strong_one_offers_but_never_unlocks(ready):
    ready.hears(-65)
    watching = watch(ready)
    login = log_in(ready)
    here = wait_for_state(ready, "present", samples=5)
    assert here["average_tenths_dbm"] == -650 and here["connected"]
    assert "between far, -80 dBm, and near, -60 dBm" in here["why"]
    ready.hears(-95)
    away = wait_for_state(ready, "away")
    assert "under -80 dBm" in away["why"] and away["connected"]
    ready.wait_until(lambda: ready.called() == ["lock alice  tty7"])
    ready.hears(-50)
    watching.wait_for('"offer":"unlock"')
    assert wait_for_state(ready, "near")["next"] == "away, unless it reports"
    assert ready.called() == ["lock alice  tty7"]
    ready.alice.command("unlock").ok()
    assert ready.called()[1:] == ["unlock alice  tty7"]
    watching.wait_for('"offer":"none"')
    login.close()


def test_enter_is_the_tap_while_the_phone_watches(ready):
    ready.hears(-50)
    watching = watch_on_terminal(ready)
    watching.expect("tap to log in")
    login = log_in(ready)
    watching.expect("your session is open")
    watching.sendline("lock")
    watching.expect("tap to unlock")
    watching.sendline("")
    watching.expect(": unlocked")
    watching.sendline("dance")
    watching.expect("Enter logs in")
    assert ready.called() == ["lock alice  tty7", "unlock alice  tty7"]
    watching.sendintr()
    watching.expect(pexpect.EOF)
    login.close()


def test_a_lost_link_locks_and_then_logs_out(ready):
    ready.alice.command("auto-logout", "10s").ok()
    watching = watch(ready)
    login = log_in(ready)
    # The signal file does not exist, so the phone reports its presence without a signal strength.
    wait_for_state(ready, "present")
    ready.wait_until(lambda: "reports no signal strength" in phones(ready)[0]["why"])
    watching.process.kill()
    ready.wait_until(lambda: ready.called() == ["lock alice  tty7"])
    lost = phones(ready)[0]
    assert lost["state"] == "away" and not lost["connected"] and "link was lost for 5 s" in lost["why"]
    ready.wait_until(lambda: ready.called()[1:] == ["logout alice  tty7"])
    login.close()


def test_a_tap_of_a_phone_that_reports_no_more_unlocks_for_good(ready):
    watching = watch(ready)
    login = log_in(ready)
    wait_for_state(ready, "present")
    ready.wait_until(lambda: "reports no signal strength" in phones(ready)[0]["why"])
    watching.process.kill()
    ready.wait_until(lambda: ready.called() == ["lock alice  tty7"])
    wait_for_state(ready, "away")
    ready.alice.command("unlock").ok()
    ready.wait_until(lambda: [phone["connected"] for phone in phones(ready)] == [False])
    assert phones(ready)[0]["state"] == "present" and phones(ready)[0]["next"] is None
    # The phone's absence counts again after its next report.
    watch(ready)
    ready.wait_until(lambda: phones(ready)[0]["next"] == "away, unless it reports")
    assert ready.called() == ["lock alice  tty7", "unlock alice  tty7"]
    login.close()


def test_a_weak_signal_logs_out_too_though_the_link_stands(ready):
    ready.hears(-95)
    ready.alice.command("auto-logout", "10s").ok()
    watching = watch(ready)
    login = log_in(ready)
    # The phone is warned, and only its return prevents the logout.
    watching.wait_for('"cause":"away","can_extend":false')
    refused = ready.alice.command("extend")
    assert refused.wait() == 77 and "only coming back puts it off" in refused.err
    ready.wait_until(lambda: ready.called() == ["lock alice  tty7", "logout alice  tty7"])
    assert watching.process.poll() is None
    login.close()


def test_a_phone_that_only_tapped_is_not_missed_unless_the_administrator_wants_it(ready):
    login = log_in(ready)
    ready.wait_until(lambda: [phone["connected"] for phone in phones(ready)] == [False])
    assert "means nothing" in phones(ready)[0]["why"] and phones(ready)[0]["next"] is None
    ready.write_config(**{"presence.require_phone": "true"})
    ready.agent.process.send_signal(1)
    ready.wait_until(lambda: ready.called() == ["lock alice  tty7"])
    login.close()


def test_a_session_that_does_not_lock_is_ended_where_the_policy_says_so(ready, commands):  # noqa: F811
    ready.write_config(**{"presence.on_lock_failure": '"terminate"'})
    ready.agent.process.send_signal(1)
    ready.agent.wait_for("configuration reloaded")
    (commands.parent / "broken").touch()
    watching = watch(ready)
    login = log_in(ready)
    wait_for_state(ready, "present")
    ready.wait_until(lambda: phones(ready)[0]["why"].startswith("the phone reports"))
    watching.process.kill()
    ready.wait_until(lambda: ready.called() == ["lock alice  tty7", "logout alice  tty7"])
    login.close()


def test_switched_off_it_neither_listens_nor_locks(ready):
    ready.write_config(**{"presence.enabled": "false"})
    ready.agent.process.send_signal(1)
    ready.agent.wait_for("configuration reloaded")
    ready.hears(-95)
    watch(ready)
    login = log_in(ready)
    ready.wait_until(lambda: ready.json("devices")[0]["connected"])
    assert phones(ready) == []
    assert "--explain" not in ready.command("status").ok()
    login.close()


def test_calibration_measures_at_two_places_and_the_box_keeps_it(ready):
    ready.hears(-57)
    asked = pexpect.spawn(
        str(BIN / "boxphone"),
        ["calibrate", "--directory", str(ready.alice.directory), "--air", str(ready.air), "--signal-file",
         str(ready.signal_file), "--every-milliseconds", "1"], encoding="utf-8", timeout=30)
    asked.expect("Sit at the box.*Enter")
    asked.sendline("")
    asked.expect("Now go.*Enter")
    ready.hears(-88)
    asked.sendline("")
    asked.expect("near from -61 dBm, and as far below -85 dBm")
    asked.expect(pexpect.EOF)
    watch(ready)
    phone = wait_for_state(ready, "present")
    assert (phone["near_dbm"], phone["far_dbm"], phone["calibrated"]) == (-61, -85, True)
    ready.kill()
    ready.start()
    assert (wait_for_state(ready, "present")["near_dbm"]) == -61
    ready.alice.command("calibrate", "--reset").ok()
    assert phones(ready)[0]["near_dbm"] == -60
    ready.write_config(**{"presence.may_calibrate": "false"})
    ready.agent.process.send_signal(1)
    ready.wait_until(lambda: ready.alice.command("calibrate", "--near=-62", "--far=-83").wait() == 77)


def test_a_radio_that_cannot_measure_says_so_and_two_like_places_do_too(ready):
    for argument, say in ((None, "cannot measure"), ("-60", "too similar")):
        if argument:
            ready.hears(argument)
        asked = pexpect.spawn(
            str(BIN / "boxphone"),
            ["calibrate", "--directory", str(ready.alice.directory), "--air", str(ready.air), "--signal-file",
             str(ready.signal_file), "--every-milliseconds", "1"], encoding="utf-8", timeout=30)
        asked.expect("Press Enter")
        asked.sendline("")
        if argument:
            asked.expect("Press Enter")
            asked.sendline("")
        asked.expect(say)
        asked.expect(pexpect.EOF)


def test_enter_logs_in_where_no_session_is_open(ready):
    ready.hears(-50)
    watching = watch_on_terminal(ready)
    watching.expect("tap to log in \\(Enter")
    watching.sendline("")
    watching.expect("waits for its login prompt")
    ready.pam("alice").ok()
    watching.expect(": logged in")
    # The typed word `login` does the same while a program waits.
    program = ready.pam("alice")
    ready.wait_until(ready.programs_waiting)
    watching.sendline("login")
    watching.expect(": logged in")
    program.ok()
    watching.sendintr()
    watching.expect(pexpect.EOF)
