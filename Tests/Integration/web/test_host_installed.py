"""The package's files, installed by Scripts/install. The program finds its parts and the page, and loads no other files."""

import json
import os
import pathlib
import subprocess

import pytest
from page_server import PATIENCE, PageServer

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def installed(directory, page):
    root = directory / "root"
    subprocess.run([ROOT / "Scripts/install", "--package", "boxagent-web"], check=True, env={**os.environ, "DESTDIR": str(root)})
    return root / "usr"


def test_what_is_installed_serves_and_verifies_what_is_installed(installed, page):
    program = installed / "bin/boxagent-web"
    server = PageServer(installed / "share/boxagent-web", words=[program])
    try:
        done = subprocess.run([program, "verify", "--json", server.url], capture_output=True, text=True, timeout=PATIENCE)
    finally:
        assert server.stop() == (0, "")
    assert done.returncode == 0, done
    # Every file that was built belongs to the release and is served.
    assert json.loads(done.stdout)["files"] == len(list((installed / "share/boxagent-web").iterdir())) == len(list(page.iterdir()))


def test_it_runs_nothing_from_where_it_is_started(installed, directory):
    """A user may start the program in a folder to which another user can write."""
    for name in ("release", "asyncio", "json", "comparison"):
        (directory / (name + ".py")).write_text("raise SystemExit('taken over')\n")
    done = subprocess.run([installed / "bin/boxagent-web", "--version"], cwd=directory, env={**os.environ, "PYTHONPATH": str(directory)},
                          capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("boxagent-web ")


def test_it_leaves_nothing_behind(installed):
    before = sorted(installed.rglob("*"))
    subprocess.run([installed / "bin/boxagent-web", "--help"], check=True, capture_output=True, timeout=PATIENCE)
    assert sorted(installed.rglob("*")) == before
