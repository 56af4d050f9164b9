import os
import pathlib
import shutil
import tempfile

import pexpect
import pytest

from box import BIN, PATIENCE, Box


@pytest.fixture
def directory():
    path = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-test-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def make_box(directory):
    boxes = []

    def make(name="box", start=True, **settings):
        box = Box(directory / name, directory / "air", **settings)
        boxes.append(box)
        return box.start() if start else box

    yield make
    for box in boxes:
        box.stop()


@pytest.fixture
def box(make_box):
    return make_box().pam_service(users={"alice": b"correct horse", "bob": b"bob's own"})


@pytest.fixture
def on_terminal():
    """Provides a function that starts boxphone on a terminal, as a user does. After the test, the program is ended in any case."""
    children = []

    def start(phone, *words):
        child = pexpect.spawn(
            str(BIN / "boxphone"), [*words, "--directory", str(phone.directory), "--air", str(phone.box.air)],
            encoding="utf-8", timeout=PATIENCE, dimensions=(40, 200), env=dict(os.environ, TERM="xterm", NO_COLOR="1"))
        children.append(child)
        return child

    yield start
    for child in children:
        child.close(force=True)
