"""A tap on a phone opens a remote desktop, with the shipped example. pam_boxagent.so keeps the password, session-hook passes it to
xfreerdp, and a real xrdp opens a real X session."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import remote_desktop as remote
from box import BIN, MODULE, ROOT, Box, Failed
from hook_bench import Journal

USER, DISPLAY = "alice", ":7"
SESSION = ROOT / "Tests" / "Integration" / "agent" / "session_program.py"
PICTURE = ROOT / ".build-test" / "rdp" / "session-hook-freerdp.png"


@pytest.fixture(scope="module")
def box():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxagent-rdp-", dir="/run"))
    made = Box(directory, directory / "air")
    yield made.start()
    made.stop()


@pytest.fixture(scope="module")
def journal():
    pathlib.Path("/run/systemd/journal").mkdir(parents=True)
    return Journal("/run/systemd/journal/stdout")


@pytest.fixture(scope="module")
def desk(box):
    """A thin client and a remote server. The thin client has a user with an X server and a phone."""
    remote.add_user(USER)
    remote.set_up_server()
    box.authority = pathlib.Path("/home", USER, ".Xauthority")
    cookie = os.urandom(16).hex()
    subprocess.run(["xauth", "-f", box.authority, "add", DISPLAY, ".", cookie], check=True, capture_output=True)
    shutil.chown(box.authority, USER, USER)
    box.run_program(["Xvfb", DISPLAY, "-screen", "0", "1024x640x24", "-nolisten", "tcp", "-auth", box.authority], "Xvfb")
    for program in ("xrdp-sesman", "xrdp"):
        box.run_program(["/usr/sbin/" + program, "--nodaemon"], program)
    box.wait_until(lambda: pathlib.Path("/tmp/.X11-unix/X7").exists() and remote.pixels(DISPLAY, box.authority))
    box.wait_until(lambda: subprocess.run(["bash", "-c", ": </dev/tcp/127.0.0.1/3389"], capture_output=True).returncode == 0)
    box.alice = box.phone("a").enrol(USER, remote.PASSWORD)
    return box


def install_hook(certificate):
    """Installs the example as its own text says, with its settings filled in."""
    text = (ROOT / "packaging" / "examples" / "session-hook-freerdp").read_text()
    for name, value in (("server", remote.SERVER), ("certificate", certificate)):
        text, count = re.subn("^%s=.*$" % name, "%s=%s" % (name, value), text, flags=re.MULTILINE)
        assert count == 1
    pathlib.Path("/etc/boxagent").mkdir(exist_ok=True)
    pathlib.Path("/etc/boxagent/hook").write_text(text)
    os.chmod("/etc/boxagent/hook", 0o755)


def log_in(box):
    """Starts a program like a display manager: pam_unix checks the password of the tap, and a session opens."""
    ours = "[default=ignore] %s socket=%s" % (MODULE, box.run / "pam.sock")
    pathlib.Path("/etc/pam.d/demo").write_text("\n".join([
        "auth %s wait=20 keep" % ours, "auth requisite pam_unix.so use_first_pass", "auth %s verdict" % ours,
        "account %s" % ours, "account required pam_unix.so",
        "session required pam_permit.so", "session %s hook=/etc/boxagent/hook helper=%s" % (ours, BIN / "session-hook"),
    ]) + "\n")
    reader, writer = os.pipe()
    box.counter += 1
    program = box.run_program(
        ["/usr/bin/python3", SESSION, "demo", USER, DISPLAY], "session-%d" % box.counter, stdin=reader,
        env=dict(os.environ, LD_PRELOAD="libpam.so.0"))
    os.close(reader)
    box.wait_until(box.programs_waiting)
    box.alice.command("login").ok()
    program.wait_for("session is open")
    return program, writer


def processes():
    """Yields (arguments, environment) of every process in this namespace."""
    for directory in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            yield (directory / "cmdline").read_bytes(), (directory / "environ").read_bytes()
        except OSError:
            continue


def evidence(journal):
    """Returns the logs of all programs, for the message of a failed test."""
    files = ["%s:\n%s" % (path, path.read_text(errors="replace")) for path in sorted(pathlib.Path("/var/log").glob("xrdp*"))]
    files += [path.read_text(errors="replace") for path in pathlib.Path("/home", USER).glob(".xorgxrdp*.log")]
    return "\n".join(["journal:", *journal.lines, *files])


def wait_for(desk, journal, what):
    try:
        return desk.wait_until(what)
    except Failed as failure:
        raise Failed("%s\n%s" % (failure, evidence(journal))) from None


def test_a_server_with_another_certificate_never_hears_the_password(desk, journal):
    install_hook("fingerprint:sha256:" + bytes(32).hex(":"))
    program, writer = log_in(desk)
    journal.wait_for("ERROR")
    desk.wait_until(lambda: not any(b"xfreerdp" in arguments.split(b"\0")[0] for arguments, _ in processes()))
    assert not pathlib.Path("/home", USER, "desktop").exists()
    os.close(writer)
    program.ok()


def test_a_tap_opens_the_remote_desktop(desk, journal):
    install_hook(remote.fingerprint())
    # A display manager writes this file after it has opened the session.
    later = desk.authority.rename(desk.authority.with_name("later"))
    program, writer = log_in(desk)
    later.rename(desk.authority)
    doctor = desk.command("doctor", "--json")
    doctor.wait()
    findings = {finding["name"]: finding for finding in json.loads(doctor.out)}
    assert findings["session hook"]["level"] == "good", findings
    marker = pathlib.Path("/home", USER, "desktop")
    wait_for(desk, journal, marker.exists)
    user, display = marker.read_text().split()
    assert user == USER and display != DISPLAY, "a desktop of the user's on a display of the server's"
    seen = list(processes())
    assert any(b"xfreerdp" in arguments for arguments, _ in seen)
    assert not [1 for pair in seen if any(remote.PASSWORD in part for part in pair)]
    wait_for(desk, journal, lambda: remote.pixels(DISPLAY, desk.authority).get(remote.BACKGROUND, 0) > 100_000)
    # The window with the text appears shortly after the background.
    wait_for(desk, journal, lambda: remote.pixels(DISPLAY, desk.authority, to=PICTURE).get((255, 255, 255), 0) > 20_000)
    assert {number for number, _, lines in journal.streams if lines} == {os.stat("/home/" + USER).st_uid}
    os.close(writer)
    program.ok()
