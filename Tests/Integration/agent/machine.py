"""Machines to run an agent on. Each has its own machine-id and network cards, in a mount namespace (unshare(1)). The network
namespace hides the real Bluetooth adapters, which would reveal that all are the same machine."""
import os
import pathlib
import shutil

import pytest

START = """
mount --bind "$1/etc" /etc
mount --bind "$1/net" /sys/class/net
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd/system
[ ! -e "$1/systemctl" ] || mount --bind "$1/systemctl" /usr/bin/systemctl
shift
exec "$@"
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can show a program another machine")


class Machine:
    def __init__(self, directory: pathlib.Path, machine_id: str, cards=()):
        self.directory = directory
        shutil.copytree("/etc", directory / "etc", symlinks=True, ignore=lambda *_: ["boxagent", "ssl", "machine-id"])
        (directory / "etc/machine-id").write_text(machine_id * 32 + "\n")
        (directory / "net").mkdir()
        for address in cards:
            self.add_card(address)
        # The command prefix that runs a program on this machine.
        self.words = ["unshare", "--mount", "--net", "sh", "-ec", START, "sh", str(directory)]

    def add_card(self, address: str):
        card = self.directory / "net" / f"eth{len(os.listdir(self.directory / 'net'))}"
        (card / "device").mkdir(parents=True)
        (card / "address").write_text(address + "\n")
        (card / "addr_assign_type").write_text("0\n")
        return self

    def remove_cards(self):
        shutil.rmtree(self.directory / "net")
        (self.directory / "net").mkdir()
