"""Real libpam, the module as shipped, and a scripted agent. The tests change nothing outside their own directories, from which
libpam reads the services (pam_start_confdir). They need no root."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from pam_bench import HERE, ROOT, Bench, compile_c


@pytest.fixture(scope="session")
def tools():
    """The helper programs of the tests, compiled once."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-pam-tools-"))
    compile_c(["-rdynamic", "-pthread", "-o", directory / "pam_client", HERE / "pam_client.c", "-lpam"])
    # Some tests run the client as another user.
    directory.chmod(0o755)
    compile_c(["-shared", "-fPIC", "-o", directory / "pam_observe.so", HERE / "pam_observe.c", "-lpam"])
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def module(tools):
    """A copy of the module that other users can read. The module is $BOXAGENT_PAM_MODULE, or dist/pam_boxagent.so as `make build`
    leaves it, or a fresh build."""
    built = pathlib.Path(os.environ.get("BOXAGENT_PAM_MODULE") or ROOT / "dist" / "pam_boxagent.so")
    if not built.exists():
        subprocess.run([ROOT / "Scripts" / "build-embedded", "pam_boxagent", built], check=True)
    return pathlib.Path(shutil.copy(built, tools / "pam_boxagent.so"))


@pytest.fixture
def bench(module, tools):
    # pytest's own directories exceed the 107 bytes of a Unix socket's path.
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-pam-"))
    made = Bench(directory, module, tools)
    yield made
    try:
        made.finish()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
