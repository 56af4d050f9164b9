"""One account has several spellings (SSSD, Active Directory). The agent stores the name that the user database returns."""
import time

import pytest

from user_names import ANNA, SPELLINGS, know, preload

PASSWORD = b"correct horse"


@pytest.fixture
def named(make_box):
    """Provides a function that makes a box whose user database has the given answers: (spelling, name, number)."""
    def make(answers=(), **settings):
        box = make_box(start=False, **settings)
        preload(box, answers)
        return box.start().pam_service(users={spelling: PASSWORD for spelling in SPELLINGS})
    return make


def numbers(box):
    return [(device["uid"], device["other_uid"]) for device in box.json("devices")]


def number_entries(box):
    return [entry["detail"] for entry in box.json("audit") if entry["event"] == "user-number"]


def devices(box):
    return [(device["user"], device["state"]) for device in box.json("devices")]


@pytest.mark.parametrize("spelling", SPELLINGS[1:])
def test_a_phone_is_enrolled_for_the_name_that_the_user_database_answers(named, spelling):
    box = named(ANNA)
    box.phone("a").enrol(spelling)
    assert devices(box) == [("anna", "active")]
    order = next(running for running in box.everything if "enrol" in running.argv)
    assert order.err.index("is anna on this box") < order.err.index("a phone has connected")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_all_phones_of_a_user_are_revoked_by_any_spelling(named, spelling):
    box = named(ANNA)
    box.phone("a").enrol("anna")
    box.phone("b").enrol("anna")
    revocation = box.command("revoke", "--user", spelling, "--yes")
    revocation.ok()
    assert devices(box) == [("anna", "revoked")] * 2
    assert ("is anna on this box" in revocation.err) == (spelling != "anna")


def test_a_phone_named_by_another_spelling_of_its_user_is_found(named):
    box = named(ANNA)
    box.phone("a").enrol("anna")
    box.command("revoke", "anna@corp.example", "--yes").ok()
    assert devices(box) == [("anna", "revoked")]


def test_a_revocation_does_not_wait_for_a_user_database_that_hangs_and_says_what_it_compared(named):
    box = named()
    box.phone("a").enrol("anna")
    know(box, [(spelling, "-", 0) for spelling in SPELLINGS])
    refused = box.command("revoke", "--user", "Anna", "--yes")
    assert refused.wait() == 1
    assert "the user database did not answer" in refused.err
    box.command("revoke", "--user", "anna", "--yes").ok()
    assert devices(box) == [("anna", "revoked")]


def test_a_credential_is_wiped_and_the_audit_log_is_searched_by_any_spelling(named):
    box = named(ANNA)
    phone = box.phone("a").enrol("anna", box_held=True)
    phone.with_secrets("credentials", "set", password=PASSWORD, new_pin=b"123456").ok()
    box.command("wipe", "--user", "CORP\\anna", "--yes").ok()
    assert box.json("devices")[0]["pin_attempts_left"] is None
    for option in ("--user", "--device"):
        assert "device-enrolled" in box.command("audit", option, "anna@corp.example").ok()


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_program_that_asks_by_any_spelling_gets_the_tap_of_that_account(named, spelling):
    box = named(ANNA)
    phone = box.phone("a").enrol("anna", PASSWORD)
    program = box.pam(spelling)
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    assert "successfully authenticated" in program.ok()
    # The reverse order: the tap waits first, and the program takes it.
    tap = phone.command("login")
    box.wait_until(box.tap_held)
    assert "successfully authenticated" in box.pam(spelling).ok()
    tap.ok()


def test_a_tap_is_served_by_the_bytes_where_the_user_database_hangs(named):
    box = named()
    phone = box.phone("a").enrol("anna", PASSWORD)
    know(box, [(spelling, "-", 0) for spelling in SPELLINGS])
    other = box.pam("Anna")
    program = box.pam("anna")
    box.wait_until(lambda: box.programs_waiting() == 2)
    phone.command("login").ok()
    assert "successfully authenticated" in program.ok()
    assert other.process.poll() is None, "nobody has said that Anna is anna"
    other.stop()


def test_a_pin_is_tried_while_the_user_database_hangs(named):
    box = named()
    phone = box.phone("a").enrol("anna", box_held=True)
    phone.with_secrets("credentials", "set", password=PASSWORD, new_pin=b"123456").ok()
    know(box, [(spelling, "-", 0) for spelling in SPELLINGS])
    program = box.pam("anna")
    box.wait_until(box.programs_waiting)
    phone.with_secrets("login", pin=b"123456").ok()
    assert "successfully authenticated" in program.ok()


def test_a_name_that_leads_to_another_account_is_not_taken_for_it(named):
    # The database maps Anna to the name anna, but with another number.
    box = named([("anna", "anna", 5_000), ("Anna", "anna", 5_001)])
    phone = box.phone("a").enrol("anna", PASSWORD)
    box.gives_nothing_to("Anna", phone)
    box.phone("b").enrol("Anna")
    assert sorted(user for user, _ in devices(box)) == ["Anna", "anna"]


def test_a_password_that_was_changed_under_another_spelling_is_stale(named):
    box = named(ANNA)
    phone = box.phone("a").enrol("anna", box_held=True)
    phone.with_secrets("credentials", "set", password=PASSWORD, new_pin=b"123456").ok()
    box.pam("anna@corp.example", "chauthtok").ok()
    box.wait_until(lambda: box.json("devices")[0]["credential_stale"])


def test_phones_that_were_enrolled_under_other_spellings_become_one_users_and_that_is_said(named):
    box = named()
    for phone, spelling in (("a", "anna"), ("b", "anna@corp.example"), ("c", "bob")):
        box.phone(phone).enrol(spelling, PASSWORD)
    box.agent.stop()
    know(box, ANNA)
    box.start()
    box.agent.wait_for("is anna on this box")
    assert sorted(user for user, _ in devices(box)) == ["anna", "anna", "bob"]
    assert "enrolled phones renamed: 1; anna now has phones: 2" in box.agent.err
    entries = [entry for entry in box.json("audit") if entry["event"] == "user-renamed"]
    assert [(entry["user"], entry["detail"]) for entry in entries] == [("anna", "was anna@corp.example")]
    # Entries from before keep the spelling, also in an export, and are found by every spelling.
    enrolled = box.json("audit", "--user", "CORP\\anna", "--kind", "device-enrolled")
    assert [entry["user"] for entry in enrolled] == ["anna", "anna@corp.example"]
    export = box.command("audit", "export").ok()
    assert "user=anna@corp.example" in export and "detail=was%20anna@corp.example" in export
    # The renamed phone's key is still found.
    tap = box.phone("b").command("login")
    box.wait_until(box.tap_held)
    tap.stop()
    box.command("revoke", "--user", "anna", "--yes").ok()
    assert sorted(devices(box)) == [("anna", "revoked")] * 2 + [("bob", "active")]


def test_what_a_silent_user_database_left_undone_at_the_start_is_done_at_the_next(named):
    box = named()
    box.phone("a").enrol("Anna")
    box.agent.stop()
    know(box, [("Anna", "-", 0)])
    began = time.monotonic()
    box.start()
    box.json("status")
    assert time.monotonic() - began < 30
    assert devices(box) == [("Anna", "active")]
    box.agent.stop()
    know(box, ANNA)
    box.start()
    box.wait_until(lambda: devices(box) == [("anna", "active")])


REFUSED = "refused: the account has another number now"


def other_person(number=5_001):
    """Another account has the name anna now."""
    return [("anna", "anna", number)]


def test_a_phone_gets_nothing_after_its_users_name_has_gone_to_another_person(named):
    box = named(ANNA)
    phone = box.phone("a").enrol("anna", PASSWORD)
    assert numbers(box) == [(5_000, None)]
    # The tap waits, and the program's lookup finds the new number.
    tap = phone.command("login")
    box.wait_until(box.tap_held)
    know(box, other_person())
    program = box.pam("anna")
    assert tap.wait() != 0
    assert "does not allow it" in tap.err
    # The program waits, and the tap comes after it, on a new connection.
    box.wait_until(box.programs_waiting)
    tap = phone.command("login")
    assert tap.wait() != 0
    assert program.process.poll() is None
    program.stop()
    assert numbers(box) == [(5_000, 5_001)]
    assert number_entries(box) == [REFUSED]
    assert "the account has the number 5001 now" in box.agent.err
    assert "refused: uid 5000 is 5001 now" in box.command("devices").ok()
    doctor = box.command("doctor")
    doctor.wait()
    assert "boxagent devices --same-person anna" in doctor.out + doctor.err


def test_the_administrator_confirms_that_the_same_person_has_a_new_number(named):
    box = named(ANNA)
    phone = box.phone("a").enrol("anna", PASSWORD)
    know(box, other_person())
    box.agent.stop()
    box.start()
    box.wait_until(lambda: numbers(box) == [(5_000, 5_001)])
    assert phone.command("login").wait() != 0
    # Only an answer of the user database can be confirmed.
    know(box, [])
    assert box.command("devices", "--same-person", "anna").wait() != 0
    know(box, other_person())
    assert "1 phone of anna accepted again" in box.command("devices", "--same-person", "anna").ok()
    assert box.command("devices", "--same-person", "anna").wait() != 0
    assert numbers(box) == [(5_001, None)]
    assert number_entries(box) == [REFUSED, "confirmed: the same person has a new number"]
    program = box.pam("anna")
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    assert "successfully authenticated" in program.ok()


def test_a_new_phone_of_the_other_person_logs_in_beside_the_refused_one(named):
    box = named(ANNA)
    old = box.phone("a").enrol("anna", PASSWORD)
    know(box, other_person())
    new = box.phone("b").enrol("anna", PASSWORD)
    assert sorted(numbers(box), key=str) == [(5_000, 5_001), (5_001, None)]
    program = box.pam("anna")
    box.wait_until(box.programs_waiting)
    assert old.command("login").wait() != 0
    new.command("login").ok()
    assert "successfully authenticated" in program.ok()


def test_a_phone_of_an_earlier_version_gets_the_number_that_is_seen_first(named):
    box = named()
    box.phone("a").enrol("anna", PASSWORD)
    assert numbers(box) == [(None, None)]
    know(box, ANNA)
    box.agent.stop()
    box.start()
    box.wait_until(lambda: numbers(box) == [(5_000, None)])
    assert number_entries(box) == ["recorded"]


def test_a_silent_user_database_decides_nothing_about_a_number(named):
    box = named(ANNA)
    phone = box.phone("a").enrol("anna", PASSWORD)
    know(box, [("anna", "-", 0)])
    program = box.pam("anna")
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    assert "successfully authenticated" in program.ok()
    assert numbers(box) == [(5_000, None)]
