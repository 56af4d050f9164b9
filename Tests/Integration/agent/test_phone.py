"""boxphone against the real agent: a user's views and actions, and the phone's refusals."""

import json
import os
import re
import signal
import subprocess

import pexpect
import pytest

from box import BIN, PATIENCE, pipe_with


def type_hidden(child, question, answer):
    child.expect(question)
    assert not child.getecho(), "what is typed is not shown"
    child.sendline(answer)


def ended(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.before, child.exitstatus


def enrolment_code(order):
    return order.wait_for_code().encode()


# Enrolment


def test_both_sides_show_the_same_six_digits_and_the_administrator_decides(box):
    order = pexpect.spawn(
        str(BIN / "boxagent"), ["enrol", "alice", "--socket", str(box.run / "control.sock")], encoding="utf-8",
        timeout=PATIENCE, dimensions=(60, 700))
    order.expect(r"boxlink:\S+")
    fd = pipe_with(order.after.encode() + b"\n")
    phone = box.phone("a")
    running = phone.command("enrol", "--fd", str(fd), fds=(fd,))
    digits = re.search(r"digits: (\d{3} \d{3})\.", running.wait_for("digits")).group(1)
    order.expect_exact(digits)
    assert running.process.poll() is None, "nothing is decided yet"
    order.sendline("y")
    assert "enrolled" in running.ok()
    order.expect(pexpect.EOF)
    order.close()
    assert json.loads(phone.command("boxes", "--json").ok())["confirmed"] is True


def test_a_code_that_was_used_is_refused_and_leaves_nothing(box):
    order = box.command("enrol", "alice", "--yes")
    code = enrolment_code(order)
    fd = pipe_with(code)
    box.phone("a").command("enrol", "--fd", str(fd), fds=(fd,)).ok()
    order.ok()
    second = box.phone("b")
    fd = pipe_with(code)
    refused = second.command("enrol", "--fd", str(fd), fds=(fd,))
    assert refused.wait() == 4
    assert "new one" in refused.err
    assert second.command("boxes", "--json").ok() == ""


def test_a_code_of_another_box_is_told_from_a_box_that_is_not_there(make_box):
    one, two = make_box("one"), make_box("two")
    order = one.command("enrol", "alice", "--yes")
    code = enrolment_code(order)
    one.kill()
    fd = pipe_with(code)
    refused = two.phone("a").command("enrol", "--fd", str(fd), fds=(fd,))
    # The other box shows other digits, or by chance the same with another certificate. The phone sends nothing in either case.
    assert refused.wait() in (4, 69)
    assert two.json("devices") == []


def test_an_enrolment_interrupted_anywhere_is_finished_by_trying_again(box):
    for packets in range(1, 26, 3):
        order = box.command("enrol", "alice", "--yes")
        code = enrolment_code(order)
        phone = box.phone(f"cut{packets}")
        fd = pipe_with(code)
        first = phone.command(
            "enrol", "--fd", str(fd), fds=(fd,), extra=("--lose-link-after-packets", str(packets))).wait()
        if first != 0:
            fd = pipe_with(code)
            if phone.command("enrol", "--fd", str(fd), fds=(fd,)).wait() != 0:
                # The link was lost after the request. The code is cancelled, and the administrator was told.
                assert order.wait() == 1, order.err
                order = box.command("enrol", "alice", "--yes")
                fd = pipe_with(enrolment_code(order))
                phone.command("enrol", "--fd", str(fd), fds=(fd,)).ok()
        order.ok()
        phone.command("status").ok()
        known = phone.command("boxes", "--json").ok().splitlines()
        assert [json.loads(line)["confirmed"] for line in known] == [True], packets


# Passwords and PINs


@pytest.mark.parametrize("password, what", [
    (b"", "empty"), (b"a\x00b", "NUL"), (b"x" * 512, "511"), (b"\n", "empty")])
def test_a_password_that_pam_could_not_be_given_is_refused_where_it_is_entered(box, password, what):
    phone = box.phone("a").enrol("alice")
    for words in (["login"], ["credentials", "set"]):
        fd = pipe_with(password)
        refused = phone.command(*words, "--password-fd", str(fd), fds=(fd,))
        assert refused.wait() == 65
        assert what in refused.err


def test_the_longest_password_and_one_with_spaces_around_it_arrive_whole(box):
    for name, password in (("a", b"y" * 510 + b"z"), ("b", b" two spaces ")):
        # Replaces the password file of pam_service(), because openssl passwd truncates passwords at 256 bytes.
        hashed = subprocess.run(
            ["perl", "-e", "print crypt(<STDIN>, '$6$saltsalt$')"], input=password, capture_output=True, check=True).stdout
        (box.directory / "passwords").write_bytes(b"alice:" + hashed + b"\n")
        phone = box.phone(name).enrol("alice", password)
        program = box.pam("alice")
        box.wait_until(box.programs_waiting)
        phone.command("login").ok()
        program.ok()


def test_a_first_login_asks_for_the_password_and_keeps_it_once_it_was_right(box, on_terminal):
    phone = box.phone("a").enrol("alice")
    program = box.pam("alice", "authenticate")
    box.wait_until(box.programs_waiting)
    child = on_terminal(phone, "login")
    type_hidden(child, "Password for box", "wrong horse")
    child.expect("password was not accepted")
    program.wait()
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    type_hidden(child, "Password for box", "correct horse")
    rest, status = ended(child)
    assert status == 0 and "Logged in" in rest and "horse" not in rest
    program.ok()
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    assert "Logged in" in phone.command("login").ok(), "the second login asks for nothing"
    program.ok()


def test_once_keeps_nothing(box):
    phone = box.phone("a").enrol("alice")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.with_secrets("login", "--once", password=b"correct horse").ok()
    program.ok()
    assert json.loads(phone.command("boxes", "--json").ok())["password_on_phone"] is False


def test_a_stored_password_behind_the_phones_pin(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    phone.with_secrets("pin", "set", new_pin=b"2468").ok()
    assert phone.with_secrets("login", pin=b"0000").wait() == 2
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.with_secrets("login", pin=b"2468").ok()
    program.ok()
    for _ in range(9):
        assert phone.with_secrets("login", pin=b"0000").wait() == 2
    assert phone.with_secrets("login", pin=b"0000").wait() == 3
    gone = phone.with_secrets("login", pin=b"2468")
    assert gone.wait() == 10
    assert "--password-fd" in gone.err


def test_ten_wrong_pins_at_the_box_announced_on_the_terminal(box, on_terminal):
    phone = box.phone("a").enrol("alice", box_held=True)
    phone.with_secrets("credentials", "set", password=b"correct horse", new_pin=b"2468").ok()
    for _ in range(9):
        assert phone.with_secrets("login", pin=b"0000").wait() == 2
    child = on_terminal(phone, "login")
    child.expect("last try")
    type_hidden(child, "PIN for box", "0000")
    rest, status = ended(child)
    assert status == 3 and "credentials set" in rest
    assert phone.with_secrets("login", pin=b"2468").wait() == 10
    phone.with_secrets("credentials", "set", password=b"correct horse", new_pin=b"1357").ok()
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.with_secrets("login", pin=b"1357").ok()
    program.ok()


def test_the_pin_of_what_the_box_holds_is_changed_there(box):
    phone = box.phone("a").enrol("alice", box_held=True)
    phone.with_secrets("credentials", "set", password=b"correct horse", new_pin=b"2468").ok()
    assert phone.with_secrets("pin", "change", pin=b"1111", new_pin=b"1357").wait() == 2
    phone.with_secrets("pin", "change", pin=b"2468", new_pin=b"1357").ok()
    assert phone.with_secrets("login", pin=b"2468").wait() == 2
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.with_secrets("login", pin=b"1357").ok()
    program.ok()


# The box


def test_a_revoked_phone_is_refused_and_told_whom_to_ask(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    box.command("revoke", box.json("devices")[0]["id"], "--yes").ok()
    for words in (["login"], ["status"], ["lock"]):
        refused = phone.command(*words)
        assert refused.wait() == 4
        assert "administrator" in refused.err


def test_a_phone_that_watches_hears_of_its_revocation(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    watch = phone.command("watch", "--json")
    watch.wait_for('"event":"state"')
    box.command("revoke", box.json("devices")[0]["id"], "--yes").ok()
    assert watch.wait() == 4
    assert "revoked" in watch.err


def test_a_watch_comes_back_when_the_agent_does(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    watch = phone.command("watch", "--json")
    watch.wait_for('"event":"state"')
    box.kill()
    watch.wait_for('"event":"lost"')
    box.start()
    box.wait_until(lambda: box.json("status")["phonesConnected"] if "phonesConnected" in box.json("status")
                   else watch.out.count('"event":"state"') > 1 or phone.command("status").wait() == 0)
    watch.process.send_signal(signal.SIGINT)
    assert watch.wait() == 130
    for line in watch.out.splitlines():
        assert json.loads(line)["event"] in ("state", "lost")


def test_commands_work_beside_a_watch(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    watch = phone.command("watch")
    watch.wait_for("no session")
    phone.command("auto-logout", "15m").ok()
    assert json.loads(phone.command("status", "--json").ok())["auto_logout_seconds"] == 900
    assert watch.process.poll() is None
    watch.stop()


def test_a_login_that_is_given_up_is_withdrawn(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    tap = phone.command("login")
    tap.wait_for("prompt")
    tap.process.send_signal(signal.SIGINT)
    assert tap.wait() == 130
    box.wait_until(lambda: not box.tap_held())


def test_a_tap_that_nobody_asks_for_times_out(make_box):
    box = make_box(**{"login.hold_seconds": "2"})
    tap = box.phone("a").enrol("alice", b"correct horse").command("login")
    assert tap.wait() == 6
    assert "login prompt" in tap.err


def test_a_restarted_box_keeps_its_identity_and_one_made_anew_is_refused(make_box):
    box = make_box()
    phone = box.phone("a").enrol("alice", b"correct horse")
    box.kill()
    box.start()
    phone.command("status").ok()
    box.kill()
    for path in box.state.iterdir():
        path.unlink()
    box.start()
    refused = phone.command("login")
    # With new digits, the box is not found. With the same digits by chance, it has another identity.
    assert refused.wait() in (4, 69)


def test_a_scan_lists_the_box_and_says_whose_it_is(box):
    phone = box.phone("a").enrol("alice")
    seen = json.loads(phone.command("scan", "--json").ok())
    assert (seen["box"], seen["standing"], seen["user"]) == (box.id, "known", "alice")
    assert json.loads(box.phone("b").command("scan", "--json").ok())["standing"] == "unknown"


def test_a_box_that_gets_digits_of_the_administrators_is_the_same_box_once_the_phone_has_looked_around(box):
    phone = box.phone("a").enrol("alice", box_held=True)
    phone.with_secrets("credentials", "set", password=b"correct horse", new_pin=b"2468").ok()
    box.kill()
    box.write_config(**{"box.id": '"001128"'})
    box.start()
    assert box.id == "001128"
    assert phone.command("status").wait() == 69, "nobody shows the old digits"
    seen = json.loads(phone.command("scan", "--json").ok())
    assert (seen["box"], seen["standing"], seen["user"]) == ("001128", "known", "alice")
    # The box sealed this credential under its previous digits.
    tap = phone.with_secrets("login", pin=b"2468")
    box.wait_until(box.tap_held)
    box.pam("alice").ok()
    assert "Logged in" in tap.ok()


def test_a_forgotten_box_needs_a_new_enrolment(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    unasked = phone.command("forget", box.id)
    assert unasked.wait() == 64
    assert box.id + "-" in unasked.err and "alice" in unasked.err and "nothing was changed\n  add --yes" in unasked.err
    phone.command("status").ok()
    unknown = phone.command("forget", "99", "--yes")
    assert unknown.wait() == 1
    assert "nothing was changed" in unknown.err
    phone.command("forget", box.id, "--yes").ok()
    assert phone.command("login").wait() == 64
    phone.enrol("alice", b"correct horse")
    phone.command("status").ok()


@pytest.mark.parametrize("answer, status, said", [("n", 1, "nothing was changed"), ("y", 0, "has forgotten box")])
def test_forget_asks_on_a_terminal(box, on_terminal, answer, status, said):
    phone = box.phone("a").enrol("alice", b"correct horse")
    child = on_terminal(phone, "forget", box.id)
    child.expect_exact("and the password that it keeps for this box:")
    child.expect_exact("Forget this box? [y/N] ")
    child.sendline(answer)
    child.expect_exact(said)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status
    assert bool(phone.command("boxes", "--json").ok()) == (answer == "n")


@pytest.mark.parametrize("extra", [
    ("--mtu", "23"), ("--mtu", "517"), ("--reorder-seed", "11", "--mtu", "23"), ("--interval-milliseconds", "30")])
def test_the_air_may_be_narrow_slow_and_out_of_order(box, extra):
    phone = box.phone("a").enrol("alice", b"correct horse")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    assert "Logged in" in phone.command("login", extra=extra).ok()
    program.ok()


def test_what_a_box_says_cannot_drive_the_terminal(box):
    box.pam_service(users={"al\u202eice": b"correct horse"})
    phone = box.phone("a").enrol("al\u202eice")
    listed = phone.command("boxes").ok()
    assert "\u202e" not in listed and "\\u{202e}" in listed
    assert "\u202e" not in phone.command("boxes", "--json").ok()


def test_one_thread_is_all_a_phone_needs(box):
    phone = box.phone("a").enrol("alice", b"correct horse")
    tap = phone.command("login")
    tap.wait_for("prompt")
    assert len(os.listdir(f"/proc/{tap.process.pid}/task")) == 1
    tap.stop()


@pytest.mark.parametrize("via, size, bearer", [
    ("auto", 4_096, "gatt"), ("auto", 4_097, "l2cap"), ("gatt", 100_000, "gatt"), ("l2cap", 0, "l2cap"),
    ("l2cap", 1_048_576, "l2cap"),
])
def test_pings_come_back_whole_over_the_bearer_that_was_asked_for(box, via, size, bearer):
    phone = box.phone("a").enrol()
    said = json.loads(phone.command("ping", "--json", "--size", str(size), "--count", "3", "--via", via).ok())
    assert (said["box"], said["bearer"], said["size"], said["count"]) == (box.id, bearer, size, 3)
    assert (said["psm"] in range(0x80, 0x100)) == (bearer == "l2cap")
    assert 0 < said["minimum_microseconds"] <= said["median_microseconds"] <= said["maximum_microseconds"]


def test_a_ping_tells_a_person_each_round_trip_and_a_summary(box):
    lines = box.phone("a").enrol().command("ping", box.id, "--count", "2").ok().splitlines()
    assert len(lines) == 5
    assert all(re.fullmatch(rf"64 bytes from box {box.id}: \d+\.\d\d ms", line) for line in lines[:2])
    assert "over GATT" in lines[2] and "median" in lines[3] and "kB/s" in lines[4]


@pytest.mark.parametrize("extra", [
    ("--mtu", "23"), ("--mtu", "23", "--reorder-seed", "3"), ("--mtu", "517"), ("--interval-milliseconds", "15"),
    ("--interval-milliseconds", "15", "--via", "l2cap"),
])
def test_bad_air_changes_no_byte_of_a_ping(box, extra):
    box.phone("a").enrol().command("ping", "--size", "5000", "--count", "2", *extra).ok()


def test_a_ping_whose_link_is_lost_says_so(box):
    phone = box.phone("a").enrol()
    lost = phone.command(
        "ping", "--size", "100000", "--count", "100", "--via", "l2cap", extra=("--lose-link-after-packets", "2000"))
    assert lost.wait() == 69, lost.err
    assert "broke" in lost.err


@pytest.mark.parametrize("via", ["gatt", "l2cap"])
def test_everything_works_over_either_bearer(box, via):
    phone = box.phone("a").enrol("alice", b"correct horse")
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    phone.command("login", "--via", via).ok()
    program.ok()
    phone.command("status", "--via", via).ok()


def test_a_long_ping_is_interrupted_at_once(box):
    phone = box.phone("a").enrol()
    ping = phone.command("ping", "--size", "1048576", "--count", "1000")
    ping.wait_for("bytes from box")
    ping.process.send_signal(signal.SIGINT)
    assert ping.wait() == 130
    box.wait_until(lambda: box.json("status")["links_open"] == 0)
