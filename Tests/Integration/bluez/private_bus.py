"""A private D-Bus daemon for a test, and the org.bluez on it."""

import pathlib
import signal
import subprocess
import sys

from bus_client import BLUEZ, BusClient, wait_for

HERE = pathlib.Path(__file__).resolve().parent
ADAPTER = "org.bluez.Adapter1"
AIR, ZOO = "org.boxagent.Air1", "org.bluezoo.Manager1"
STOP_SECONDS = 10
DIE_WITH_US = ["setpriv", "--pdeathsig", "KILL"]
# Only processes that may enter the directory reach the socket. They may do everything, as root may on a real bus.
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
"""


def end(process):
    """Kills and reaps the process. The caller handles its output."""
    process.kill()
    process.wait(STOP_SECONDS)


class PrivateBus:
    def __init__(self, directory):
        self.socket = directory / "bus"
        self.address = "unix:path=%s" % self.socket
        configuration = directory / "bus.conf"
        configuration.write_text(CONFIGURATION % self.socket)
        self.process = subprocess.Popen(
            DIE_WITH_US + ["dbus-daemon", "--config-file=%s" % configuration, "--nofork", "--nopidfile",
                           "--print-address=1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline():
            raise RuntimeError("dbus-daemon ended with %s" % self.process.wait(STOP_SECONDS))

    def stop(self):
        end(self.process)
        self.process.stdout.close()
        self.socket.unlink(missing_ok=True)


class BlueZoo:
    """An org.bluez. hci0 is the box's adapter by convention, and all others are phones'. `shared` makes it behave as 5.66."""

    def __init__(self, address, log, adapters=3, shared=False):
        self.address, self.log, self.shared = address, log, shared
        self.addresses = ["02:00:00:00:00:%02X" % (number + 1) for number in range(adapters)]
        self.process = None
        self.start()
        self.client = BusClient(address)

    def start(self):
        """Starts the service. After kill(), it has forgotten everything, as bluetoothd forgets devices that are not bonded."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                DIE_WITH_US + [sys.executable, HERE / "bluezoo_service.py"] + ["--shared"] * self.shared
                + self.addresses,
                env={"DBUS_SYSTEM_BUS_ADDRESS": self.address, "PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("BlueZoo did not start:\n" + self.log.read_text())

    def kill(self):
        """Ends the service as a crash of bluetoothd does: every socket closes, and the bus name has no owner."""
        end(self.process)
        self.process.stdout.close()

    def pause(self):
        """Makes the service present but silent, until go_on()."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.client.close()
        self.kill()

    def adapter(self, number):
        return "/org/bluez/hci%d" % number

    def device(self, seen_by, number):
        """Returns the path of adapter `number` as adapter `seen_by` knows it."""
        return "%s/dev_%s" % (self.adapter(seen_by), self.addresses[number].replace(":", "_"))

    def power(self, number, on):
        self.client.set(self.adapter(number), ADAPTER, "Powered", on)

    def add(self, number):
        """Plugs in an adapter."""
        self.client.call("/org/bluezoo", ZOO, "AddAdapter", "ys", number, self.addresses[number])

    def remove(self, number):
        self.client.call("/org/bluezoo", ZOO, "RemoveAdapter", "y", number)

    def set_mtu(self, phone, mtu):
        self._air("SetMTU", "oq", self.adapter(phone), mtu)

    def set_rssi(self, phone, dbm):
        self._air("SetRSSI", "on", self.adapter(phone), dbm)

    def refuse_connections(self, count):
        self._air("RefuseConnections", "u", count)

    def lose_notifications(self, count):
        self._air("LoseNotifications", "u", count)

    def swap_notifications(self, swap):
        self._air("SwapNotifications", "b", swap)

    def lose_link(self, device):
        self._air("LoseLink", "o", device)

    def lost(self):
        """Returns how many (writes, notifications) were lost."""
        return tuple(int(number) for number in self._air("Lost", ""))

    def acquired(self):
        """Returns how many (write, notification) sockets were requested from the boxes."""
        return tuple(int(number) for number in self._air("Acquired", ""))

    def wait_for_advertisements(self, number, count):
        """Waits until ActiveInstances of adapter `number` is `count`."""
        wait_for(lambda: self.client.get(
            self.adapter(number), "org.bluez.LEAdvertisingManager1", "ActiveInstances") == count, "ActiveInstances")

    def has_owner(self):
        return bool(self.client.bus.name_has_owner(BLUEZ))

    def _air(self, method, signature, *arguments):
        return self.client.call("/air", AIR, method, signature, *arguments)
