"""A Debian package as the guest installs it, and an older version to upgrade from: the same programs, with another default
configuration, so that dpkg has a question that nobody may be asked."""

import hashlib
import pathlib
import re
import subprocess
import tempfile

VERSION = "0.0.9"
CONFIGURATION = "etc/boxagent/boxagent.toml"


def repack(package: pathlib.Path, same: pathlib.Path):
    """The same files and scripts. An emulated processor takes most of a minute to undo what xz has packed, each time."""
    with tempfile.TemporaryDirectory(prefix="boxagent-package-") as directory:
        root = pathlib.Path(directory) / "root"
        subprocess.run(["dpkg-deb", "--raw-extract", package, root], check=True)
        build(root, same)


def build(root, package):
    subprocess.run(["dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", root, package], check=True,
                   stdout=subprocess.DEVNULL)


def make(package: pathlib.Path, older: pathlib.Path):
    with tempfile.TemporaryDirectory(prefix="boxagent-older-") as directory:
        root = pathlib.Path(directory) / "root"
        subprocess.run(["dpkg-deb", "--raw-extract", package, root], check=True)
        control = root / "DEBIAN/control"
        text, changed = re.subn(r"^Version: .*$", f"Version: {VERSION}", control.read_text(), flags=re.M)
        assert changed == 1
        control.write_text(text)
        configuration = root / CONFIGURATION
        configuration.write_text("# The defaults of an older version.\n" + configuration.read_text())
        sums = root / "DEBIAN/md5sums"
        if CONFIGURATION in sums.read_text():
            digest = hashlib.md5(configuration.read_bytes()).hexdigest()
            sums.write_text(re.sub(rf"^\w+  {CONFIGURATION}$", f"{digest}  {CONFIGURATION}", sums.read_text(), flags=re.M))
        build(root, older)
