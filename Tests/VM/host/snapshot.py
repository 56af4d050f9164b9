"""A guest that has booted and has our programs installed, kept as QEMU's migration stream and a disk: the groups start from
it instead of each booting and installing anew. It is made again when anything that it was made from changes."""

import hashlib
import pathlib
import shutil

import screen
from guest import Guest, GuestFailed, overlay

# Rig's job says it when the share is let go of: QEMU moves no guest that has one mounted.
KEPT = "@kept"
MAKING_SECONDS = 300
# Saving and loading are a second each on a quiet machine.
MOVING_SECONDS = 120


class Snapshot:
    """`directory/state` and `directory/disk`; a guest with `snapshot=` goes on from there."""

    def __init__(self, directory: pathlib.Path, image: pathlib.Path):
        self.directory, self.image = directory, image
        self.state, self.disk, self.stamp = directory / "state", directory / "disk", directory / "stamp"

    def make(self, share: pathlib.Path):
        """From a guest that runs `share/job`, which installs and creates `share/keep`. Nothing is done when the snapshot is of
        this very share and image."""
        stamp = self._stamp(share)
        if self.stamp.exists() and self.stamp.read_text() == stamp:
            return
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        overlay(self.image / "root.ext4", "raw", self.disk)
        monitor = self.directory / "qmp"
        guest = Guest(self.image, share, self.directory / "console", display=monitor, overlay=self.disk)
        said = []

        def on_line(line):
            said.append(line)
            if line != KEPT:
                return
            with screen.asking(monitor, MOVING_SECONDS) as ask:
                ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
                ask("migrate", uri=f"exec:cat >{self.state}")
                screen.wait_for_migration(ask, MOVING_SECONDS)
            guest.unplug()

        guest.run(on_line, MAKING_SECONDS)
        if not self.state.exists():
            raise GuestFailed("the guest was not prepared:\n" + "\n".join(said[-30:]))
        self.stamp.write_text(stamp)

    def _stamp(self, share):
        """Of the guest's image and its machine, and of every file in the share but what the job leaves there."""
        digest = hashlib.sha256((self.image / "stamp").read_bytes())
        digest.update(pathlib.Path(__file__).with_name("guest.py").read_bytes())
        for path in sorted(share.rglob("*")):
            if path.is_file() and "results" not in path.parts:
                digest.update(f"{path.relative_to(share)}\0{path.stat().st_mode:o}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()
