import pathlib
import shutil
import tempfile

import pytest

from box import Box


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
