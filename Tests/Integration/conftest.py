"""What all integration tests share: where the programs are."""

import os
import pathlib
import signal

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A shell has what it starts in the background ignore these two, and so have its children: no Control-C would arrive.
for number in (signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def program(name):
    """The release build that `make build` put into dist/, or the one in the folder that BOXAGENT_BIN names."""
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
