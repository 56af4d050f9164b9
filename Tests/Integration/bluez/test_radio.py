"""boxagentd and boxphone through an org.bluez: the GATT server on hci0, phones on hci1 and hci2."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from box import BIN, Box  # noqa: E402

BOTH = pytest.mark.parametrize("bluezoo", [False, True], ids=["a socket per phone", "as BlueZ 5.66"], indirect=True)


@pytest.fixture
def box(bluezoo, private_bus, tmp_path_factory, bus_directory):
    box = Box(bus_directory / "box", bus_directory / "air", **{
        "radio.kind": '"bluez"', "radio.adapter": '"hci0"', "radio.bus": '"%s"' % private_bus})
    box.pam_service(users={"alice": b"correct horse", "bob": b"bob's own"})
    box.bus = private_bus
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


@BOTH
def test_a_phone_enrols_and_logs_in(box):
    box.wait_until(lambda: radio(box).startswith("advertising"))
    alice = OverTheAir(box, "alice", "hci1").enrol("alice", b"correct horse")
    log_in(box, alice if hasattr(alice, "command") else alice, "alice")
