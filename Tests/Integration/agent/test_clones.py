"""A box's state on another machine, as in a cloned image: its agent serves no phone, and setup fixes it."""

import os
import shutil
import socket
import stat
import subprocess
import time

import pytest

from box import BIN
from machine import Machine, needs_root

pytestmark = needs_root
OURS, OTHERS = "00:1e:06:30:4e:a1", "00:1e:06:30:4e:a2"
WORDS = "belong to another machine, as in a cloned image"
CURE = "run 'boxagent setup'"
PASSWORD = b"correct horse"


@pytest.fixture
def make_machine(directory):
    counter = iter(range(99))
    return lambda machine_id, *cards: Machine(directory / f"machine-{next(counter)}", machine_id, cards)


@pytest.fixture
def original(make_box, make_machine):
    """A box with a phone of alice, whose agent has stopped."""
    box = make_box("box", start=False).pam_service(users={"alice": PASSWORD})
    box.machine = make_machine("a", OURS).words
    box.start()
    box.alice = box.phone("alice").enrol("alice", password=PASSWORD)
    logs_in(box, box.alice)
    box.agent.stop()
    return box


def logs_in(box, phone):
    program = box.pam("alice")
    box.wait_until(box.programs_waiting)
    assert "Logged in" in phone.command("login").ok()
    program.ok()


def finding(box, name):
    command = box.command("doctor", "--json")
    command.wait()
    return [line for line in command.out.splitlines() if f'"{name}"' in line]


def clone(make_box, original, machine, name="clone"):
    """Copies the box to another machine: same state and configuration, but with this test's paths."""
    box = make_box(name, start=False).pam_service(users={"alice": PASSWORD})
    shutil.rmtree(box.state)
    shutil.copytree(original.state, box.state)
    box.machine = machine.words
    return box


def is_deaf(box, phone, words=WORDS):
    """Checks that phones, programs and administrators all get the error."""
    assert words in box.json("status")["radio_state"]
    told = finding(box, "machine")
    assert told and words in told[0] and CURE in told[0], told
    started = time.monotonic()
    program = box.pam("alice")
    assert program.wait() != 0
    # The program did not wait for a tap for the 20 s of its PAM line.
    assert time.monotonic() - started < 15
    refused = box.command("enrol", "alice", "--yes")
    assert refused.wait() == 70 and words in refused.err and "boxlink:" not in refused.out, (refused.out, refused.err)
    site = box.command("site")
    assert site.wait() == 70 and words in site.err, site.err
    tap = phone.command("login")
    assert tap.wait() != 0
    assert "Logged in" not in tap.out + tap.err
    assert words in box.agent.err and box.agent.process.poll() is None


def test_a_clone_is_deaf_and_says_why(make_box, make_machine, original):
    """Before the agent recognized its machine, one of four taps logged alice in at the clone."""
    box = clone(make_box, original, make_machine("a", OTHERS))
    told = box.directory / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(told))
        systemd.settimeout(30)
        box.environment = dict(os.environ, NOTIFY_SOCKET=str(told))
        box.start()
        assert systemd.recv(4096).decode().startswith("STATUS=deaf: ") and systemd.recv(4096) == b"READY=1"
    is_deaf(box, original.alice)
    # With the original next to the clone, the phone finds only the original.
    original.start()
    logs_in(original, original.alice)


def test_the_box_stays_itself_with_another_adapter_and_another_system(make_machine, original):
    mark = original.state / "machine"
    assert stat.S_IMODE(mark.stat().st_mode) == 0o600
    original.machine = make_machine("b", OTHERS, OURS).words
    original.start()
    logs_in(original, original.alice)
    original.agent.stop()
    # Both adapters are known now, so the old one may disappear.
    original.machine = make_machine("b", OTHERS).words
    original.start()
    logs_in(original, original.alice)
    assert "another machine" not in original.agent.err


def test_a_box_whose_adapter_the_kernel_finds_late_starts_again(make_machine, original):
    machine = make_machine("a", OTHERS)
    original.machine = machine.words
    original.start()
    assert "serves no phone" in original.agent.err
    machine.add_card(OURS)
    # systemd restarts the agent after this exit.
    assert original.agent.wait() == 69 and "an adapter was found late" in original.agent.err
    original.start()
    logs_in(original, original.alice)


@pytest.mark.parametrize("damage", ["", "machine-id 00\nend\n", None])
def test_a_damaged_file_counts_as_another_machines(original, damage):
    mark = original.state / "machine"
    mark.unlink()
    if damage is None:
        mark.symlink_to("/etc/machine-id")
    else:
        mark.write_text(damage)
        mark.chmod(0o600)
    original.start()
    is_deaf(original, original.alice, "so the keys beside it count as another machine's")


def test_state_of_an_earlier_version_becomes_this_machines(make_box, make_machine, original):
    (original.state / "machine").unlink()
    original.start()
    logs_in(original, original.alice)
    original.agent.stop()
    assert OURS.replace(":", "") in (original.state / "machine").read_text()
    is_deaf(clone(make_box, original, make_machine("a", OTHERS)).start(), original.alice)


SYSTEMCTL = """#!/bin/sh
case "$*" in
"show boxagentd.service "*) printf 'FragmentPath=/lib/boxagentd.service\\nActiveState=active\\nUnitFileState=enabled\\n' ;;
"show "*) ;;
"stop "*) pid=$(cat {run}/pid); kill "$pid"; while [ -e /proc/$pid/fd/0 ]; do sleep 0.05; done ;;
"start "*) {boxagentd} --config {config} >{directory}/started.out 2>&1 & echo $! >{run}/pid ;;
esac
"""


def set_up(box, machine, *words):
    """Runs `boxagent setup` on the machine, with a fake systemctl(1) that only stops and starts this box's agent."""
    (machine.directory / "etc/boxagent").mkdir(exist_ok=True)
    shutil.copy(box.config, machine.directory / "etc/boxagent/boxagent.toml")
    script = machine.directory / "systemctl"
    script.write_text(SYSTEMCTL.format(run=box.run, boxagentd=BIN / "boxagentd", config=box.config, directory=box.directory))
    script.chmod(0o755)
    if not (box.run / "pid").exists():  # at the first call: later agents are started by the fake systemctl(1)
        (box.run / "pid").write_text(f"{box.agent.process.pid}\n")
    command = box.run_program(
        [*machine.words, BIN / "boxagent", "setup", *words, "--socket", box.run / "control.sock"], f"setup-{box.counter}")
    box.counter += 1
    command.wait(120)
    return command


def end_started(box):
    """Ends the agent that setup started, because it is not a child of the test."""
    subprocess.run(["kill", (box.run / "pid").read_text().strip()], check=False)


@pytest.fixture
def deaf(make_box, make_machine, original):
    """A clone whose agent runs, and its machine."""
    machine = make_machine("a", OTHERS)
    box = clone(make_box, original, machine).start()
    box.on = machine
    yield box
    end_started(box)


def test_setup_makes_a_new_box_of_a_clone(deaf, original):
    asked = set_up(deaf, deaf.on, "--yes")
    assert asked.wait() == 1 and "--new-box or --replace-box" in asked.err, (asked.out, asked.err)
    is_deaf(deaf, original.alice)
    # The state directory may be a separate partition.
    (deaf.state / "lost+found").mkdir()
    done = set_up(deaf, deaf.on, "--yes", "--new-box")
    assert "this machine is a new box" in done.out and "nothing to do" not in done.out, (done.out, done.err)
    assert WORDS not in deaf.json("status")["radio_state"]
    assert deaf.json("devices") == [] and not finding(deaf, "machine")
    assert deaf.json("id") != original_id(original)
    # A new phone of alice can log in here. A second run has nothing to do.
    key = (deaf.state / "vault.key").read_bytes()
    logs_in(deaf, deaf.phone("new").enrol("alice", password=PASSWORD))
    again = set_up(deaf, deaf.on, "--yes", "--new-box")
    assert "new box" not in again.out and (deaf.state / "vault.key").read_bytes() == key


def original_id(original):
    original.start()
    return original.json("id")


def test_setup_destroys_no_box_whose_adapter_the_kernel_finds_late(deaf, original):
    key = (deaf.state / "vault.key").read_bytes()
    deaf.on.add_card(OURS)
    said = set_up(deaf, deaf.on, "--yes", "--new-box")
    assert "new box" not in said.out and (deaf.state / "vault.key").read_bytes() == key, (said.out, said.err)
    deaf.start()
    logs_in(deaf, original.alice)


def test_setup_lets_a_machine_take_the_old_ones_place(deaf, original):
    done = set_up(deaf, deaf.on, "--yes", "--replace-box")
    assert "taken the old one's place; the old one must never run again" in done.out, (done.out, done.err)
    assert deaf.json("devices")[0]["user"] == "alice"
    logs_in(deaf, original.alice)
    both = set_up(deaf, deaf.on, "--yes", "--replace-box", "--new-box")
    assert both.wait() == 64 and "use either" in both.err


def test_two_boxes_with_one_key_are_both_refused_until_one_of_them_is_left(make_box, make_machine, original):
    """A virtual machine that was copied with its addresses counts as the same machine, so only the phone can notice."""
    # Two copies, so that the phone finds neither at the address where the box was alone.
    boxes = [clone(make_box, original, make_machine("a", OURS), name).start() for name in ("copy", "double")]
    programs = [box.pam("alice") for box in boxes]
    for box in boxes:
        box.wait_until(box.programs_waiting)
    for _ in range(2):
        tap = original.alice.command("login")
        assert tap.wait() == 4 and "two boxes answer as box" in tap.err, (tap.out, tap.err)
    assert all(program.process.poll() is None for program in programs)
    for program in programs:
        program.stop()
    boxes[1].agent.stop()
    logs_in(boxes[0], original.alice)
