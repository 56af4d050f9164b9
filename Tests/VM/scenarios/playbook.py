"""The playbook of packaging/ansible on a bare Debian, and a login on the machine that it sets up."""

import os
import pathlib
import re
import shutil
import time

import console
import package
from installed import PASSWORD
from machine import SHARE, note, run
from scenario import scenario
from setup import BLUETOOTHD, CONSOLE, TAP_LINE, as_bare, tap_on_console

INSTALLED = False
STOCK = True
SITE = pathlib.Path("/run/site")


def play():
    """Runs the playbook on this machine as root. Returns its count of changes."""
    words = ["ansible-playbook", "--inventory", SITE / "inventory", SITE / "boxes.yml"]
    start = time.monotonic()
    done = run(*words, check=False, seconds=400, cwd=SITE,
               env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": "/root", "ANSIBLE_PIPELINING": "1"})
    print(done.stdout, done.stderr, flush=True)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    counts = dict(re.findall(r"(\w+)=(\d+)", done.stdout[done.stdout.index("PLAY RECAP"):]))
    note(f"{time.monotonic() - start:.0f} s for the playbook, changed={counts['changed']}")
    return int(counts["changed"])


@scenario("The playbook of packaging/ansible installs and sets up a bare Debian", limit=400)
def first(context):
    as_bare()
    shutil.copytree(SHARE / "ansible", SITE)
    for path in (package.KEY, package.SOURCES):
        shutil.move(path, SITE / "files")
    # Debian's archive is not reachable.
    for path in [*pathlib.Path("/etc/apt").glob("sources.list"), *package.SOURCES.parent.iterdir()]:
        path.unlink()
    (SITE / "inventory").write_text(
        "[boxes]\nlocalhost ansible_connection=local ansible_become=false ansible_python_interpreter=/usr/bin/python3\n")
    assert play() > 0
    assert CONSOLE.exists() and BLUETOOTHD.exists()
    assert "50-site.toml" in run("boxagent", "config", "show", "login.hold_seconds").stdout


@scenario("Played again it changes nothing", limit=300)
def again(context):
    assert play() == 0


@scenario("A tap logs in on the machine that the playbook has set up", limit=200)
def tap(context):
    # This machine also runs the phone, which needs its own controller.
    run("boxagent", "config", "set", "radio.adapter", "hci0")
    run("systemctl", "restart", "boxagentd")
    package.apt("install", "boxphone")
    context.phone = context.box.phone("alice").enrol("alice", password=PASSWORD)
    console.wait_for("tty1", TAP_LINE)
    tap_on_console(context)
