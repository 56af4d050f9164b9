#!/usr/bin/env python3
"""org.freedesktop.login1 as far as our programs can tell, on the bus at the given address. Tests control it.

`locker` selects a session's reaction to Lock: "answers" sets LockedHint as a screen locker does, "deaf" does nothing, and "helper"
waits for SetLockedHint. Processes that do not end with their session are `stubborn` until they are killed.
"""

import json
import os
import select
import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

MANAGER, SESSION = "org.freedesktop.login1.Manager", "org.freedesktop.login1.Session"
PROPERTIES = "org.freedesktop.DBus.Properties"
STEERING = "org.boxagent.Logind1"
ROOT = "/org/freedesktop/login1"


class NoSuchSession(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.login1.NoSuchSession"


class NoSessionForPID(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.login1.NoSessionForPID"


class AccessDenied(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.DBus.Error.AccessDenied"


class NoReply(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.DBus.Error.NoReply"


class Session(dbus.service.Object):
    def __init__(self, manager, number, id, uid, user, seat, terminal, type, locker, stubborn, leader):
        self.manager, self.id, self.locker, self.stubborn = manager, id, locker, stubborn
        self.path = dbus.ObjectPath(f"{ROOT}/session/_3{number}")
        self.row = (id, dbus.UInt32(uid), user, seat, self.path)
        self.values = {
            "Id": id, "User": dbus.Struct((dbus.UInt32(uid), dbus.ObjectPath(ROOT + "/user/_" + str(uid))), signature="uo"),
            "Name": user, "Seat": dbus.Struct((seat, dbus.ObjectPath(ROOT + "/seat/" + (seat or "none"))), signature="so"),
            "VTNr": dbus.UInt32(int(terminal[3:]) if terminal[3:].isdigit() else 0), "TTY": terminal, "Type": type,
            "Class": "user", "State": "active", "Active": True, "Remote": False, "LockedHint": False,
            "IdleHint": False, "IdleSinceHintMonotonic": dbus.UInt64(0),
            "Leader": dbus.UInt32(leader), "TimestampMonotonic": dbus.UInt64(1_000_000 + number)}
        super().__init__(manager.bus, self.path)

    def change(self, **values):
        self.values.update(values)
        self.PropertiesChanged(SESSION, values, dbus.Array(signature="s"))

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        if self.id.startswith("brief-"):
            # Another session begins as this one ends, so that each list has one that cannot be read.
            self.manager.Add("brief-%d" % self.manager.count, *self.row[2:0:-1], "", "", "tty", "answers", False, 0)
            self.manager.drop(self.id)
            raise NoSuchSession("The session has ended")
        if self.id == self.manager.undescribed:
            self.manager.calls.append(["describe", self.id])
            raise NoReply("Did not receive a reply")
        return self.values

    @dbus.service.method(SESSION, in_signature="b")
    def SetLockedHint(self, locked):
        self.change(LockedHint=bool(locked))

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass

    @dbus.service.signal(SESSION)
    def Lock(self):
        pass

    @dbus.service.signal(SESSION)
    def Unlock(self):
        pass


class User(dbus.service.Object):
    """The user whose service manager runs the programs outside any session."""

    def __init__(self, bus, display):
        self.display = display
        super().__init__(bus, ROOT + "/user/_1000")

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return {"Display": dbus.Struct((self.display.id, self.display.path), signature="so")}


class Manager(dbus.service.Object):
    # The session that contains every process. If the session is empty: the user whose manager runs every process.
    process_session, process_user = "", None
    # The session whose properties are not told, as by a logind that is too slow.
    undescribed = ""

    def __init__(self, bus):
        self.bus, self.sessions, self.calls, self.count = bus, {}, [], 0
        self.denies, self.hushed, self.delays = False, False, []
        super().__init__(bus, ROOT)

    def called(self, *words):
        self.calls.append([str(word) for word in words])
        if self.denies:
            raise AccessDenied("polkit says no")

    def find(self, id):
        if id not in self.sessions:
            raise NoSuchSession(f"No session '{id}' known")
        return self.sessions[id]

    @dbus.service.method(MANAGER, out_signature="a(susso)")
    def ListSessions(self):
        return [session.row for session in self.sessions.values()]

    @dbus.service.method(MANAGER, in_signature="s", out_signature="o")
    def GetSession(self, id):
        return self.find(id).path

    @dbus.service.method(MANAGER, in_signature="u", out_signature="o")
    def GetSessionByPID(self, process):
        if not self.process_session:
            raise NoSessionForPID(f"Process {process} belongs to no session")
        if self.process_session == "secret":
            raise AccessDenied("Not told")
        return self.find(self.process_session).path

    @dbus.service.method(MANAGER, in_signature="u", out_signature="o")
    def GetUserByPID(self, process):
        if self.process_user is None:
            raise NoSuchSession(f"Process {process} belongs to no user")
        return dbus.ObjectPath(ROOT + "/user/_1000")

    @dbus.service.method(MANAGER, in_signature="s")
    def LockSession(self, id):
        self.called("lock", id)
        session = self.find(id)
        session.Lock()
        if session.locker == "answers":
            session.change(LockedHint=True)

    @dbus.service.method(MANAGER, in_signature="s")
    def UnlockSession(self, id):
        self.called("unlock", id)
        session = self.find(id)
        session.Unlock()
        if session.locker == "answers":
            session.change(LockedHint=False)

    @dbus.service.method(MANAGER, in_signature="s")
    def TerminateSession(self, id):
        self.called("terminate", id)
        if not self.find(id).stubborn:
            self.drop(id)

    @dbus.service.method(MANAGER, in_signature="ssi")
    def KillSession(self, id, who, number):
        self.called("kill", id, who, number)
        self.find(id)
        self.drop(id)

    @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        self.called("inhibit", what, mode)
        ours, theirs = os.pipe()
        self.delays.append(ours)
        given = dbus.types.UnixFd(theirs)
        os.close(theirs)
        return given

    @dbus.service.signal(MANAGER, signature="so")
    def SessionNew(self, id, path):
        pass

    @dbus.service.signal(MANAGER, signature="so")
    def SessionRemoved(self, id, path):
        pass

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForSleep(self, start):
        pass

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForShutdown(self, start):
        pass

    def drop(self, id):
        session = self.sessions.pop(id)
        session.remove_from_connection()
        self.SessionRemoved(id, session.path)

    # Control by tests

    @dbus.service.method(STEERING, in_signature="ssussssbu")
    def Add(self, id, user, uid, seat, terminal, type, locker, stubborn, leader):
        self.count += 1
        session = Session(self, self.count, id, uid, user, seat, terminal, type, locker, stubborn, leader)
        self.sessions[id] = session
        if not self.hushed:
            self.SessionNew(id, session.path)

    @dbus.service.method(STEERING, in_signature="s")
    def Remove(self, id):
        self.drop(id)

    @dbus.service.method(STEERING, in_signature="sb")
    def Locked(self, id, locked):
        self.find(id).change(LockedHint=bool(locked))

    @dbus.service.method(STEERING, in_signature="ss")
    def Become(self, id, type):
        self.find(id).change(Type=type)

    @dbus.service.method(STEERING, in_signature="s")
    def UnlockAndLock(self, id):
        session = self.find(id)
        session.Unlock()
        session.Lock()

    @dbus.service.method(STEERING, in_signature="ss")
    def PutProcessesIn(self, session, display):
        self.process_session = session
        if display:
            self.process_user = User(self.bus, self.find(display))

    @dbus.service.method(STEERING, in_signature="ssv")
    def Change(self, id, name, value):
        self.find(id).change(**{name: value})

    @dbus.service.method(STEERING, in_signature="sbt")
    def Idle(self, id, idle, since):
        self.find(id).change(IdleHint=bool(idle), IdleSinceHintMonotonic=dbus.UInt64(since))

    @dbus.service.method(STEERING, in_signature="b")
    def Deny(self, denies):
        self.denies = bool(denies)

    @dbus.service.method(STEERING, in_signature="b")
    def Hush(self, hushed):
        self.hushed = bool(hushed)

    @dbus.service.method(STEERING, in_signature="s")
    def Undescribe(self, id):
        self.undescribed = id

    @dbus.service.method(STEERING, in_signature="b")
    def Sleep(self, start):
        self.PrepareForSleep(bool(start))

    @dbus.service.method(STEERING, in_signature="b")
    def ShutDown(self, start):
        self.PrepareForShutdown(bool(start))

    @dbus.service.method(STEERING, out_signature="s")
    def Calls(self):
        return json.dumps(self.calls)

    @dbus.service.method(STEERING, out_signature="b")
    def Delayed(self):
        """Returns whether a program still holds its delay lock: then its end of the pipe is open, and there is no end of file."""
        for end in self.delays[-1:]:
            ready = select.select([end], [], [], 0)[0]
            return not (ready and os.read(end, 1) == b"")
        return False


def main(address):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    manager = Manager(bus)
    bus.request_name("org.freedesktop.login1")
    print("ready", flush=True)
    try:
        GLib.MainLoop().run()
    finally:
        manager.remove_from_connection()


main(sys.argv[1])
