"""Which sockets the module trusts (Sources/PAMLogic/ListenerTrust.swift): root's, the program's own user's, and that of the user to
whom root gave the socket's directory. The module sends nothing to any other socket."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from pam_agent import credential, delivering

SUCCESS = 0
STRANGER = 23457
OVERFLOW = 65534
as_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="needs root: only root can run a listener as another user; the same decision is "
    "tested without root with getsockopt's answer replaced, and in Tests/PAMLogic")


def stack(bench):
    bench.service("login", [bench.ours(), bench.observe(), "auth required pam_permit.so"])


@pytest.mark.parametrize("peer, believed", [
    (0, True), (os.geteuid(), os.geteuid() != OVERFLOW), (STRANGER, False), (1, False), (OVERFLOW, False),
])
def test_the_kernels_word_on_the_listener_decides(bench, peer, believed):
    """The client replaces SO_PEERCRED's answer, so the test needs no root."""
    agent = bench.agent(delivering(b"token"))
    stack(bench)
    result = bench.run("peer=%d" % peer, "auth", "end")
    bench.finish()
    assert result.code("auth") == SUCCESS
    if not believed:
        assert bench.observed == [(b"anna", None)]
        assert result.log == ["the socket does not belong to boxagentd; nothing was sent. "
                              "See pam_boxagent(8)"]
        assert agent.heard == ["eof"]
    else:
        assert bench.observed == [(b"anna", b"token")]


def test_a_program_in_a_user_namespace_believes_nobody_without_a_number(bench):
    """In the namespace, both the agent and the program appear as the overflow user."""
    probe = subprocess.run(["unshare", "--user", "true"], capture_output=True)
    if probe.returncode != 0:
        pytest.skip("this kernel gives no user namespaces: " + probe.stderr.decode().strip())
    agent = bench.agent(delivering(b"token"))
    os.chmod(bench.directory, 0o755)
    os.chmod(bench.socket, 0o777)
    bench.service("login", [bench.ours(), "auth required pam_permit.so"])
    result = bench.run("auth", "end", prefix=["unshare", "--user"])
    bench.finish()
    assert result.code("auth") == SUCCESS
    assert result.log[0].startswith("the socket does not belong to boxagentd")
    assert agent.heard == ["eof"]


class Stranger:
    """A listener of another user in `directory`."""

    def __init__(self, directory, user=STRANGER):
        script = pathlib.Path(__file__).with_name("pam_stranger.py").read_text()
        self.process = subprocess.Popen(
            ["setpriv", "--reuid=%d" % user, "--regid=%d" % user, "--clear-groups", "/usr/bin/python3", "-c", script,
             str(directory / "pam.sock"), credential(b"anna", b"token").hex()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd="/")
        assert self.process.stdout.readline() == "ready\n"

    def next(self):
        return self.process.stdout.readline().strip()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def given_directory():
    """A directory that only root could have created: only root may write to any directory above it."""
    for parent in "/run", "/var/lib":
        status = os.lstat(parent)
        if status.st_uid == 0 and not status.st_mode & 0o022 and os.access(parent, os.W_OK):
            path = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-test-", dir=parent))
            yield path
            shutil.rmtree(path)
            return
    pytest.skip("no directory of root's alone to make one in")


def attempt(bench, directory):
    bench.service("login", [
        bench.ours().replace(str(bench.socket), str(directory / "pam.sock")), bench.observe(),
        "auth required pam_permit.so"])
    stranger = Stranger(directory)
    try:
        result = bench.run("auth", "end")
        assert stranger.next() == "connection"
        return result, stranger.next()
    finally:
        stranger.stop()


@as_root
def test_a_stranger_in_a_directory_that_anybody_could_have_made(bench):
    """Every user may write to /tmp, so the owner of a directory there proves nothing."""
    os.chown(bench.directory, STRANGER, STRANGER)
    result, received = attempt(bench, bench.directory)
    assert received == "received 0"
    assert bench.observed == [(b"anna", None)]
    assert result.log[0].startswith("the socket does not belong to boxagentd")


@as_root
def test_the_user_whom_root_gave_the_directory(bench, given_directory):
    """An agent that binds its own socket in its RuntimeDirectory=."""
    os.chown(given_directory, STRANGER, STRANGER)
    os.chmod(given_directory, 0o755)
    result, received = attempt(bench, given_directory)
    assert received != "received 0"
    assert bench.observed == [(b"anna", b"token")]
    assert result.log == []


@as_root
@pytest.mark.parametrize("mode, owner", [(0o777, 0), (0o1777, 0), (0o775, STRANGER)])
def test_a_directory_where_others_may_write(bench, given_directory, mode, owner):
    os.chown(given_directory, owner, STRANGER)
    os.chmod(given_directory, mode)
    result, received = attempt(bench, given_directory)
    assert received == "received 0"
    assert bench.observed == [(b"anna", None)]


@as_root
def test_a_directory_reached_by_a_link(bench, given_directory):
    real = given_directory / "real"
    real.mkdir()
    os.chown(real, STRANGER, STRANGER)
    os.chmod(given_directory, 0o755)
    (given_directory / "link").symlink_to(real)
    result, received = attempt(bench, given_directory / "link")
    assert received == "received 0"
    assert bench.observed == [(b"anna", None)]


@as_root
def test_root_is_believed_by_everybody(bench):
    """With socket activation, systemd called listen, so the peer is root."""
    bench.agent(delivering(b"token"))
    os.chmod(bench.directory, 0o777)
    os.chmod(bench.socket, 0o777)
    stack(bench)
    prefix = ["setpriv", "--reuid=%d" % STRANGER, "--regid=%d" % STRANGER, "--clear-groups"]
    assert bench.run("auth", "end", prefix=prefix).code("auth") == SUCCESS
    assert bench.observed == [(b"anna", b"token")]
