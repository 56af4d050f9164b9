"""BlueZ for tests without Bluetooth. bluezoo_service.py describes it and its differences from bluetoothd."""

import pathlib
import shutil
import tempfile

import pytest

from private_bus import BlueZoo, PrivateBus


@pytest.fixture
def bus_directory():
    """A directory with a short path, because a socket's path has at most 107 bytes."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxbus"))
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def private_bus(bus_directory):
    """The address of a D-Bus daemon that only this test uses."""
    bus = PrivateBus(bus_directory)
    yield bus.address
    bus.stop()


@pytest.fixture(params=[False], ids=["per-phone sockets"])
def bluezoo(private_bus, bus_directory, request):
    """org.bluez with three adapters: hci0 for the box, hci1 and hci2 for phones. Parametrise indirectly with True for BlueZ 5.66's
    shared sockets."""
    zoo = BlueZoo(private_bus, bus_directory / "bluezoo.log", shared=request.param)
    yield zoo
    zoo.stop()
