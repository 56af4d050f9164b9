"""The tests' interface to the fake logind (see fake_logind.py)."""

import json
import os
import pathlib
import subprocess
import sys

import dbus

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bluez"))
from bus_client import BusClient  # noqa: E402
from private_bus import DIE_WITH_US, PrivateBus, end  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
NAME, STEERING, ROOT = "org.freedesktop.login1", "org.boxagent.Logind1", "/org/freedesktop/login1"


class Logind:
    def __init__(self, address):
        self.address = address
        self.client = BusClient(address)
        self.start()

    def start(self):
        """Starts the fake, also again after kill(). Tests must then add their sessions again."""
        self.process = subprocess.Popen(
            DIE_WITH_US + [sys.executable, HERE / "fake_logind.py", self.address], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("the fake logind did not start")

    def kill(self):
        end(self.process)
        self.process.stdout.close()

    def stop(self):
        self.client.close()
        self.kill()

    def end_bus(self):
        """Disconnects every client of the bus."""
        self.stop()
        self.bus.stop()

    def begin_bus(self):
        """Starts a new bus at the same address, with a logind without sessions."""
        self.bus = PrivateBus(self.bus.socket.parent)
        self.client = BusClient(self.address)
        self.start()

    def _say(self, method, signature="", *arguments):
        return self.client.call(ROOT, STEERING, method, signature, *arguments, name=NAME)

    def add(self, id, user="alice", uid=None, seat="seat0", terminal="tty2", type="tty", locker="answers",
            stubborn=False, leader=0):
        self._say("Add", "ssussssbu", id, user, os.getuid() if uid is None else uid, seat, terminal, type, locker,
                  stubborn, leader)

    def remove(self, id):
        self._say("Remove", "s", id)

    def is_locked(self, id):
        """Returns LockedHint."""
        listed = self.client.call(ROOT, "org.freedesktop.login1.Manager", "GetSession", "s", id, name=NAME)
        values = self.client.call(listed, "org.freedesktop.DBus.Properties", "GetAll", "s",
                                  "org.freedesktop.login1.Session", name=NAME)
        return bool(values["LockedHint"])

    def lock(self, id):
        self.client.call(ROOT, "org.freedesktop.login1.Manager", "LockSession", "s", id, name=NAME)

    def unlock(self, id):
        self.client.call(ROOT, "org.freedesktop.login1.Manager", "UnlockSession", "s", id, name=NAME)

    def become(self, id, type):
        """Calls SetType, for example for a session that turned out to be a desktop."""
        self._say("Become", "ss", id, type)

    def unlock_and_lock(self, id):
        """Sends both signals at once."""
        self._say("UnlockAndLock", "s", id)

    def hints(self, id):
        """Returns every LockedHint that was signalled, in order."""
        path = str(self.client.call(ROOT, "org.freedesktop.login1.Manager", "GetSession", "s", id, name=NAME))
        return self.client.changes(path, "org.freedesktop.login1.Session", "LockedHint")

    def locked(self, id, locked):
        self._say("Locked", "sb", id, locked)

    def idle(self, id, since_microseconds):
        self._say("Idle", "sbt", id, True, since_microseconds)

    def put_processes_in(self, session, display=""):
        """Assigns every process to this session. If `session` is empty, logind reports the user's display session, if any."""
        self._say("PutProcessesIn", "ss", session, display)

    def change(self, id, name, value):
        if isinstance(value, tuple):
            value = dbus.Struct((value[0], dbus.ObjectPath(value[1])), signature="so")
        self._say("Change", "ssv", id, name, value)

    def deny(self, denies=True):
        self._say("Deny", "b", denies)

    def hush(self, hushed=True):
        """Hides new sessions: they exist, but clients are not notified."""
        self._say("Hush", "b", hushed)

    def undescribe(self, id):
        """Lists the session without telling its properties, as a slow logind."""
        self._say("Undescribe", "s", id)

    def sleep(self, start):
        self._say("Sleep", "b", start)

    def shut_down(self, start):
        self._say("ShutDown", "b", start)

    def delayed(self):
        return bool(self._say("Delayed"))

    def calls(self):
        """Returns the calls of programs, without those that the agent makes at its start."""
        return [call for call in json.loads(self._say("Calls")) if call[0] != "inhibit"]
