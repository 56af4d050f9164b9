"""Shared by all integration tests: the paths of the programs."""

import os
import pathlib
import signal

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Restores two signals that a shell's background jobs ignore, as do their children. Otherwise Control-C would have no effect.
for number in (signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def program(name):
    """Returns the release build that `make build` put into dist/, or the one in the folder that BOXAGENT_BIN names."""
    path = pathlib.Path(os.environ.get("BOXAGENT_BIN", ROOT / "dist")) / name
    if not path.exists():
        pytest.fail("%s is missing; run: make build" % path)
    return str(path)


@pytest.fixture(scope="session")
def boxagent():
    return program("boxagent")


@pytest.fixture(scope="session")
def boxphone():
    return program("boxphone")
