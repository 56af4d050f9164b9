"""Checks that the org.bluez of the other tests behaves as bluezoo_service.py says, with a server and clients in Python."""

import socket

import dbus
import pytest

from bus_client import BusClient, plain, wait_for
from peripheral import CHARACTERISTIC, IDENTITY_UUID, SERVICE, SERVICE_UUID, TRANSFER_UUID, Peripheral
from private_bus import ADAPTER

DEVICE = "org.bluez.Device1"
NOTHING = dbus.Dictionary(signature="sv")
both = pytest.mark.parametrize("bluezoo", [False, True], ids=["per-phone sockets", "shared sockets"], indirect=True)


@pytest.fixture
def box(private_bus, bluezoo):
    peripheral = Peripheral(private_bus, bluezoo.adapter(0), Discoverable=True)
    peripheral.register()
    peripheral.advertise()
    yield peripheral
    peripheral.close()


class Phone:
    def __init__(self, address, zoo, number=1):
        self.client, self.zoo, self.number = BusClient(address), zoo, number
        self.adapter, self.device = zoo.adapter(number), zoo.device(number, 0)

    def scan(self, uuid=SERVICE_UUID):
        self.client.call(self.adapter, ADAPTER, "SetDiscoveryFilter", "a{sv}", dbus.Dictionary(
            {"UUIDs": dbus.Array([uuid], signature="s"), "Transport": "le"}, signature="sv"))
        self.client.call(self.adapter, ADAPTER, "StartDiscovery")

    def find(self):
        self.scan()
        wait_for(lambda: self.device in self.client.objects(DEVICE), "the box")

    def connect(self):
        self.client.call(self.device, DEVICE, "Connect")
        return self

    def path(self, uuid):
        found = self.client.objects(CHARACTERISTIC, self.device)
        return next(path for path, properties in found.items() if properties["UUID"] == uuid)

    def acquire(self, kind):
        descriptor, mtu = self.client.call(self.path(TRANSFER_UUID), CHARACTERISTIC, "Acquire" + kind, "a{sv}", NOTHING)
        taken = socket.socket(fileno=descriptor.take())
        taken.setblocking(False)
        return taken, int(mtu)


@pytest.fixture
def phone(private_bus, bluezoo, box):
    one = Phone(private_bus, bluezoo)
    one.find()
    yield one
    one.client.close()


def received(taken):
    """Returns the next value, or b"" at the end."""
    def attempt():
        try:
            return [taken.recv(65536)]
        except BlockingIOError:
            return None
    return wait_for(attempt, "a value")[0]


def calls(box, name):
    return [entry for entry in box.log if entry[0] == name]


@both
def test_a_login_sized_exchange_by_sockets(bluezoo, box, phone):
    phone.connect()
    read = phone.client.call(phone.path(IDENTITY_UUID), CHARACTERISTIC, "ReadValue", "a{sv}", NOTHING)
    assert bytes(read) == bytes(range(200))
    notifications, mtu = phone.acquire("Notify")
    writes, _ = phone.acquire("Write")
    assert mtu == 517
    values = [bytes([number]) * (number + 1) for number in range(244)]
    for value in values:
        writes.send(value)
    assert [received(notifications) for _ in values] == values
    for kind in ("AcquireNotify", "AcquireWrite"):
        assert [options for _, options in calls(box, kind)] == [
            {"device": bluezoo.device(0, 1), "mtu": 517, "link": "LE"}]


@pytest.mark.parametrize("bluezoo", [False], indirect=True)
def test_a_box_that_offers_no_sockets_gets_values_with_their_device(bluezoo, private_bus):
    box = Peripheral(private_bus, bluezoo.adapter(0), sockets=False, Discoverable=True)
    box.register()
    box.advertise()
    phone = Phone(private_bus, bluezoo)
    bluezoo.set_mtu(1, 185)
    phone.find()
    phone.connect()
    path = phone.path(TRANSFER_UUID)
    phone.client.call(path, CHARACTERISTIC, "StartNotify")
    phone.client.call(path, CHARACTERISTIC, "WriteValue", "aya{sv}", b"hello", NOTHING)
    wait_for(lambda: phone.client.changes(path, CHARACTERISTIC, "Value"), "the echo")
    assert phone.client.changes(path, CHARACTERISTIC, "Value") == [b"hello"]
    assert [entry[0] for entry in box.log] == ["StartNotify", "WriteValue"]
    assert box.log[1][1:] == (
        b"hello", {"device": bluezoo.device(0, 1), "mtu": 185, "link": "LE", "type": "command"})
    with pytest.raises(dbus.DBusException):
        phone.client.call(path, CHARACTERISTIC, "WriteValue", "aya{sv}", bytes(183), NOTHING)


@both
def test_a_connection_that_ends_closes_the_sockets_of_the_phone_and_can_come_back(bluezoo, box, phone):
    for ended_by in (lambda: phone.client.call(phone.device, DEVICE, "Disconnect"),
                     lambda: bluezoo.lose_link(bluezoo.device(0, 1))):
        phone.client.signals.clear()
        box.log.clear()
        phone.connect()
        notifications, _ = phone.acquire("Notify")
        writes, _ = phone.acquire("Write")
        writes.send(b"x")
        assert received(notifications) == b"x"
        ended_by()
        assert (received(notifications), received(writes)) == (b"", b"")
        wait_for(lambda: phone.client.changes(phone.device, DEVICE, "Connected")[-1:] == [False], "Connected")
        order = [name for path, _, member, arguments in phone.client.signals
                 if member == "PropertiesChanged" and path == phone.device for name in arguments[1]
                 if name in ("Connected", "ServicesResolved")]
        assert order == ["Connected", "ServicesResolved", "ServicesResolved", "Connected"]
        assert phone.client.objects(SERVICE) == {} == phone.client.objects(CHARACTERISTIC)
        wait_for(lambda: ("closed", "Notify") in box.log, "the box's socket")
        # BlueZ 5.66 (`shared`) keeps its one socket for writes for the next phone.
        assert (("closed", "Write") in box.log) is not bluezoo.shared


@both
def test_two_phones_are_told_apart_by_sockets_only_since_5_69(bluezoo, box, phone, private_bus):
    other = Phone(private_bus, bluezoo, 2)
    other.find()
    ends = []
    for one in (phone.connect(), other.connect()):
        ends.append((one.acquire("Notify")[0], one.acquire("Write")[0]))
    box.transfer.echo = False
    ends[0][1].send(b"one")
    wait_for(lambda: calls(box, "arrived"), "the write of the first")
    ends[1][1].send(b"two")
    wait_for(lambda: len(calls(box, "arrived")) == 2, "the write of the second")
    acquired = [options["device"] for _, options in calls(box, "AcquireWrite")]
    assert acquired == [bluezoo.device(0, 1)] + [bluezoo.device(0, 2)] * (not bluezoo.shared)
    assert len(box.transfer.links["notify"]) == (1 if bluezoo.shared else 2)
    box.transfer.links["notify"][0].send(b"first")
    assert received(ends[0][0]) == b"first"
    if bluezoo.shared:
        assert received(ends[1][0]) == b"first"
    else:
        box.transfer.links["notify"][1].send(b"second")
        assert received(ends[1][0]) == b"second"
    other.client.close()


def test_values_over_the_limits_vanish(bluezoo, box, phone):
    bluezoo.set_mtu(1, 23)
    phone.connect()
    writes, mtu = phone.acquire("Write")
    assert mtu == 23
    writes.send(bytes(21))
    writes.send(b"last")
    wait_for(lambda: calls(box, "arrived"), "a write")
    assert [entry[2] for entry in calls(box, "arrived")] == [b"last"]
    assert bluezoo.lost() == (1, 0)


def test_notifications_are_lost_and_change_places_on_demand(bluezoo, box, phone):
    phone.connect()
    notifications, _ = phone.acquire("Notify")
    writes, _ = phone.acquire("Write")
    bluezoo.lose_notifications(1)
    for value in (b"1", b"2"):
        writes.send(value)
    assert received(notifications) == b"2"
    bluezoo.swap_notifications(True)
    for value in (b"3", b"4", b"5"):
        writes.send(value)
    assert [received(notifications), received(notifications)] == [b"4", b"3"]
    wait_for(lambda: len(calls(box, "arrived")) == 5, "all writes")
    bluezoo.swap_notifications(False)
    assert received(notifications) == b"5"


def test_a_reader_that_is_slow_loses_notifications(bluezoo, box, phone):
    phone.connect()
    notifications, _ = phone.acquire("Notify")
    for _ in range(3000):
        box.transfer.links["notify"][0].send(bytes(514))
    wait_for(lambda: bluezoo.lost()[1], "a loss")


def test_what_is_not_wanted_is_not_found_and_the_signal_strength_is_told(bluezoo, box, phone, private_bus):
    wait_for(lambda: phone.client.get(phone.device, DEVICE, "RSSI") == -50, "RSSI")
    bluezoo.set_rssi(1, -77)
    wait_for(lambda: -77 in phone.client.changes(phone.device, DEVICE, "RSSI"), "RSSI")
    other = Phone(private_bus, bluezoo, 2)
    other.scan("0000180f-0000-1000-8000-00805f9b34fb")
    wait_for(lambda: len(phone.client.changes(phone.device, DEVICE, "RSSI")) > 2, "scans")
    assert not other.client.objects(DEVICE, other.adapter)
    other.client.close()


def test_power_ends_connections_and_advertising_and_nobody_says_so(bluezoo, box, phone):
    phone.connect()
    notifications, _ = phone.acquire("Notify")
    bluezoo.power(0, False)
    assert received(notifications) == b""
    bluezoo.wait_for_advertisements(0, 1)
    with pytest.raises(dbus.DBusException, match="le-connection-abort-by-local"):
        phone.connect()
    phone.client.call(phone.adapter, ADAPTER, "RemoveDevice", "o", phone.device)
    bluezoo.power(0, True)
    bluezoo.set_rssi(1, -40)
    assert phone.device not in phone.client.objects(DEVICE)
    box.stop_advertising()
    box.advertise()
    wait_for(lambda: phone.device in phone.client.objects(DEVICE), "the box again")


def test_an_adapter_unplugged_and_a_service_that_crashed_take_everything_along(bluezoo, box, phone):
    phone.connect()
    notifications, _ = phone.acquire("Notify")
    bluezoo.remove(0)
    assert received(notifications) == b""
    assert bluezoo.adapter(0) not in phone.client.objects(ADAPTER)
    bluezoo.add(0)
    assert phone.client.get(bluezoo.adapter(0), ADAPTER, "Powered")
    bluezoo.wait_for_advertisements(0, 0)
    box.register()
    box.advertise()
    phone.connect()
    notifications, _ = phone.acquire("Notify")
    bluezoo.kill()
    assert received(notifications) == b""
    assert not bluezoo.has_owner()
    bluezoo.start()
    assert bluezoo.has_owner() and phone.client.objects(DEVICE) == {}
    owners = [arguments for _, _, member, arguments in phone.client.signals if member == "NameOwnerChanged"
              and arguments[0] == "org.bluez"]
    assert [(bool(old), bool(new)) for _, old, new in owners] == [(True, False), (False, True)]


def test_a_box_that_ends_is_no_longer_advertised_and_its_services_are_gone(bluezoo, box, phone):
    phone.connect()
    notifications, _ = phone.acquire("Notify")
    box.close()
    assert received(notifications) == b""
    wait_for(lambda: not phone.client.objects(SERVICE), "services to go")
    bluezoo.wait_for_advertisements(0, 0)
    assert phone.client.get(phone.device, DEVICE, "Connected")


def test_connections_are_refused_on_demand(bluezoo, box, phone):
    bluezoo.refuse_connections(2)
    for _ in range(2):
        with pytest.raises(dbus.DBusException, match="le-connection-abort-by-local"):
            phone.connect()
    phone.connect()
    assert plain(phone.client.get(phone.device, DEVICE, "ServicesResolved"))
