import os
import pathlib
import shutil
import sys
import tempfile

import pytest

INTEGRATION = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(INTEGRATION / name) for name in ("agent", "bluez", "sessions")]

from box import Box  # noqa: E402
from logind import Logind  # noqa: E402
from private_bus import PrivateBus  # noqa: E402
from wasm_phone import WasmPhone  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def wasm():
    """The core that `make web` built."""
    path = pathlib.Path(os.environ.get("BOXPHONE_WASM", ROOT / "dist/web/boxphone.wasm"))
    if not path.exists():
        pytest.fail("%s is missing; run: make web" % path)
    return path


@pytest.fixture
def directory():
    path = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-test-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def make_box(directory):
    boxes = []

    def make(name="box", **settings):
        box = Box(directory / name, directory / "air", **settings)
        boxes.append(box)
        return box.start().pam_service(users={"alice": b"correct horse", "bob": b"bob's own"})

    yield make
    for box in boxes:
        box.stop()


@pytest.fixture
def box(make_box):
    return make_box()


@pytest.fixture
def phone(wasm, box):
    return WasmPhone(wasm, box.air)


@pytest.fixture
def logind(directory):
    """A logind that tests control, on its own bus."""
    bus = PrivateBus(directory)
    logind = Logind(bus.address)
    yield logind
    logind.stop()
    bus.stop()


@pytest.fixture(scope="session")
def page(wasm):
    """The folder that a host serves."""
    if not (wasm.parent / "sw.js").exists():
        pytest.fail("the page is missing; run: make web")
    return wasm.parent


@pytest.fixture
def web(directory, page):
    from web_phone import WebPhone
    phone = WebPhone(directory, page)
    yield phone
    phone.stop()


@pytest.fixture(scope="session")
def used_page(page):
    """One browser and one box, shared by many tests: the phone is enrolled, and its password is stored."""
    from used_page import UsedPage
    folder = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-test-"))
    used = UsedPage(folder, page)
    yield used
    used.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def used(used_page):
    """The shared page in its initial state, freshly loaded."""
    used_page.as_before()
    yield used_page
    used_page.leave()
