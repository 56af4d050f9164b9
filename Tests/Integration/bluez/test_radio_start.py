"""A bluetoothd whose objects change at the moment when a program asks for them."""

import os
import pathlib
import subprocess

import dbus
import dbus.service
from bus_client import BLUEZ, OBJECT_MANAGER, PROPERTIES, BusClient, wait_for
from gi.repository import GLib

BIN = pathlib.Path(os.environ.get("BOXAGENT_BIN", pathlib.Path(__file__).resolve().parents[3] / "dist"))
PROGRAM = BIN / "boxphone"
ADAPTER, DEVICE = "/org/bluez/hci1", "/org/bluez/hci1/dev_02_00_00_00_00_01"
SERVICE = "bf52e2d6-ff52-43cb-99a0-872fa3dde94f"


def variants(**properties):
    return dbus.Dictionary(properties, signature="sv")


class Root(dbus.service.Object):
    """Lists its objects, and changes one directly after the answer."""

    def __init__(self, bus, device):
        super().__init__(bus, "/")
        self.device = device

    @dbus.service.method(OBJECT_MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        GLib.idle_add(self.device.PropertiesChanged, "org.bluez.Device1",
                      variants(Name="Box 1234", RSSI=dbus.Int16(-50)), dbus.Array([], signature="s"))
        return {
            dbus.ObjectPath(ADAPTER): {"org.bluez.Adapter1": variants(
                Address="02:00:00:00:00:02", AddressType="public", Powered=True)},
            dbus.ObjectPath(DEVICE): {"org.bluez.Device1": variants(
                Address="02:00:00:00:00:01", AddressType="public", Name="rig", Connected=False,
                UUIDs=dbus.Array([SERVICE], signature="s"))}}


class Adapter(dbus.service.Object):
    @dbus.service.method("org.bluez.Adapter1", in_signature="a{sv}")
    def SetDiscoveryFilter(self, properties):
        pass

    @dbus.service.method("org.bluez.Adapter1")
    def StartDiscovery(self):
        pass

    @dbus.service.method("org.bluez.Adapter1")
    def StopDiscovery(self):
        pass


class Device(dbus.service.Object):
    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


def test_what_changes_right_after_the_objects_were_told_is_heard(private_bus, tmp_path):
    address = private_bus
    client = BusClient(address)
    name = dbus.service.BusName(BLUEZ, client.bus)
    device, adapter = Device(client.bus, DEVICE), Adapter(client.bus, ADAPTER)
    root = Root(client.bus, device)
    phone = subprocess.Popen(
        [PROGRAM, "scan", "--directory", tmp_path / "phone", "--radio", "bluez", "--bus", address, "--adapter", "hci1"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: phone.poll() is not None, "the scan")
    out, err = phone.communicate()
    assert "1234" in out, err
    for item in (root, adapter, device):
        item.remove_from_connection()
    del name
    client.close()
