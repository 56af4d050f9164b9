"""The state is on storage that a restart empties. Doctor and the journal warn, and so does `enrol` before it enrols a phone."""

import json
import pathlib
import subprocess
import tempfile

import pytest

from box import Box
from machine import needs_root

WORDS = "a restart of this machine loses {state}, and all phones with it: it is on "
MOUNTS = {
    "tmpfs": 'mount -t tmpfs -o mode=700 tmpfs "$1"',
    "ramfs": 'mount -t ramfs -o mode=700 ramfs "$1"',
    "an overlay on tmpfs": """
        mount -t tmpfs tmpfs "$2"
        mkdir -m 700 "$2/lower" "$2/upper" "$2/work"
        mount -t overlay -o "lowerdir=$2/lower,upperdir=$2/upper,workdir=$2/work" overlay "$1"
    """,
}


@pytest.fixture
def box():
    """A box whose state is on a disk, unless a test mounts another file system there."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="boxplace") as directory:
        directory = pathlib.Path(directory)
        if subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True).stdout.strip() in MOUNTS:
            pytest.skip("/var/tmp is in memory")
        box = Box(directory, directory / "air", **{"login.serve": '"seat"'})
        box.scratch = directory / "scratch"
        box.scratch.mkdir()
        yield box
        box.stop()


def storage(box):
    """Returns doctor's findings about the storage."""
    command = box.command("doctor", "--json")
    command.wait()
    return [one for one in json.loads(command.out) if one["name"] == "storage"]


@needs_root
@pytest.mark.parametrize("system", MOUNTS)
def test_storage_in_memory_is_told_before_a_phone_is_enrolled(box, system):
    box.machine = ["unshare", "--mount", "sh", "-ec", MOUNTS[system] + '\nshift 2\nexec "$@"', "sh", box.state, box.scratch]
    box.start()
    words = WORDS.format(state=box.state) + system
    assert words in box.agent.err
    found = storage(box)
    assert len(found) == 1 and found[0]["level"] == "warning" and found[0]["text"] == words and "disk" in found[0]["cure"]
    order = box.command("enrol", "alice", "--yes")
    order.wait_for_code()
    assert words in order.err


def test_a_disk_is_no_reason_for_a_warning(box):
    box.start()
    order = box.command("enrol", "alice", "--yes")
    order.wait_for_code()
    assert "loses" not in box.agent.err + order.err and not storage(box)
