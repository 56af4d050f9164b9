"""A client of a private D-Bus. Its calls keep the loop running, and it records signals in order. Several clients may live in one
process and talk to each other through a service: while one client's call waits, the GLib loop lets the others answer."""

import dbus
import dbus.bus
import dbus.mainloop.glib
from gi.repository import GLib

BLUEZ = "org.bluez"
PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECT_MANAGER = "org.freedesktop.DBus.ObjectManager"
WAIT_SECONDS = 30
TICK_MILLISECONDS = 20
LOOP = dbus.mainloop.glib.DBusGMainLoop()


def wait_for(found, what, seconds=WAIT_SECONDS):
    """Runs the loop until found() returns a true value. Returns that value."""
    expired = []
    timer = GLib.timeout_add(int(seconds * 1000), expired.append, True)
    # The timer wakes the loop, because changes of a process or a terminal are not events of this loop.
    tick = GLib.timeout_add(TICK_MILLISECONDS, lambda: True)
    try:
        while not (value := found()):
            if expired:
                raise TimeoutError("waited %s s for %s" % (seconds, what))
            GLib.MainContext.default().iteration(True)
    finally:
        GLib.source_remove(tick)
        if not expired:
            GLib.source_remove(timer)
    return value


def plain(value):
    """Converts D-Bus types to Python's own, byte arrays to bytes."""
    if isinstance(value, dbus.Array):
        return bytes(value) if value.signature == "y" else [plain(item) for item in value]
    if isinstance(value, dbus.Dictionary):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (dbus.Boolean, dbus.types.UnixFd)):
        return bool(value) if isinstance(value, dbus.Boolean) else value
    if isinstance(value, str):
        return str(value)
    return int(value) if isinstance(value, int) else value


class BusClient:
    """One connection. `signals` holds (path, interface, member, arguments) of all signals from BlueZ."""

    def __init__(self, address):
        self.bus = dbus.bus.BusConnection(address, mainloop=LOOP)
        self.signals = []
        self.bus.add_signal_receiver(
            self._signalled, path_keyword="path", interface_keyword="interface", member_keyword="member")

    def close(self):
        self.bus.close()

    def _signalled(self, *arguments, path, interface, member):
        self.signals.append((str(path), str(interface), str(member), plain(dbus.Array(arguments, signature="v"))))

    def call(self, path, interface, method, signature="", *arguments, name=BLUEZ, seconds=WAIT_SECONDS):
        """Returns the answer in D-Bus types, so that the caller can take file descriptors. An error raises DBusException."""
        answers, errors = [], []
        self.bus.call_async(
            name, path, interface, method, signature, arguments, lambda *values: answers.append(values),
            errors.append, timeout=seconds)
        wait_for(lambda: answers or errors, method, seconds + 1)
        if errors:
            raise errors[0]
        values = answers[0]
        return values[0] if len(values) == 1 else values or None

    def get(self, path, interface, name):
        return plain(self.call(path, PROPERTIES, "Get", "ss", interface, name))

    def set(self, path, interface, name, value):
        self.call(path, PROPERTIES, "Set", "ssv", interface, name, value)

    def objects(self, interface, below="/"):
        """Returns {path: properties} of the objects with that interface."""
        managed = plain(self.call("/", OBJECT_MANAGER, "GetManagedObjects"))
        return {path: interfaces[interface] for path, interfaces in managed.items()
                if interface in interfaces and path.startswith(below)}

    def changes(self, path, interface, name):
        """Returns every value of a property that was signalled as changed, in order."""
        return [arguments[1][name] for where, _, member, arguments in self.signals
                if where == path and member == "PropertiesChanged" and arguments[0] == interface
                and name in arguments[1]]
