"""Real libpam, the module as it is shipped, and a scripted agent. Nothing outside a directory of the test's own is
touched: services are read from there (pam_start_confdir), root is not needed."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from pam_bench import HERE, ROOT, Bench, compile_c


@pytest.fixture(scope="session")
def tools():
    """The programs of the tests, compiled once."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-pam-tools-"))
    compile_c(["-rdynamic", "-pthread", "-o", directory / "pam_client", HERE / "pam_client.c", "-lpam"])
    # Some tests run the client as another user.
    directory.chmod(0o755)
    compile_c(["-shared", "-fPIC", "-o", directory / "pam_observe.so", HERE / "pam_observe.c", "-lpam"])
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def module(tools):
    """A copy, which other users can read, of the module: $BOXAGENT_PAM_MODULE, or dist/pam_boxagent.so as
    `make build` leaves it, or a fresh build."""
    built = pathlib.Path(os.environ.get("BOXAGENT_PAM_MODULE") or ROOT / "dist" / "pam_boxagent.so")
    if not built.exists():
        subprocess.run([ROOT / "Scripts" / "build-embedded", "pam_boxagent", built], check=True)
    return pathlib.Path(shutil.copy(built, tools / "pam_boxagent.so"))


@pytest.fixture
def bench(module, tools):
    # Paths of Unix sockets are at most 107 bytes, which pytest's own directories exceed.
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-pam-"))
    made = Bench(directory, module, tools)
    yield made
    try:
        made.finish()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
