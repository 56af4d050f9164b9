#!/usr/bin/env python3
"""BlueZoo (PyPI, GPL-2.0-only) made to behave like bluetoothd where our programs can tell the difference.

    bluezoo_service.py [--shared] ADDRESS...     on the bus of DBUS_SYSTEM_BUS_ADDRESS; hci0 has the first ADDRESS

Behaviour of plain BlueZoo 1.0.2 (tried), and the changes in this module:
- BlueZoo passes the application's own sockets to the central, with empty options and an MTU of 512, and never closes
  them. Here each end has its own socket, as in bluetoothd. Data is copied from one to the other, and both close when
  the connection ends.
- After Disconnect the service objects stay, ServicesResolved stays true and the next Connect fails. Here they are removed.
- RSSI is 0, UUID filters are ignored, and an unpowered adapter scans and is found. All three are corrected here.
- A device has no AdvertisingFlags, which crashes Chromium. A characteristic has no descriptor, so Chromium cannot
  subscribe. Both are added here.

Unchanged: a device found once stays forever, and pairing needs an agent without input and output. All addresses are public, there
is no L2CAP, and a scan reports everything ten times a second.

One socket exists for each phone and direction, as in bluetoothd 5.69 and later. A notification through a socket reaches only that
phone (since 5.76). With --shared, it behaves as 5.66 of Debian 12. One socket serves all phones and is named after the first one. A
notification goes to all subscribers (gatt-database.c: external_chrc, send_notification_to_devices). A value of more than 510 bytes
is lost (upstream 8bf3a4a26). PropertiesChanged notifies all of them in any version.

Tests control the air through org.boxagent.Air1 on /air: see zoo_air.py.
"""

import argparse
import asyncio

import bluezoo.bluezoo
import bluezoo.gatt.manager
import sdbus
from bluezoo.adapter import Adapter
from bluezoo.bluezoo import startup
from bluezoo.device import Device
from bluezoo.exceptions import DBusBluezFailedError as Failed
from bluezoo.exceptions import DBusBluezInProgressError as InProgress
from bluezoo.exceptions import DBusBluezNotReadyError as NotReady
from bluezoo.gatt import GattApplicationClient, GattCharacteristicClient, GattServiceClient, GattServiceClientLink

from zoo_air import AIR, in_background
from zoo_gatt import Characteristic, NotificationSwitch

RSSI_DBM, SCAN_SECONDS = -50, 0.1


class AirDevice(Device):
    """One adapter's view of another."""

    async def properties_sync(self, device):
        await super().properties_sync(device)
        await self.RSSI.set_async(AIR.rssi.get(self.adapter.get_object_path(), RSSI_DBM))

    def attach_to_adapter(self, adapter):
        self.peer, self.adapter = AirDevice(adapter), adapter
        self.rssi = AIR.rssi.get(adapter.get_object_path(), RSSI_DBM)

    async def connect(self, uuid=None):
        if self.connected:
            return
        if AIR.to_refuse or not (self.adapter.powered and self.peer_adapter.powered):
            AIR.to_refuse = max(0, AIR.to_refuse - 1)
            raise Failed("le-connection-abort-by-local")
        adapter, box = self.adapter, self.peer_adapter
        phone = AirDevice(adapter)
        phone.attach_to_adapter(box)
        if phone.get_object_path() not in box.devices:
            await box.add_device(phone)
        self.peer = box.devices[phone.get_object_path()]
        self.peer.peer = self
        await self.peer.Connected.set_async(True)
        await self.Connected.set_async(True)
        self.resolve()
        await self.peer.ServicesResolved.set_async(True)
        await self.ServicesResolved.set_async(True)

    def resolve(self):
        """Shows the services of the other end's applications that are not shown yet."""
        for application in self.peer_adapter.gatt_apps.values():
            shown = {}
            for path, each in sorted(application.objects.items()):
                if isinstance(each, GattServiceClient):
                    shown[path] = link = GattServiceClientLink(each, self)
                elif isinstance(each, GattCharacteristicClient):
                    link = Characteristic(each, shown[each.Service.get()])
                else:
                    continue
                if link.get_object_path() not in self.services:
                    self.adapter.mock.export_object(link.get_object_path(), link)
                    self.services[link.get_object_path()] = link
                    if isinstance(link, Characteristic) and "notify" in each.Flags.get([]):
                        switch = NotificationSwitch(link)
                        self.adapter.mock.export_object(switch.get_object_path(), switch)
                        self.services[switch.get_object_path()] = switch

    async def link_lost(self):
        """Reports the loss to both ends, services first, as device_remove_connection() in src/device.c does."""
        if not self.connected:
            return
        self.connected = self.peer.connected = False
        for end in (self, self.peer):
            await end.remove_services()
        for end in (self, self.peer):
            await end.ServicesResolved.set_async(False)
            await end.Connected.set_async(False)

    async def remove_services(self):
        for link in reversed(list(self.services.values())):
            if isinstance(link, Characteristic):
                await link.disconnected()
            self.adapter.mock.remove_object(link)
        self.services.clear()

    async def disconnect(self, uuid=None):
        await self.link_lost()

    async def forget(self, client):
        """Removes the services of the box's application, which has ended."""
        for path, link in reversed(list(self.services.items())):
            if link.client.get_client() == client:
                if isinstance(link, Characteristic):
                    await link.disconnected()
                self.adapter.mock.remove_object(link)
                del self.services[path]

    @sdbus.dbus_property_async_override()
    def AdvertisingFlags(self):
        return b"\x06"

    @sdbus.dbus_property_async_override()
    def RSSI(self):
        return self.rssi

    @RSSI.setter_private
    def set_rssi(self, value):
        self.rssi = value


class AirAdapter(Adapter):
    async def add_device(self, device):
        """Adds a device that a scan found, or the other end of an incoming connection."""
        found = device.is_le or device.is_br_edr
        unwanted = self.scan_filter_uuids and not set(self.scan_filter_uuids) & set(device.uuids)
        if not (found and unwanted):
            await super().add_device(device)

    @sdbus.dbus_method_async_override()
    async def RegisterApplication(self, application, options):
        await super().RegisterApplication(application, options)
        for device in self.devices.values():
            if device.connected:
                device.peer.resolve()

    @sdbus.dbus_method_async_override()
    async def StartDiscovery(self):
        if not self.powered:
            raise NotReady("Resource Not Ready")
        sender = sdbus.get_current_message().sender
        if sender in self.scan_subscribers:
            raise InProgress("Operation already in progress")
        self.discovering_task.cancel()
        await super().StartDiscovery()

    @sdbus.dbus_property_async_override()
    def Powered(self):
        return self.powered

    @Powered.setter
    def set_powered(self, value):
        if self.powered and not value:
            in_background(self.powered_off())
        self.powered = value
        in_background(self.PowerState.set_async("on" if value else "off"))

    async def powered_off(self):
        """Drops connections and advertising, as the kernel does. bluetoothd does not notice the latter: ActiveInstances keeps its
        value, and the adapter is not found until the application registers again (advertising.c of 5.66 has no handler of
        MGMT_EV_ADVERTISING_REMOVED)."""
        for device in list(self.devices.values()):
            await device.link_lost()
        self.discovering_task.cancel()
        await self.Discovering.set_async(False)
        for advertisement in self.advertisements.values():
            advertisement.Discoverable.cache(False)


class Application(GattApplicationClient):
    async def cleanup(self):
        for adapter in startup.service.adapters.values():
            for device in adapter.devices.values():
                await device.forget(self.get_client())
        for each in self.objects.values():
            if isinstance(each, GattCharacteristicClient) and hasattr(each, "end"):
                each.end.end()
        await super().cleanup()


async def serve(arguments):
    AIR.shared = arguments.shared
    bluezoo.bluezoo.Adapter, bluezoo.bluezoo.Device = AirAdapter, AirDevice
    bluezoo.gatt.manager.GattApplicationClient = Application
    await startup("system", arguments.addresses, auto_enable=True, scan_interval=SCAN_SECONDS)
    AIR.export_to_dbus("/air")
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("addresses", metavar="ADDRESS", nargs="+")
    asyncio.run(serve(parser.parse_args()))
