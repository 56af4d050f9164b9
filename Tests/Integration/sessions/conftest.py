"""A box and a logind that tests control (fake_logind.py), on a private bus."""

import pathlib
import shutil
import sys
import tempfile

import pytest

INTEGRATION = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(INTEGRATION / "agent"), str(INTEGRATION / "bluez")]
from box import Box  # noqa: E402
from logind import Logind  # noqa: E402
from private_bus import PrivateBus  # noqa: E402


@pytest.fixture
def directory():
    """A directory with a short path, because a socket's path has at most 107 bytes."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="boxsessions"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def logind(directory):
    bus = PrivateBus(directory)
    logind = Logind(bus.address)
    logind.bus = bus
    yield logind
    logind.stop()
    logind.bus.stop()


@pytest.fixture
def box(directory, logind):
    box = Box(directory / "box", directory / "air", **{
        "sessions.bus": '"%s"' % logind.address, "auto_logout.minimum_seconds": "10"})
    box.pam_service(users={"alice": b"correct horse", "bob": b"bob's own"})
    yield box.start()
    box.stop()
