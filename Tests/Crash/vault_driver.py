"""Runs VaultCrashDriver: the one that VAULT_CRASH_DRIVER names, or the one that Scripts/build-plain built."""

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
    """Runs a scenario. Returns (exit code, lines, error output)."""
    done = subprocess.run(
        [*wrapper, path(), str(directory), scenario, *settings], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=LIMIT_SECONDS, **options)
    return done.returncode, whole_lines(done.stdout), done.stderr.strip()


def whole_lines(output):
    """Splits the output into lines. Drops the last one, which the kill may have cut."""
    return output.split("\n")[:-1]


def check(directory, ledger):
    """Starts the vault after a crash. The start must succeed, and the vault must match the ledger."""
    ledger.look_at_files(directory)
    code, lines, complaint = run(directory, "check")
    assert code == 0, complaint
    ledger.read(lines)
    ledger.check_files(directory)
