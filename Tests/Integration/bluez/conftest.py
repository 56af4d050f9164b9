"""BlueZ for tests that have no Bluetooth: see bluezoo_service.py for what it is and how it differs from bluetoothd."""

import pathlib
import shutil
import tempfile

import pytest

from private_bus import BlueZoo, PrivateBus


@pytest.fixture
def bus_directory():
    """Short, for a socket's path has at most 107 bytes."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxbus"))
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def private_bus(bus_directory):
    """The address of a D-Bus daemon that only this test knows."""
    bus = PrivateBus(bus_directory)
    yield bus.address
    bus.stop()


@pytest.fixture(params=[False], ids=["per-phone sockets"])
def bluezoo(private_bus, bus_directory, request):
    """org.bluez with three adapters: hci0 for the box, hci1 and hci2 for phones. Parametrise indirectly with True for
    BlueZ 5.66's shared sockets."""
    zoo = BlueZoo(private_bus, bus_directory / "bluezoo.log", shared=request.param)
    yield zoo
    zoo.stop()
