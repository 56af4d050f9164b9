"""One GATT characteristic as bluetoothd handles it, at the application's end and at the central's end."""

import asyncio
import contextlib
import os
import socket

import sdbus
from bluezoo.exceptions import DBusBluezFailedError as Failed
from bluezoo.exceptions import DBusBluezInProgressError as InProgress
from bluezoo.exceptions import DBusBluezNotPermittedError as NotPermitted
from bluezoo.gatt.characteristic import GattCharacteristicClientLink
from bluezoo.interfaces.GattDescriptor import GattDescriptorInterface

from zoo_air import AIR, Pipe, in_background

ATT_MTU = 517
OLD_VALUE_LIMIT = 510  # bytes, in BlueZ before 5.69


class ServerEnd:
    """The application's end of one characteristic: its subscribers and their sockets."""

    def __init__(self, client):
        self.client, self.subscribed, self.pipes = client, [], {}
        self.acquiring = asyncio.Lock()
        self.changes = in_background(self.follow())

    async def follow(self):
        async for _, changed, _ in self.client.properties_changed.catch():
            if "Value" in changed:
                self.notify(list(self.subscribed), changed["Value"][1])

    def notify(self, links, value):
        for link in links:
            AIR.notification(link, bytes(value)[:link.mtu - 3])

    async def pipe(self, kind, link):
        """Returns the phone's socket for writes or notifications, acquired if needed, or None if the application offers none."""
        offered = self.client.WriteAcquired if kind == "write" else self.client.NotifyAcquired
        if offered.get() is None:
            return None
        key = kind, None if AIR.shared else link
        async with self.acquiring:
            if key not in self.pipes:
                acquire = self.client.AcquireWrite if kind == "write" else self.client.AcquireNotify
                AIR.acquired[kind] += 1
                try:
                    descriptor, _ = await acquire(link.options())
                except sdbus.SdBusUnmappedMessageError:
                    # The error has no ATT code, so bluetoothd uses WriteValue and StartNotify instead (src/gatt-database.c,
                    # dbus_error_to_att_ecode, acquire_write_reply, acquire_notify_reply).
                    return None
                ours = socket.socket(fileno=os.dup(descriptor))
                self.pipes[key] = Pipe(
                    ours, lambda value: self.notify(self.subscribed if AIR.shared else [link], value),
                    lambda pipe: self.pipes.pop(key, None))
            return self.pipes[key]

    async def write(self, link, value, kind):
        if AIR.shared and len(value) > OLD_VALUE_LIMIT:
            AIR.lost["write"] += 1
            return
        pipe = await self.pipe("write", link)
        if pipe is None:
            await self.client.WriteValue(value, link.options(type=("s", kind)))
        elif not pipe.send(value):
            AIR.lost["write"] += 1

    async def subscribe(self, link):
        first = not self.subscribed
        self.subscribed.append(link)
        if (AIR.shared and not first) or await self.pipe("notify", link) is not None:
            return
        if first:
            await self.client.StartNotify()

    async def unsubscribe(self, link):
        if link not in self.subscribed:
            return
        self.subscribed.remove(link)
        pipe = self.pipes.get(("notify", None if AIR.shared else link))
        if pipe is not None and not (AIR.shared and self.subscribed):
            pipe.close()
        elif pipe is None and not self.subscribed:
            await self.client.StopNotify()

    async def gone(self, link):
        """Handles the end of a phone's connection. BlueZ 5.66 keeps the socket for writes for the next phone."""
        with contextlib.suppress(sdbus.SdBusBaseError):  # the application may have ended as well
            await self.unsubscribe(link)
        if pipe := self.pipes.get(("write", link)):
            pipe.close()

    def end(self):
        self.changes.cancel()
        for pipe in list(self.pipes.values()):
            pipe.close()


class Characteristic(GattCharacteristicClientLink):
    """The central's end of a characteristic."""

    def __init__(self, client, service):
        super().__init__(client, service)
        self.device = service.device
        self.mtu = AIR.mtu.get(self.device.adapter.get_object_path(), ATT_MTU)
        if not hasattr(client, "end"):
            client.end = ServerEnd(client)
        self.end, self.pipes, self.value, self.is_notifying = client.end, {}, b"", False

    def options(self, **more):
        return dict({"device": ("o", self.device.peer.get_object_path()), "mtu": ("q", self.mtu),
                     "link": ("s", "LE")}, **more)

    async def disconnected(self):
        for pipe in list(self.pipes.values()):
            pipe.close()
        await self.end.gone(self)

    def take(self, value):
        """Delivers a notification."""
        if pipe := self.pipes.get("notify"):
            if not pipe.send(value):
                AIR.lost["notify"] += 1
        elif self.is_notifying:
            in_background(self.Value.set_async(value))

    def send(self, value):
        """Sends a write command that came through the socket. A value that does not fit into the MTU is dropped."""
        if len(value) > self.mtu - 3:
            AIR.lost["write"] += 1
        else:
            in_background(self.end.write(self, value, "command"))

    def acquire(self, kind, arrived):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

        def closed(pipe):
            self.pipes.pop(kind, None)
            self.is_notifying = self.is_notifying and kind != "notify"
            if kind == "notify":
                in_background(self.end.unsubscribe(self))
            in_background(self.acquired_changed(kind, False))
        self.pipes[kind] = Pipe(ours, arrived, closed)
        in_background(self.acquired_changed(kind, True))
        # Closes our copy only after this task pauses, because the reply is built from the descriptor before that.
        asyncio.get_running_loop().call_soon(theirs.close)
        return theirs.fileno(), self.mtu

    async def acquired_changed(self, kind, value):
        await (self.WriteAcquired if kind == "write" else self.NotifyAcquired).set_async(value)

    @sdbus.dbus_method_async_override()
    async def ReadValue(self, options):
        if not self.device.connected:
            raise Failed("Not connected")
        asked = {"offset": options["offset"]} if options.get("offset", ("q", 0))[1] else {}
        return (await self.client.ReadValue(self.options(**asked)))[:512]

    @sdbus.dbus_method_async_override()
    async def WriteValue(self, value, options):
        if not self.device.connected:
            raise Failed("Not connected")
        if "write" in self.pipes:
            raise NotPermitted("Write acquired")
        if len(value) > self.mtu - 3:
            raise Failed("Failed to initiate write")
        kind = options.get("type", ("s", "command" if "write" not in self.client.Flags.get([]) else "request"))[1]
        await self.end.write(self, value, kind)

    @sdbus.dbus_method_async_override()
    async def AcquireWrite(self, options):
        if not self.device.connected:
            raise Failed("Not connected")
        if "write" in self.pipes:
            raise NotPermitted("Write acquired")
        return self.acquire("write", self.send)

    @sdbus.dbus_method_async_override()
    async def AcquireNotify(self, options):
        if not self.device.connected:
            raise Failed("Not connected")
        if "notify" in self.pipes:
            raise NotPermitted("Notify acquired")
        if self.is_notifying:
            raise InProgress("In Progress")
        await self.end.subscribe(self)
        return self.acquire("notify", lambda value: None)

    @sdbus.dbus_method_async_override()
    async def StartNotify(self):
        if not self.device.connected:
            raise Failed("Not connected")
        if "notify" in self.pipes:
            raise NotPermitted("Notify acquired")
        if not self.is_notifying:
            self.is_notifying = True
            await self.end.subscribe(self)
            await self.Notifying.set_async(True)

    @sdbus.dbus_method_async_override()
    async def StopNotify(self):
        if "notify" in self.pipes:
            self.pipes["notify"].close()
        elif not self.is_notifying:
            raise Failed("No notify session started")
        else:
            self.is_notifying = False
            await self.end.unsubscribe(self)
            await self.Notifying.set_async(False)

    @sdbus.dbus_property_async_override()
    def Value(self):
        return self.value

    @Value.setter_private
    def set_value(self, value):
        self.value = value

    @sdbus.dbus_property_async_override()
    def Notifying(self):
        return self.is_notifying or "notify" in self.pipes

    @Notifying.setter_private
    def set_notifying(self, value):
        pass

    @sdbus.dbus_property_async_override()
    def WriteAcquired(self):
        return "write" in self.pipes

    @WriteAcquired.setter_private
    def set_write_acquired(self, value):
        pass

    @sdbus.dbus_property_async_override()
    def NotifyAcquired(self):
        return "notify" in self.pipes

    @NotifyAcquired.setter_private
    def set_notify_acquired(self, value):
        pass


class NotificationSwitch(GattDescriptorInterface):
    """The descriptor 0x2902 of a characteristic that notifies, as bluetoothd shows it. Chromium subscribes only if it exists. No
    client writes it: bluetoothd does so itself at StartNotify."""

    def __init__(self, link):
        super().__init__()
        self.client, self.link = link.client, link

    def get_object_path(self):
        return self.link.get_object_path() + "/desc2902"

    @sdbus.dbus_property_async_override()
    def UUID(self):
        return "00002902-0000-1000-8000-00805f9b34fb"

    @sdbus.dbus_property_async_override()
    def Characteristic(self):
        return self.link.get_object_path()

    @sdbus.dbus_property_async_override()
    def Value(self):
        return b""

    @sdbus.dbus_property_async_override()
    def Flags(self):
        return ["read"]

    @sdbus.dbus_property_async_override()
    def Handle(self):
        return 0
