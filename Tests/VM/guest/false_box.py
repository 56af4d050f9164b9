#!/usr/bin/env python3
"""A false box: `false_box.py ADAPTER NAME IDENTITY-HEX`. It advertises NAME, shows the given identity, and prints what a phone
reads, subscribes to and writes. NAME may hold escapes such as \\x1b."""

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

from air import IDENTITY, PSM, SERVICE, TRANSFER

CHARACTERISTIC = "org.bluez.GattCharacteristic1"
PROPERTIES, OBJECT_MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"


def say(*words):
    print(*words, flush=True)


class Exported(dbus.service.Object):
    def __init__(self, bus, path, interface, properties):
        super().__init__(bus, path)
        self.path, self.interface, self.properties = path, interface, properties

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return self.properties

    @dbus.service.method("org.bluez.LEAdvertisement1")
    def Release(self):
        pass


class Characteristic(Exported):
    def __init__(self, bus, number, uuid, flags, value=b""):
        self.uuid, self.value = uuid, value
        super().__init__(bus, f"/false/service/char{number}", CHARACTERISTIC, {
            "Service": dbus.ObjectPath("/false/service"), "UUID": uuid, "Flags": dbus.Array(flags, signature="s")})

    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        say("read", self.uuid[:8])
        return dbus.Array(self.value[int(options.get("offset", 0)):], signature="y")

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}")
    def WriteValue(self, value, _options):
        say("written", bytes(value).hex())

    @dbus.service.method(CHARACTERISTIC)
    def StartNotify(self):
        say("subscribed")

    @dbus.service.method(CHARACTERISTIC)
    def StopNotify(self):
        say("unsubscribed")


class Application(dbus.service.Object):
    def __init__(self, bus, objects):
        super().__init__(bus, "/false")
        self.objects = objects

    @dbus.service.method(OBJECT_MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {o.path: {o.interface: o.properties} for o in self.objects}


def main():
    adapter_name, name, identity = sys.argv[1], sys.argv[2].encode().decode("unicode_escape"), sys.argv[3]
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    Application(bus, [
        Exported(bus, "/false/service", "org.bluez.GattService1", {"UUID": SERVICE, "Primary": True}),
        Characteristic(bus, 0, IDENTITY, ["read"], bytes.fromhex(identity)),
        Characteristic(bus, 1, TRANSFER, ["write-without-response", "notify"]),
        Characteristic(bus, 2, PSM, ["read"], b"\0\0")])
    Exported(bus, "/false/advertisement", "org.bluez.LEAdvertisement1", {
        "Type": "peripheral", "ServiceUUIDs": dbus.Array([SERVICE], signature="s"), "LocalName": name})
    adapter = bus.get_object("org.bluez", f"/org/bluez/{adapter_name}")
    loop = GLib.MainLoop()

    def failed(error):
        say("failed:", error)
        loop.quit()

    def register(interface, method, path, then):
        dbus.Interface(adapter, interface).get_dbus_method(method)(
            dbus.ObjectPath(path), dbus.Dictionary(signature="sv"), reply_handler=then, error_handler=failed)

    register("org.bluez.GattManager1", "RegisterApplication", "/false", lambda: register(
        "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "/false/advertisement",
        lambda: say("advertising")))
    loop.run()


main()
