"""An older version of a Debian package, to upgrade from: the same programs, with another default configuration, so that
dpkg has a question that nobody may be asked."""

import hashlib
import pathlib
import re
import subprocess
import tempfile

VERSION = "0.0.9"
CONFIGURATION = "etc/boxagent/boxagent.toml"


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
        # gzip: what xz would take another half minute to make is thrown away again.
        subprocess.run(["dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", root, older], check=True,
                       stdout=subprocess.DEVNULL)
