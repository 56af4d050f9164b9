"""A vault that an ordinary user may not write. If root runs the tests, the driver drops root's rights first."""

import os
import shutil
import subprocess
import tempfile

import pytest

import vault_driver

NOBODY = 65534


@pytest.fixture
def unprivileged():
    """Provides options that run a driver without root's rights, and a directory that this user owns."""
    # pytest's own directory does not work, because only root may enter it.
    directory = tempfile.mkdtemp(prefix="vault-access-")
    program = shutil.copy(vault_driver.path(), directory)
    options = {}
    if os.geteuid() == 0:
        options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        os.chown(directory, NOBODY, NOBODY)
        os.chmod(program, 0o755)
    yield Unprivileged(directory, program, options)
    os.chmod(directory, 0o700)
    vault = os.path.join(directory, "vault")
    if os.path.isdir(vault):
        os.chmod(vault, 0o700)
    shutil.rmtree(directory)


class Unprivileged:
    def __init__(self, directory, program, options):
        self.directory, self.program, self.options = directory, program, options
        self.vault = os.path.join(directory, "vault")

    def run(self, scenario, vault=None):
        done = subprocess.run(
            [self.program, vault or self.vault, scenario], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=vault_driver.LIMIT_SECONDS, env={**os.environ, "LD_LIBRARY_PATH": runtime()}, **self.options)
        return done.returncode, done.stderr.strip()

    def files(self):
        contents = {}
        for name in sorted(os.listdir(self.vault)):
            with open(os.path.join(self.vault, name), "rb") as file:
                contents[name] = file.read()
        return contents


def runtime():
    """Returns the directories of the Swift libraries, for the copied program."""
    output = subprocess.run(["ldd", vault_driver.path()], capture_output=True, text=True, check=True).stdout
    paths = {os.path.dirname(line.split()[2]) for line in output.splitlines() if "swift" in line and "=>" in line}
    return ":".join(sorted(paths))


def test_a_directory_that_may_not_be_written(unprivileged):
    assert unprivileged.run("script") == (0, "")
    before = unprivileged.files()
    os.chmod(unprivileged.vault, 0o500)
    code, complaint = unprivileged.run("script")
    assert code == 1
    assert "%s denies access even to its owner, user" % unprivileged.vault in complaint and "; run: chmod u+rwx" in complaint
    assert unprivileged.files() == before
    os.chmod(unprivileged.vault, 0o700)
    assert unprivileged.run("check") == (0, "")


def test_a_database_that_may_not_be_written(unprivileged):
    assert unprivileged.run("script") == (0, "")
    before = unprivileged.files()
    database = os.path.join(unprivileged.vault, "vault.sqlite3")
    os.chmod(database, 0o400)
    code, complaint = unprivileged.run("script")
    assert code == 1
    assert "vault.sqlite3 cannot be written; check the mount and the owner" in complaint
    os.chmod(database, 0o600)
    assert unprivileged.files() == before


def test_a_directory_of_another_user(unprivileged):
    # /usr belongs to root on every machine.
    code, complaint = unprivileged.run("check", vault="/usr")
    user = NOBODY if os.geteuid() == 0 else os.geteuid()
    assert code == 1
    assert complaint.endswith(
        "/usr belongs to user 0, not to user %d; run: chown %d '/usr'" % (user, user))


def test_a_place_where_nothing_may_be_made(unprivileged):
    os.chmod(unprivileged.directory, 0o500)
    code, complaint = unprivileged.run("check")
    assert code == 1
    assert complaint.endswith("; run: chmod u+rwx '%s'" % unprivileged.directory)
