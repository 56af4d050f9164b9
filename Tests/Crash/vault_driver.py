"""Runs VaultCrashDriver: that of Scripts/build-plain, or the one that VAULT_CRASH_DRIVER names."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 20
KILLED = -9


def path():
    chosen = pathlib.Path(os.environ.get("VAULT_CRASH_DRIVER", ROOT / ".build" / "release" / "VaultCrashDriver"))
    if not chosen.exists():
        pytest.fail("%s is missing; run: Scripts/build-plain --product VaultCrashDriver" % chosen)
    return str(chosen)


def run(directory, scenario, *settings, wrapper=(), **options):
    """(exit code, lines, what it complained of)."""
    done = subprocess.run(
        [*wrapper, path(), str(directory), scenario, *settings], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=LIMIT_SECONDS, **options)
    return done.returncode, whole_lines(done.stdout), done.stderr.strip()


def whole_lines(output):
    """A line that was cut by the end of the process was not said."""
    return output.split("\n")[:-1]


def check(directory, ledger):
    """A start after a crash: it must work, and everything must be as the ledger says."""
    ledger.look_at_files(directory)
    code, lines, complaint = run(directory, "check")
    assert code == 0, complaint
    ledger.read(lines)
    ledger.check_files(directory)
