"""The air between BlueZoo's adapters, steered by tests; and sockets with somebody at the other end."""

import asyncio
import contextlib
import socket

import sdbus
from bluezoo.bluezoo import startup

READ_BYTES = 65536


class Air(sdbus.DbusInterfaceCommonAsync, interface_name="org.boxagent.Air1"):
    """What tests say to the air. A phone is named by the path of its adapter."""

    def __init__(self):
        super().__init__()
        self.shared = False
        self.mtu, self.rssi = {}, {}
        self.lost = {"write": 0, "notify": 0}  # values that a slow reader or a limit made vanish
        self.acquired = {"write": 0, "notify": 0}
        self.to_lose = self.to_refuse = 0
        self.swap, self.held = False, None

    @sdbus.dbus_method_async("oq", flags=sdbus.DbusUnprivilegedFlag)
    async def SetMTU(self, adapter, mtu):
        """The ATT MTU of that phone's next connections."""
        self.mtu[adapter] = mtu

    @sdbus.dbus_method_async("on", flags=sdbus.DbusUnprivilegedFlag)
    async def SetRSSI(self, adapter, dbm):
        """The RSSI with which that phone hears everybody, from the next scan on."""
        self.rssi[adapter] = dbm

    @sdbus.dbus_method_async("u", flags=sdbus.DbusUnprivilegedFlag)
    async def RefuseConnections(self, count):
        """The next so many Connect calls fail as they do on a bad radio."""
        self.to_refuse = count

    @sdbus.dbus_method_async("u", flags=sdbus.DbusUnprivilegedFlag)
    async def LoseNotifications(self, count):
        """The next so many notifications vanish."""
        self.to_lose = count

    @sdbus.dbus_method_async("b", flags=sdbus.DbusUnprivilegedFlag)
    async def SwapNotifications(self, swap):
        """Each two notifications change places, as with EATT; when switched off the one that waits is delivered."""
        self.swap = swap
        if not swap and self.held:
            link, value = self.held
            self.held = None
            link.take(value)

    @sdbus.dbus_method_async("o", flags=sdbus.DbusUnprivilegedFlag)
    async def LoseLink(self, device):
        """The connection ends without a word from either end; the device as either adapter knows it."""
        for adapter in startup.service.adapters.values():
            if device in adapter.devices:
                await adapter.devices[device].link_lost()

    @sdbus.dbus_method_async(result_signature="uu", flags=sdbus.DbusUnprivilegedFlag)
    async def Lost(self):
        """How many writes and notifications vanished."""
        return self.lost["write"], self.lost["notify"]

    @sdbus.dbus_method_async(result_signature="uu", flags=sdbus.DbusUnprivilegedFlag)
    async def Acquired(self):
        """How many sockets applications were asked for, for writes and for notifications."""
        return self.acquired["write"], self.acquired["notify"]

    HELD_SECONDS = 0.1

    def notification(self, link, value):
        if self.to_lose:
            self.to_lose -= 1
            self.lost["notify"] += 1
        elif not self.swap:
            link.take(value)
        elif self.held is None:
            # Changes places with the next one; one that no other follows comes late, and is not lost.
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
    """One SEQPACKET socket: gives what arrives to `arrived`, tells `closed` once when it ends."""

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
        """False when the reader is too slow, and the value is lost."""
        try:
            self.socket.send(value, socket.MSG_NOSIGNAL)
            return True
        except OSError:
            return False

    def close(self):
        if self.socket.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self.socket)
            # The library keeps the message that brought the socket, and with it the socket, for a while.
            with contextlib.suppress(OSError):
                self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()
            self.closed(self)
