"""A phone that shares nothing with our code or with BlueZ: Google's Bumble on its own controller, and the codec that was written
from docs/reference/protocol.md alone. Bumble's asyncio loop runs in a thread, so that the blocking air.Conversation works with
every link."""

import asyncio
import queue
import threading

from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.transport import open_transport

import air
from deadline import Deadline
from machine import Failed

SECONDS = 20
OWN_ADDRESS = "F0:B0:0B:1E:00:01"  # static random, as on phones


class Bumble:
    """Bumble's stack on one controller, which bluetoothd has released."""

    def __init__(self, controller, own_address=OWN_ADDRESS):
        self.controller, self.own_address = controller, own_address
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.wait(self._open())

    def wait(self, coroutine, seconds=SECONDS):
        future = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        try:
            return Deadline(seconds).wait(future.result, TimeoutError)
        except asyncio.CancelledError as error:
            # Bumble raises this when the link is gone.
            raise air.LinkLost() from error

    async def _open(self):
        self.transport = await open_transport(f"hci-socket:{self.controller[3:]}")
        self.device = Device.with_hci(
            "phone", Address(self.own_address), self.transport.source, self.transport.sink)
        await self.device.power_on()

    def close(self):
        self.wait(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def _close(self):
        await self.device.power_off()
        await self.transport.close()

    def scan(self, name, seconds=SECONDS):
        """Returns the address of the box that advertises our service and has this name in its scan response."""
        return self.wait(self._scan(name), seconds)

    async def _scan(self, name):
        found, services = asyncio.get_running_loop().create_future(), set()

        def heard(advertisement):
            data = bytes(advertisement.data)
            if air.little_endian(air.SERVICE) in data:
                services.add(advertisement.address)
            if name.encode() in data and advertisement.address in services and not found.done():
                found.set_result(advertisement.address)

        self.device.on("advertisement", heard)
        await self.device.start_scanning(active=True, filter_duplicates=False)
        try:
            return await found
        finally:
            await self.device.stop_scanning()
            self.device.remove_listener("advertisement", heard)

    def connect(self, address, att_mtu=517):
        """Connects over GATT. The link is ready for segments."""
        return Link(self, address, att_mtu).subscribe()

    def connect_channel(self, address):
        """Connects and opens a channel. Returns (link, an L2CAP channel on it that is ready for segments)."""
        link = Link(self, address, 517)
        return link, Channel(link)


class Link:
    """GATT to one box: connected, discovered, the identity read."""

    def __init__(self, bumble, address, att_mtu):
        self.bumble, self.arrived = bumble, queue.Queue()
        # Only conversations over an L2CAP channel have a PSM; this is GATT.
        self.psm = 0
        # Bumble's reply to the box's own MTU request applies in both directions.
        bumble.device.gatt_server.max_mtu = max(att_mtu, 23)
        last = None
        for _ in range(4):  # connecting sometimes fails (0x3E), and a phone retries
            try:
                self.connection = bumble.wait(bumble.device.connect(address, timeout=10))
                break
            except Exception as error:  # Bumble raises exceptions of many types
                last = error
        else:
            raise Failed(f"Bumble cannot connect: {last!r}")
        bumble.wait(self._discover(att_mtu))

    async def _discover(self, att_mtu):
        peer = Peer(self.connection)
        self.att_mtu = await peer.request_mtu(att_mtu) if att_mtu > 23 else 23
        await peer.discover_service(UUID(air.SERVICE))
        found = {}
        for service in peer.services:
            await service.discover_characteristics()
            found.update({str(c.uuid).lower(): c for c in service.characteristics})
        self.transfer = found[air.TRANSFER]
        self.identity = bytes(await found[air.IDENTITY].read_value())
        self.offered_psm = int.from_bytes(bytes(await found[air.PSM].read_value()), "little")

    def subscribe(self):
        self.bumble.wait(self._subscribe())
        return self

    async def _subscribe(self):
        await self.transfer.discover_descriptors()
        await self.transfer.subscribe(lambda value: self.arrived.put(bytes(value)))

    def write(self, value):
        self.bumble.wait(self.transfer.write_value(value, with_response=False))

    def notification(self, seconds=SECONDS):
        try:
            return self.arrived.get(timeout=seconds)
        except queue.Empty:
            raise Failed("Bumble got no notification") from None

    def close(self):
        self.bumble.wait(self.connection.disconnect())


class Channel:
    """An LE credit-based channel on the box's PSM. An SDU is one segment without a tag."""

    def __init__(self, link, mtu=1024):
        self.bumble, self.arrived = link.bumble, queue.Queue()
        self.psm, self.att_mtu = link.offered_psm, link.att_mtu
        spec = LeCreditBasedChannelSpec(psm=self.psm, mtu=mtu, mps=mtu)
        self.channel = self.bumble.wait(link.connection.create_l2cap_channel(spec=spec))
        self.channel.sink = lambda sdu: self.arrived.put(bytes(sdu))
        self.mtu = min(mtu, self.channel.peer_mtu)

    def write(self, sdu):
        self.bumble.wait(self._write(sdu))

    async def _write(self, sdu):
        self.channel.write(sdu)
        # While it waits for credits, Bumble would merge later writes into one SDU.
        await self.channel.drain()

    notification = Link.notification

    def close(self):
        self.bumble.wait(self.channel.disconnect())
