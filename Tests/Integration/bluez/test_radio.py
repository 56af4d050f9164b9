"""boxagentd and boxphone through an org.bluez: the GATT server on hci0, phones on hci1 and hci2."""

import json
import pathlib
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from box import Box  # noqa: E402
from deadline import is_within  # noqa: E402
from private_bus import BlueZoo, PrivateBus  # noqa: E402

BOTH = pytest.mark.parametrize("bluezoo", [False, True], ids=["a socket per phone", "as BlueZ 5.66"], indirect=True)


def new_box(directory, bus):
    box = Box(directory / "box", directory / "air", **{
        "radio.kind": '"bluez"', "radio.adapter": '"hci0"', "radio.bus": '"%s"' % bus})
    box.pam_service(users={"alice": b"correct horse", "bob": b"bob's own"})
    box.bus = bus
    return box


@pytest.fixture
def box(bluezoo, private_bus, bus_directory):
    box = new_box(bus_directory, private_bus)
    yield box.start()
    box.stop()


class OverTheAir:
    """A phone on an adapter."""

    def __init__(self, box, name, adapter):
        self.phone = box.phone(name)
        inner = self.phone.command
        options = ("--radio", "bluez", "--bus", box.bus, "--adapter", adapter)
        self.phone.command = lambda *words, fds=(), extra=(): inner(*words, fds=fds, extra=options + tuple(extra))

    def __getattr__(self, name):
        return getattr(self.phone, name)


def radio(box):
    return box.json("status")["radio_state"]


def log_in(box, phone, user):
    program = box.pam(user)
    box.wait_until(box.programs_waiting)
    phone.command("login").ok()
    program.ok()


def works(box):
    box.wait_until(lambda: radio(box).startswith("advertising"))


def finding(box):
    """Returns (level, text, cure) of doctor's finding about the radio."""
    done = box.command("doctor", "--json")
    done.wait()
    found = next(one for one in json.loads(done.out) if one["name"] == "radio")
    return found["level"], found["text"], found["cure"]


@BOTH
def test_a_phone_enrols_and_logs_in(box):
    works(box)
    log_in(box, OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse"), "alice")


@BOTH
def test_two_phones_are_connected_at_once_and_each_gets_its_own_answers(box):
    works(box)
    alice = OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse")
    bob = OverTheAir(box, "bob", "hci2").enrol("bob", b"bob's own")
    watching = alice.command("watch", "--json")
    box.wait_until(lambda: box.json("status")["channels_authenticated"] == 1)
    log_in(box, bob, "bob")
    assert watching.process.poll() is None, watching.err
    assert box.json("status")["failures_unauthenticated"] == 0
    watching.stop()


@BOTH
@pytest.mark.parametrize("mtu", [23, 185, 517])
def test_it_works_at_any_mtu(box, bluezoo, mtu):
    works(box)
    bluezoo.set_mtu(1, mtu)
    log_in(box, OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse"), "alice")
    assert bluezoo.lost() == (0, 0)


@BOTH
def test_bluetoothd_is_never_asked_to_queue_writes_for_a_socket(box, bluezoo):
    # If bluetoothd queued writes for a socket, a write of a phone that has gone would block all phones
    # (docs/reference/bluetooth.md, versions).
    works(box)
    log_in(box, OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse"), "alice")
    assert bluezoo.acquired() == (0, 2)


def test_segments_out_of_order_are_put_in_order(box, bluezoo):
    works(box)
    bluezoo.set_mtu(1, 23)
    bluezoo.swap_notifications(True)
    log_in(box, OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse"), "alice")


def test_bluetoothd_that_is_killed_is_named_and_found_again_without_a_restart(box, bluezoo):
    works(box)
    alice = OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse")
    for _ in range(3):
        bluezoo.kill()
        box.wait_until(lambda: radio(box) == "bluetoothd is not running")
        assert finding(box) == ("fault", "bluetoothd is not running", "start it: systemctl enable --now bluetooth")
        bluezoo.start()
        returned = time.monotonic()
        works(box)
        assert is_within(time.monotonic() - returned, 3)
    log_in(box, alice, "alice")


def test_the_bus_itself_may_go_and_come_back(bus_directory):
    bus = PrivateBus(bus_directory)
    zoo = BlueZoo(bus.address, bus_directory / "bluezoo.log")
    box = new_box(bus_directory, bus.address).start()
    works(box)
    zoo.stop()
    bus.stop()
    box.wait_until(lambda: "the system bus cannot be used" in radio(box))
    assert finding(box)[::2] == (
        "fault", "start it and the services that stopped with it: systemctl start dbus systemd-logind bluetooth")
    bus = PrivateBus(bus_directory)
    zoo = BlueZoo(bus.address, bus_directory / "bluezoo.log")
    works(box)
    box.stop()
    zoo.stop()
    bus.stop()


def test_an_adapter_that_is_switched_off_is_named_and_taken_up_again(box, bluezoo):
    works(box)
    alice = OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse")
    bluezoo.power(0, False)
    box.wait_until(lambda: radio(box) == "the Bluetooth adapter hci0 is powered off")
    assert finding(box)[2].startswith("run: bluetoothctl power on")
    bluezoo.power(0, True)
    works(box)
    log_in(box, alice, "alice")


def test_an_adapter_that_is_pulled_out_is_named_and_taken_up_again(box, bluezoo):
    works(box)
    bluezoo.remove(0)
    box.wait_until(lambda: radio(box).startswith("there is no Bluetooth adapter hci0: it is unplugged"))
    assert "radio.adapter" in finding(box)[2]
    bluezoo.add(0)
    works(box)
    log_in(box, OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse"), "alice")


def test_a_bluetoothd_that_does_not_answer_stops_nothing_else(box, bluezoo):
    works(box)
    bluezoo.pause()
    assert box.json("id")["box_id"]
    program = box.pam("alice", name="waiting")
    box.wait_until(box.programs_waiting)
    program.stop()
    bluezoo.go_on()
    log_in(box, OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse"), "alice")


def test_a_connection_that_fails_at_first_is_tried_again(box, bluezoo):
    works(box)
    alice = OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse")
    bluezoo.refuse_connections(2)
    log_in(box, alice, "alice")


def test_a_link_that_is_lost_while_a_login_waits_is_told_and_the_box_serves_the_next(box, bluezoo):
    works(box)
    alice = OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse")
    waiting = alice.command("login")
    box.wait_until(box.tap_held)
    bluezoo.lose_link(bluezoo.device(0, 1))
    assert waiting.wait() != 0
    box.wait_until(lambda: not box.tap_held())
    log_in(box, alice, "alice")


def test_a_phone_without_bluetooth_says_what_is_wrong(box, bluezoo):
    works(box)
    phone = OverTheAir(box, "nobody", "hci9")
    done = phone.command("scan")
    assert done.wait() == 71
    assert "there is no Bluetooth adapter hci9" in done.err
    bluezoo.kill()
    done = OverTheAir(box, "nobody", "hci1").command("scan")
    assert done.wait() == 71
    assert "bluetoothd is not running" in done.err
