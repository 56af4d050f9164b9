"""A guest that has booted and has our programs installed, kept as QEMU's migration stream and a disk. Groups resume from it and
save the boot and the installation. The snapshot is made again when any of its inputs changes."""

import hashlib
import pathlib
import shutil

import screen
from guest import Guest, GuestFailed, overlay

# The guest's job prints this after it has unmounted the share. QEMU cannot migrate a guest with a mounted share.
KEPT = "@kept"
MAKING_SECONDS = 300
# Saving and loading take a second each on a quiet machine.
MOVING_SECONDS = 120


class Snapshot:
    """The files `directory/state` and `directory/disk`. A guest with `snapshot=` resumes from them."""

    def __init__(self, directory: pathlib.Path, image: pathlib.Path):
        self.directory, self.image = directory, image
        self.state, self.disk, self.stamp = directory / "state", directory / "disk", directory / "stamp"

    def make(self, share: pathlib.Path):
        """Makes the snapshot from a guest that runs `share/job`, which installs our programs and creates `share/keep`. Does nothing
        if the snapshot already matches this share and image."""
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
        """Returns a hash of the guest's image, its machine, and every file in the share except the job's results."""
        digest = hashlib.sha256((self.image / "stamp").read_bytes())
        digest.update(pathlib.Path(__file__).with_name("guest.py").read_bytes())
        for path in sorted(share.rglob("*")):
            if path.is_file() and "results" not in path.parts:
                digest.update(f"{path.relative_to(share)}\0{path.stat().st_mode:o}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()
