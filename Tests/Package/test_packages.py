"""Makes the two apt repositories that the tests install from, signed by a temporary key. `new` has the current Debian packages.
`older` has packages to upgrade from: the same programs with another default configuration. dpkg could ask about the changed
configuration, and the upgrade must not ask."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VERSION = "0.0.9"
CONFIGURATION = "usr/share/boxagent/boxagent.toml"


def make(root: pathlib.Path, packages: list[pathlib.Path], directory: pathlib.Path):
    """Makes `directory`/new/repository and `directory`/older/repository."""
    new, older = directory / "new", directory / "older"
    for path in (new, older):
        path.mkdir(parents=True)
    for package in packages:
        with tempfile.TemporaryDirectory(prefix="boxagent-package-") as scratch:
            tree = pathlib.Path(scratch) / "root"
            subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
            build(tree, new / package.name)
            make_older(tree)
            build(tree, older / package.name)
    with tempfile.TemporaryDirectory(prefix="boxagent-key-") as keyring:
        environment = {**os.environ, "GNUPGHOME": keyring}

        def run(*words):
            subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL)

        run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "site@example.org", "ed25519", "sign")
        for path in (new, older):
            run(root / "Scripts/repository", "site@example.org", "stable", path)
        run("gpgconf", "--kill", "all")
    for path in (new, older):
        for package in path.glob("*.deb"):
            package.unlink()


def build(tree, package):
    """Builds the package with gzip. An emulated processor needs most of a minute to unpack xz, each time."""
    subprocess.run(["dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", tree, package], check=True,
                   stdout=subprocess.DEVNULL)


def make_older(tree):
    control = tree / "DEBIAN/control"
    text, changed = re.subn(r"^Version: (.*)$", f"Version: {VERSION}", control.read_text(), flags=re.M)
    assert changed == 1
    control.write_text(re.sub(r"(boxagent|boxsite) \(= [^)]*\)", rf"\1 (= {VERSION})", text))
    configuration = tree / CONFIGURATION
    if not configuration.exists():
        return
    configuration.write_text("# The defaults of an older version.\n" + configuration.read_text())
    digest = hashlib.md5(configuration.read_bytes()).hexdigest()
    sums = tree / "DEBIAN/md5sums"
    text, changed = re.subn(rf"^\w+  {CONFIGURATION}$", f"{digest}  {CONFIGURATION}", sums.read_text(), flags=re.M)
    assert changed == 1
    sums.write_text(text)


if __name__ == "__main__":
    make(pathlib.Path(__file__).resolve().parents[2], [pathlib.Path(word) for word in sys.argv[2:]], pathlib.Path(sys.argv[1]))
