"""Prepares what every group finds in its guest: our programs are installed, and the Bluetooth kernel modules are loaded. The
snapshot keeps the guest in that state (host/snapshot.py)."""

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
