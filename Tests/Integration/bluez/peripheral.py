"""A GATT server in Python: the box's table with an echo, over sockets or values, and an advertisement."""

import socket

import dbus
import dbus.service
from gi.repository import GLib

from bus_client import BusClient, OBJECT_MANAGER, PROPERTIES, plain

GATT_MANAGER, ADVERTISING_MANAGER = "org.bluez.GattManager1", "org.bluez.LEAdvertisingManager1"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"
SERVICE_UUID = "bf52e2d6-ff52-43cb-99a0-872fa3dde94f"
IDENTITY_UUID = "f438775d-e605-42b8-abe7-6e31ed52ea87"
TRANSFER_UUID = "a82ae020-e171-42f8-a31c-5f612926f041"
PSM_UUID = "abdd3056-28fa-441d-a470-55a75a52553a"
ROOT = "/box"


class Exported(dbus.service.Object):
    def __init__(self, client, path, interface, properties):
        super().__init__(client.bus, path)
        self.path, self.interface, self.properties = path, interface, properties

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.properties

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return self.properties[name]

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Advertisement(Exported):
    def __init__(self, client, name, log, more):
        self.log = log
        super().__init__(client, ROOT + "/advertisement", ADVERTISEMENT, dict({
            "Type": "peripheral", "LocalName": name,
            "ServiceUUIDs": dbus.Array([SERVICE_UUID], signature="s")}, **more))

    @dbus.service.method(ADVERTISEMENT)
    def Release(self):
        self.log.append(("Release",))


class Characteristic(Exported):
    def __init__(self, client, number, uuid, flags, value=b"", sockets=False, log=None):
        self.value, self.log, self.links = value, log, {"write": [], "notify": []}
        self.mtu, self.echo = 517, True
        properties = {"Service": dbus.ObjectPath(ROOT + "/service"), "UUID": uuid,
                      "Flags": dbus.Array(flags, signature="s")}
        if sockets:  # the mere presence of the property makes BlueZ ask for a socket
            properties.update(WriteAcquired=False, NotifyAcquired=False)
        elif "notify" in flags:
            properties["Notifying"] = False
        super().__init__(client, ROOT + "/service/char%d" % number, CHARACTERISTIC, properties)

    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        self.log.append(("ReadValue", plain(options)))
        return dbus.Array(self.value[int(options.get("offset", 0)):], signature="y")

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}")
    def WriteValue(self, value, options):
        self.log.append(("WriteValue", bytes(value), plain(options)))
        if self.echo:
            self.notify(bytes(value))

    @dbus.service.method(CHARACTERISTIC)
    def StartNotify(self):
        self.log.append(("StartNotify",))

    @dbus.service.method(CHARACTERISTIC)
    def StopNotify(self):
        self.log.append(("StopNotify",))

    @dbus.service.method(CHARACTERISTIC)
    def Confirm(self):
        self.log.append(("Confirm",))

    def acquire(self, kind, options):
        self.log.append(("Acquire" + kind, plain(options)))
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.links[kind.lower()].append(ours)
        GLib.io_add_watch(
            ours.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.readable, kind, ours)
        passed = dbus.types.UnixFd(theirs)
        theirs.close()
        return passed, dbus.UInt16(self.mtu)

    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="hq")
    def AcquireWrite(self, options):
        return self.acquire("Write", options)

    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="hq")
    def AcquireNotify(self, options):
        return self.acquire("Notify", options)

    def readable(self, descriptor, condition, kind, ours):
        value = ours.recv(65536) if condition & GLib.IO_IN else b""
        if value:
            self.log.append(("arrived", kind, value))
            if self.echo and kind == "Write":
                self.notify(value)
            return True
        self.log.append(("closed", kind))
        self.links[kind.lower()].remove(ours)
        ours.close()
        return False

    def notify(self, value):
        for link in self.links["notify"]:
            link.send(value)
        if not self.links["notify"]:
            self.PropertiesChanged(CHARACTERISTIC, {"Value": dbus.Array(value, signature="y")}, [])


class Peripheral(dbus.service.Object):
    """A GATT application and its advertisement. `register` and `advertise` make them visible. `log` has BlueZ's requests."""

    def __init__(self, address, adapter, sockets=True, name="Box 4711", **advertised):
        self.client, self.adapter, self.log = BusClient(address), adapter, []
        super().__init__(self.client.bus, ROOT)
        service = Exported(self.client, ROOT + "/service", SERVICE, {"UUID": SERVICE_UUID, "Primary": True})
        self.identity = Characteristic(self.client, 0, IDENTITY_UUID, ["read"], bytes(range(200)), log=self.log)
        self.transfer = Characteristic(
            self.client, 1, TRANSFER_UUID, ["write-without-response", "notify"], sockets=sockets, log=self.log)
        self.psm = Characteristic(self.client, 2, PSM_UUID, ["read"], b"\x80\x00", log=self.log)
        self.objects = [service, self.identity, self.transfer, self.psm]
        self.advertisement = Advertisement(self.client, name, self.log, advertised)

    @dbus.service.method(OBJECT_MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {each.path: {each.interface: each.properties} for each in self.objects}

    def register(self):
        self.client.call(
            self.adapter, GATT_MANAGER, "RegisterApplication", "oa{sv}", ROOT, dbus.Dictionary(signature="sv"))

    def advertise(self):
        self.client.call(
            self.adapter, ADVERTISING_MANAGER, "RegisterAdvertisement", "oa{sv}", self.advertisement.path,
            dbus.Dictionary(signature="sv"))

    def stop_advertising(self):
        self.client.call(
            self.adapter, ADVERTISING_MANAGER, "UnregisterAdvertisement", "o", self.advertisement.path)

    def close(self):
        self.client.close()
