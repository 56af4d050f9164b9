"""What all integration tests share: where the programs are."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
