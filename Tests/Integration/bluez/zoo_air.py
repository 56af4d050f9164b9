"""The air between BlueZoo's adapters, controlled by tests, and the sockets of both ends."""

import asyncio
import contextlib
import socket

import sdbus
from bluezoo.bluezoo import startup

READ_BYTES = 65536


class Air(sdbus.DbusInterfaceCommonAsync, interface_name="org.boxagent.Air1"):
    """The tests' control of the air. A phone is named by the path of its adapter."""

    def __init__(self):
        super().__init__()
        self.shared = False
        self.mtu, self.rssi = {}, {}
        self.lost = {"write": 0, "notify": 0}  # values that a slow reader or a limit discarded
        self.acquired = {"write": 0, "notify": 0}
        self.to_lose = self.to_refuse = 0
        self.swap, self.held = False, None

    @sdbus.dbus_method_async("oq", flags=sdbus.DbusUnprivilegedFlag)
    async def SetMTU(self, adapter, mtu):
        """Sets the ATT MTU of that phone's next connections."""
        self.mtu[adapter] = mtu

    @sdbus.dbus_method_async("on", flags=sdbus.DbusUnprivilegedFlag)
    async def SetRSSI(self, adapter, dbm):
        """Sets the RSSI at which that phone hears all devices, from the next scan on."""
        self.rssi[adapter] = dbm

    @sdbus.dbus_method_async("u", flags=sdbus.DbusUnprivilegedFlag)
    async def RefuseConnections(self, count):
        """Makes the next `count` Connect calls fail, as on a bad radio."""
        self.to_refuse = count

    @sdbus.dbus_method_async("u", flags=sdbus.DbusUnprivilegedFlag)
    async def LoseNotifications(self, count):
        """Discards the next `count` notifications."""
        self.to_lose = count

    @sdbus.dbus_method_async("b", flags=sdbus.DbusUnprivilegedFlag)
    async def SwapNotifications(self, swap):
        """Swaps each two notifications, as EATT may. Switching it off delivers a waiting notification."""
        self.swap = swap
        if not swap and self.held:
            link, value = self.held
            self.held = None
            link.take(value)

    @sdbus.dbus_method_async("o", flags=sdbus.DbusUnprivilegedFlag)
    async def LoseLink(self, device):
        """Ends the connection without an action of either end. `device` is the path at either adapter."""
        for adapter in startup.service.adapters.values():
            if device in adapter.devices:
                await adapter.devices[device].link_lost()

    @sdbus.dbus_method_async(result_signature="uu", flags=sdbus.DbusUnprivilegedFlag)
    async def Lost(self):
        """Returns how many writes and notifications were lost."""
        return self.lost["write"], self.lost["notify"]

    @sdbus.dbus_method_async(result_signature="uu", flags=sdbus.DbusUnprivilegedFlag)
    async def Acquired(self):
        """Returns how many sockets applications were asked for, for writes and for notifications."""
        return self.acquired["write"], self.acquired["notify"]

    HELD_SECONDS = 0.1

    def notification(self, link, value):
        if self.to_lose:
            self.to_lose -= 1
            self.lost["notify"] += 1
        elif not self.swap:
            link.take(value)
        elif self.held is None:
            # Holds the notification, to swap it with the next one. If none follows, it is delivered late but not lost.
            self.held = link, value
            asyncio.get_running_loop().call_later(self.HELD_SECONDS, self.release, self.held)
        else:
            link.take(value)
            self.release(self.held)

    def release(self, held):
        if self.held is held:
            self.held = None
            held[0].take(held[1])


AIR = Air()


def in_background(coroutine):
    task = asyncio.ensure_future(coroutine)
    in_background.tasks.add(task)
    task.add_done_callback(in_background.tasks.discard)
    return task


in_background.tasks = set()


class Pipe:
    """One SEQPACKET socket. It passes arriving data to `arrived`, and calls `closed` once when it ends."""

    def __init__(self, ours, arrived, closed):
        self.socket, self.arrived, self.closed = ours, arrived, closed
        ours.setblocking(False)
        asyncio.get_running_loop().add_reader(ours, self.readable)

    def readable(self):
        try:
            value = self.socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            value = b""
        if value:
            self.arrived(value)
        else:
            self.close()

    def send(self, value):
        """Returns False if the reader is too slow and the value is lost."""
        try:
            self.socket.send(value, socket.MSG_NOSIGNAL)
            return True
        except OSError:
            return False

    def close(self):
        if self.socket.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self.socket)
            # Only shutdown() ends the socket at once: the library keeps the message that carried the socket for a while.
            with contextlib.suppress(OSError):
                self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()
            self.closed(self)
