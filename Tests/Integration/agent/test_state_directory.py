"""A state directory that cannot be created or used, as an ordinary user sees it: the error and its cure."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from box import BIN

USER = 65534 if os.geteuid() == 0 else os.geteuid()
LIMIT_SECONDS = 20
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make what belongs to another user")


@pytest.fixture
def place():
    """A directory that the agent's user owns. pytest's own directory does not work, because only root may enter it."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxstate"))
    shutil.copy(BIN / "boxagentd", directory / "boxagentd")
    (directory / "mine").mkdir(mode=0o700)
    for path in (directory, directory / "mine"):
        os.chown(path, USER, USER)
    yield directory
    for path, directories, _ in os.walk(directory):
        for name in directories:  # os.walk enters them afterwards
            os.chmod(os.path.join(path, name), 0o700)
    shutil.rmtree(directory)


def complaint(place, state):
    """Returns boxagentd's error message as it exits."""
    configuration = place / "boxagent.toml"
    configuration.write_text('[box]\nstate_directory = "%s"\nruntime_directory = "%s"\n[radio]\nkind = "loopback"\nair_directory = "%s"\n'
                             % (state, place / "mine", place / "mine"))
    configuration.chmod(0o644)
    options = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
    done = subprocess.run(
        [place / "boxagentd", "--config", configuration], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=LIMIT_SECONDS, **options)
    assert (done.returncode, done.stdout) == (69, "")
    assert done.stderr.startswith("boxagentd: ") and done.stderr.count("\n") == 1
    return done.stderr[len("boxagentd: "):-1]


def test_one_that_cannot_be_made_in_the_directory_above(place):
    above = place / "above"
    above.mkdir()
    above.chmod(0o555)
    if os.geteuid() == 0:
        assert complaint(place, above / "state") == (
            "%s/state cannot be created: user %d may not write in %s; run: install -d -m 700 -o %d '%s/state'" % (
                above, USER, above, USER, above))
        os.chown(above, USER, USER)
    assert complaint(place, above / "state") == (
        "%s denies access even to its owner, user %d (mode 555); run: chmod u+rwx '%s'" % (above, USER, above))


@needs_root
def test_one_behind_a_directory_that_cannot_be_entered(place):
    above = place / "above"
    above.mkdir(mode=0o700)
    assert complaint(place, above / "deep" / "state") == (
        "%s cannot be entered by user %d, who needs %s/deep/state; run: chmod o+x '%s'" % (above, USER, above, above))


def test_one_whose_directory_above_is_not_there(place):
    assert complaint(place, place / "none" / "state") == (
        "%s/none/state cannot be used: the directory %s/none does not exist; create it, or choose another place" % (
            place, place))


@needs_root
def test_one_that_belongs_to_another_user(place):
    state = place / "state"
    state.mkdir(mode=0o700)
    assert complaint(place, state) == (
        "%s belongs to user 0, not to user %d; run: chown %d '%s'" % (state, USER, USER, state))


def test_one_that_others_may_use(place):
    state = place / "state"
    state.mkdir()
    state.chmod(0o755)
    os.chown(state, USER, USER)
    assert complaint(place, state) == "%s is accessible to other users (mode 755); run: chmod 700 '%s'" % (state, state)


@pytest.mark.parametrize("mode", [0o000, 0o500, 0o600])
def test_one_that_does_not_let_its_own_user_in(place, mode):
    state = place / "state"
    state.mkdir()
    os.chown(state, USER, USER)
    state.chmod(mode)
    assert complaint(place, state) == (
        "%s denies access even to its owner, user %d (mode %03o); run: chmod u+rwx '%s'" % (state, USER, mode, state))


@needs_root
def test_a_database_that_belongs_to_another_user(place):
    state = place / "mine"
    (state / "vault.sqlite3").touch(mode=0o600)
    assert complaint(place, state) == (
        "%s/vault.sqlite3 belongs to user 0, not to user %d; run: chown %d '%s/vault.sqlite3'" % (
            state, USER, USER, state))
