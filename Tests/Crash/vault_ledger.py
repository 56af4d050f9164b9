"""Derives the state that a vault must have after a kill from the lines that the driver managed to print.

The driver prints a line before each operation and one after. From the first line on, the operation may have happened. From the
second line on, it must have happened.
`trying` says that a PIN was checked. Each `opening` may have spent a try.
"""

import glob
import os
import shutil
import sqlite3
import tempfile

ATTEMPTS = 10
PLANTED = [b"planted-credential-7Qx", b"\xd5" * 32]


class Device:
    def __init__(self):
        self.revoking = self.revoked = False
        self.storing = self.stored = self.wiped = False
        self.forget_tries()

    def forget_tries(self):
        self.tried = self.begun = 0
        # True once the driver began to check a right PIN, which may have reset the tries.
        self.maybe_reset = False


class Ledger:
    def __init__(self):
        self.devices = {}
        self.maybe_enrolled = 0
        self.audited = self.maybe_audited = 0
        # The device whose PIN is being tried.
        self.current = None
        self.tries = self.wipes = 0
        # The bytes of wrapped keys and sealed credentials, by the row in which they were seen.
        self.traces = {}

    def read(self, lines):
        """Applies the lines of one run. Checks a listing when it is complete."""
        listing = {}
        for line in lines:
            word, *rest = line.split()
            if word == "device":
                listing[rest[0]] = (rest[1], rest[2])
            elif word == "listed":
                self.check(listing, int(rest[0]))
            else:
                getattr(self, "on_" + word)(*rest)
        # The next run's tries are independent of this run's.
        self.current = None

    def device(self, name):
        return self.devices[name]

    def on_enrolling(self):
        self.maybe_enrolled += 1

    def on_enrolled(self, name):
        self.devices[name] = Device()
        self.maybe_enrolled -= 1

    def on_storing(self, name):
        self.device(name).storing = True

    def on_stored(self, name):
        device = self.device(name)
        device.storing, device.stored, device.wiped = False, True, False
        device.forget_tries()

    def on_opening(self, name, kind):
        self.device(name).begun += 1
        self.device(name).maybe_reset = kind == "right"
        self.current = name

    def on_trying(self):
        if self.current is not None:
            device = self.device(self.current)
            device.tried += 1
            self.tries += 1
            assert device.tried <= ATTEMPTS, "an eleventh try of %s" % self.current
            # Changing a PIN hashes the new PIN too. That second `trying` is not a try.
            self.current = None

    def on_wrong(self, name, left):
        device = self.device(name)
        assert ATTEMPTS - device.begun <= int(left) <= ATTEMPTS - device.tried

    def on_opened(self, name):
        self.device(name).forget_tries()

    on_changed = on_opened

    def on_wiped(self, name):
        self.device(name).wiped = True
        self.wipes += 1

    def on_revoking(self, name):
        self.device(name).revoking = True

    def on_revoked(self, name):
        self.device(name).revoked = True

    def on_auditing(self):
        self.maybe_audited += 1

    def on_audited(self, number):
        self.audited = max(self.audited, int(number))

    def on_done(self, operations):
        self.operations = int(operations)

    def check(self, listing, entries):
        assert entries >= self.audited, "%d audit entries, %d were acknowledged" % (entries, self.audited)
        for name, device in self.devices.items():
            assert name in listing, "the acknowledged enrolment %s is lost" % name
            state, left = listing[name]
            if device.revoked:
                assert state == "revoked", "the acknowledged revocation of %s is lost" % name
            elif not device.revoking:
                assert state == "active", "%s is revoked, and nobody did it" % name
            self.check_credential(name, device, state, left)
        unknown = [name for name in listing if name not in self.devices]
        assert len(unknown) <= self.maybe_enrolled, "devices that nobody enrolled: %s" % unknown
        for name in unknown:
            self.devices[name] = Device()
        self.maybe_enrolled = 0

    def check_credential(self, name, device, state, left):
        if left == "none":
            # The credential was never stored, was wiped, or may have used all ten tries.
            allowed = not device.stored or device.wiped or device.revoking or device.begun >= ATTEMPTS
            assert allowed, "the acknowledged credential of %s is lost after %d tries" % (name, device.begun)
            device.stored = False
            device.forget_tries()
        else:
            spent = ATTEMPTS - int(left)
            # After a wipe, only a new credential may exist: one that was stored but not acknowledged.
            is_new = device.storing and spent == 0
            assert state == "active" and (is_new or not device.wiped), "%s should have been wiped" % name
            assert device.stored or is_new, "a credential of %s that nobody stored" % name
            if spent == 0 and (device.storing or device.maybe_reset):
                device.forget_tries()
            assert device.tried <= spent <= device.begun, "%s: %d tried, %d spent" % (name, device.tried, spent)
            # The number of spent tries is known from here on.
            device.begun = spent
            device.stored, device.wiped = True, False
        device.storing = False
        device.revoked = device.revoked or state == "revoked"
        device.revoking = device.revoking and state == "revoked"

    def look_at_files(self, directory):
        """Reads the stored rows with SQLite instead of the vault, to know later which bytes must be gone."""
        with tempfile.TemporaryDirectory(prefix="vault-copy-") as copy:
            for path in glob.glob(os.path.join(directory, "vault.sqlite3*")):
                shutil.copy(path, copy)
            database = os.path.join(copy, "vault.sqlite3")
            if not os.path.exists(database) or os.path.getsize(database) == 0:
                return
            connection = sqlite3.connect(database)
            try:
                rows = connection.execute("SELECT id, wrapped_key, sealed FROM credentials").fetchall()
            except sqlite3.OperationalError as error:
                # The kill came before the first migration was committed.
                assert "no such table" in str(error)
                rows = []
            finally:
                connection.close()
        for row, *blobs in rows:
            for blob in blobs:
                if blob and blob.strip(b"\0"):
                    self.traces.setdefault(row, set()).add(blob)

    def check_files(self, directory):
        """Checks the files after a clean start: no planted secret, and no sealed byte of a wiped credential."""
        content = read_files(directory)
        for secret in PLANTED:
            assert secret not in content
        connection = sqlite3.connect("file:%s/vault.sqlite3?immutable=1" % directory, uri=True)
        present = dict(connection.execute("SELECT id, wrapped_key FROM credentials").fetchall())
        connection.close()
        for row, blobs in list(self.traces.items()):
            if row not in present:
                for blob in blobs:
                    assert blob not in content, "a wiped credential's bytes are still in a file"
                del self.traces[row]


def read_files(directory):
    content = b""
    for path in glob.glob(os.path.join(directory, "*")):
        if not path.endswith(".key"):
            with open(path, "rb") as file:
                content += file.read()
    return content
