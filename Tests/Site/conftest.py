import pathlib
import shutil
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Integration"), str(ROOT / "Tests" / "Integration" / "agent")]

from postgres import Postgres  # noqa: E402
from site_server import Site  # noqa: E402


@pytest.fixture
def directory():
    path = pathlib.Path(tempfile.mkdtemp(prefix="boxsite-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def postgres(directory):
    database = Postgres(directory / "one").start()
    yield database
    database.remove()


@pytest.fixture
def site(directory, postgres):
    made = Site(directory / "site", postgres).found()
    yield made
    made.stop()


@pytest.fixture
def pair(directory):
    """A primary that acknowledges nothing before its standby has it."""
    primary = Postgres(directory / "one").start()
    standby = primary.make_standby(directory / "two").start()
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'two'")
    primary.sql("SELECT pg_reload_conf()")
    site = Site(directory / "site", primary, standby).found()
    yield site
    site.stop()
    for database in (primary, standby, *site.databases):
        database.remove()
