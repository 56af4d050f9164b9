"""The core in WebAssembly during a session: taps, warnings, and sudo's requests."""

import pytest
from box import MODULE
from test_sessions import Login
from test_wasm_phone import OLD, enrol
from wasm_phone import WasmPhone


@pytest.fixture
def seat(make_box, logind, wasm):
    """A box whose screen can be locked and where sudo may ask, with an enrolled phone."""
    box = make_box(**{
        "sessions.bus": '"%s"' % logind.address, "auto_logout.minimum_seconds": "10", "auto_logout.idle_seconds": "300",
        "elevation.services": '["sudo"]'})
    box.pam_service("sudo", lines=[
        f"auth [default=ignore] {MODULE} wait=30 prompt socket={box.run}/pam.sock",
        f"auth requisite pam_pwdfile.so use_first_pass pwdfile={box.directory}/passwords",
        f"auth [default=ignore] {MODULE} verdict", "account required pam_permit.so", "session required pam_permit.so"])
    box.alice = WasmPhone(wasm, box.air)
    order, _ = enrol(box, box.alice)
    order.ok()
    box.alice.run("storeCredential", box.alice.boxes(), b"correct horse", OLD)
    return box


def log_in(box, logind):
    logind.add("c42", "alice", type="wayland")
    login = Login(box, "alice", terminal="tty2", session="c42")
    logind.change("c42", "Leader", login.program.process.pid)
    box.wait_until(box.programs_waiting)
    box.alice.pins = [OLD]
    assert box.alice.run("login", box.alice.boxes(), True) == ["loggedIn", ["done"]]
    box.wait_until(lambda: box.json("status")["sessions_owned"] == 1)
    return login


def watch(phone, steps):
    """Watches the box. When the next step's event arrives, performs the step's taps. Returns when all steps are done."""
    steps = list(steps)

    def heard(event):
        if steps and steps[0][0](event):
            for tap in steps.pop(0)[1]:
                phone.tell("tap", *tap)
        if not steps:
            phone.tell("stop")

    phone.watched, phone.on_watched = [], heard
    assert phone.run("watch", phone.boxes()) == ["watched"]
    phone.on_watched = lambda event: None
    return phone.watched


def test_whoever_watches_locks_unlocks_and_logs_out(seat, logind):
    login = log_in(seat, logind)
    shown = watch(seat.alice, [
        (lambda event: event[0] == "state" and event[1][0] == 1, [["lock"]]),
        (lambda event: event[:2] == ["acted", "lock"], [["unlock"]]),
        (lambda event: event[:2] == ["acted", "unlock"], [["logout"]]),
        (lambda event: event[:2] == ["acted", "logout"], []),
    ])
    assert [event[2] for event in shown if event[0] == "acted"] == [["done"]] * 3
    assert [name for name, *_ in logind.calls()] == ["lock", "unlock", "terminate"]
    login.program.stop()


def test_a_warning_is_put_off_by_a_tap(seat, logind):
    login = log_in(seat, logind)
    logind.idle("c42", 1)
    shown = watch(seat.alice, [
        (lambda event: event[0] == "warning" and event[1] is not None, [["extend"]]),
        (lambda event: event[:2] == ["acted", "extend"], []),
    ])
    (warning,) = [event[1] for event in shown if event[0] == "warning" and event[1]]
    assert warning[0] <= 60 and warning[2] is True
    assert ["acted", "extend", ["done"]] in shown
    login.close()


@pytest.mark.parametrize("allows", [True, False])
def test_what_sudo_asks_is_allowed_or_declined_by_number(seat, logind, allows):
    logind.add("c7", "alice", type="wayland")
    logind.put_processes_in("c7")
    phone, programs = seat.alice, []
    (row,) = phone.rows.values()

    def asked(event):
        if event[0] == "elevation" and event[1]:
            number, service, _, requester, _ = event[1]
            assert (service, requester) == (b"sudo", b"alice")
            answer = ["allow", number, OLD, row["device_secret"]] if allows else ["decline", number]
            phone.tell("tap", *answer)
        return event[0] == "answered"

    def state(event):
        if event[0] == "state":
            programs.append(seat.pam("alice", "authenticate", "acct_mgmt", "setcred", service="sudo"))
        return event[0] == "state"

    shown = watch(phone, [(state, []), (asked, [])])
    assert ["answered", allows, ["done"]] in shown
    assert (programs[0].wait() == 0) == allows


def test_a_phone_sees_at_once_that_a_session_is_locked_at_the_box(seat, logind):
    login = log_in(seat, logind)
    shown = watch(seat.alice, [
        (lambda event: event[0] == "state" and event[1][0] == 1 and not logind.change("c42", "LockedHint", True), []),
        (lambda event: event[0] == "state" and event[1][0] == 2, []),
    ])
    assert shown[-1][1][0] == 2
    login.close()
