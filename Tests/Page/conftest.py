import pathlib
import shutil
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INTEGRATION = ROOT / "Tests/Integration"
sys.path[:0] = [str(path) for path in (ROOT / "Tests/Site", INTEGRATION, INTEGRATION / "agent", INTEGRATION / "web")]

from postgres import Postgres  # noqa: E402
from site_page import SitePage, Visitor  # noqa: E402
from site_server import Site  # noqa: E402


def make_directory():
    path = pathlib.Path(tempfile.mkdtemp(prefix="boxsite-test-"))
    path.chmod(0o755)
    return path


@pytest.fixture(scope="session")
def standing():
    """A site and its page, shared by all tests that change neither."""
    directory = make_directory()
    database = Postgres(directory / "one").start()
    site = Site(directory / "site", database).found()
    page = SitePage(site).start()
    yield page
    page.stop()
    site.stop()
    database.remove()
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def page(standing):
    return standing


@pytest.fixture
def visitor(page):
    return Visitor(page)


@pytest.fixture
def anna(page):
    """An administrator who is signed in."""
    return page.administrator().signed_in()


@pytest.fixture
def own_page():
    """Provides a function that makes a page on a site that only this test uses."""
    directory = make_directory()
    database = Postgres(directory / "one").start()
    site = Site(directory / "site", database).found()
    made = []

    def make(**settings):
        made.append(SitePage(site, "page%d" % len(made), **settings))
        return made[-1]

    make.directory = directory
    yield make
    for page in made:
        page.stop()
    site.stop()
    database.remove()
    shutil.rmtree(directory, ignore_errors=True)
