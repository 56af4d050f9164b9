"""What every group finds in its guest: our programs installed, the kernel's parts of Bluetooth loaded. The guest is kept as it
is then (host/snapshot.py)."""

import os
import pathlib
import sys

SHARE = pathlib.Path("/mnt/share")
sys.path[:0] = [str(SHARE / name) for name in ("guest", "integration")]
os.environ["BOXAGENT_BIN"] = "/usr/bin"

import installed  # noqa: E402
import machine  # noqa: E402

installed.install()
machine.Controllers.load_modules()
(SHARE / "keep").touch()
