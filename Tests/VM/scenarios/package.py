"""The Debian packages under systemd, from a repository that `make repository` made: installed, upgraded during use, removed and
purged. The guest has no network, and its image has the dependencies. Scripts/check-package does the same in a Debian that gets its
dependencies from the archive."""

import hashlib
import os
import pathlib

import console
from greeter import type_login
from installed import PASSWORD
from machine import SHARE, Failed, note, run, unit_pid, wait_until
from scenario import scenario

INSTALLED = False
STOCK = True
REPOSITORIES = SHARE / "packages"
KEY, SOURCES = pathlib.Path("/etc/apt/keyrings/boxagent.asc"), pathlib.Path("/etc/apt/sources.list.d/boxagent.sources")
PACKAGES = ("boxagent", "libpam-boxagent", "boxphone", "boxsite", "boxagent-web")
CONFIGURATION = pathlib.Path("/etc/boxagent/boxagent.toml")
MODULE = pathlib.Path("/usr/lib/x86_64-linux-gnu/security/pam_boxagent.so")
STACKS = ("auth", "account", "session", "session-noninteractive", "password")
UNITS = ("boxagentd.service", "boxagentd-pam.socket", "boxagentd-control.socket")
WRITTEN = "# The administrator's own words.\n"
NONINTERACTIVE = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}


def apt(*words):
    """Runs apt-get as an administrator's script does: without questions or options that answer them. May take minutes."""
    return run("apt-get", "-q", "-y", *words, seconds=240, env=NONINTERACTIVE).stdout


def use_repository(name):
    """Adds the repository as its README says. The image's own sources are not reachable."""
    repository = REPOSITORIES / name / "repository"
    run("install", "-D", "-m", "0644", repository / "boxagent.asc", KEY)
    text = (repository / "boxagent.sources").read_text()
    SOURCES.write_text(text.replace("https://REPLACE-WITH-YOUR-SERVER/boxagent", f"file:{repository}"))
    apt("update", "-o", f"Dir::Etc::SourceList={SOURCES}", "-o", "Dir::Etc::SourceParts=-", "-o", "APT::Get::List-Cleanup=0")


def stacks():
    return {name: hashlib.sha256(pathlib.Path(f"/etc/pam.d/common-{name}").read_bytes()).hexdigest() for name in STACKS}


def lines():
    """Returns how many lines of the PAM stacks are ours."""
    return sum(pathlib.Path(f"/etc/pam.d/common-{name}").read_text().count("pam_boxagent.so") for name in STACKS)


def version(package="boxagent"):
    return run("dpkg-query", "-W", "-f", "${Version}", package).stdout


def is_active(unit):
    return run("systemctl", "is-active", unit, check=False).stdout.strip() == "active"


def password_alone(context, password=PASSWORD):
    """Returns pam_unix's result for a typed password, with the current stacks."""
    reader, writer = os.pipe()
    os.write(writer, password + b"\n")
    os.close(writer)
    with os.fdopen(reader) as typed:
        return context.box.run_program(
            ["pamtester", "login", "alice", "authenticate", "acct_mgmt"], f"typed-{context.box.counter}", stdin=typed).wait()


def tap(context):
    """Logs alice in. The package's profile does not wait for a tap (wait=0), so the box holds the tap until a program asks."""
    box, waiting = context.box, context.phone.command("login")
    wait_until(box.tap_held, of="the tap waits for a program")
    program = box.pam("alice")
    program.ok()
    assert "Logged in" in waiting.ok()


@scenario("The package is installed by apt alone, with nobody to ask, and its units are ready at once")
def installs(context):
    context.before = stacks()
    # Removes the image's dpkg exclusions, which apply to all its other packages.
    pathlib.Path("/etc/dpkg/dpkg.cfg.d/99mmdebstrap").unlink(missing_ok=True)
    for emptied in ("/var/lib/apt/lists/partial", "/var/cache/apt/archives/partial"):
        os.makedirs(emptied, exist_ok=True)
    use_repository("older")
    said = apt("install", "boxagent", "boxphone", "boxsite", "boxagent-web")
    # The PAM module is among the agent's recommended packages, which apt also installs.
    assert {version(name) for name in PACKAGES} == {"0.0.9"}
    assert said.count("boxagent setup") == 1, said
    for unit in UNITS:
        assert run("systemctl", "is-enabled", unit, check=False).stdout.strip() == "enabled", unit
        wait_until(lambda unit=unit: is_active(unit), of=f"{unit} is active")
    assert lines() > 0
    assert run("dpkg", "--verify", *PACKAGES, check=False).stdout == "", "files differ from the packages'"


@scenario("An administrator sets it up; a tap logs alice in, and her password does without one")
def first_login(context):
    settings = "\n[radio]\nkind = \"bluez\"\nadapter = \"hci0\"\n\n[pin]\nhash_milliseconds = 50\n"
    CONFIGURATION.write_text(WRITTEN + settings)
    run("systemctl", "restart", "boxagentd")
    wait_until(context.bluetoothd.advertises, of="advertising")
    context.phone = context.box.phone("alice").enrol("alice", password=PASSWORD)
    tap(context)
    assert password_alone(context) == 0
    assert password_alone(context, b"wrong-horse") != 0


@scenario("An upgrade replaces the agent while it serves, and keeps configuration, phones and stacks")
def upgrades(context):
    written, agent, profile = CONFIGURATION.read_text(), unit_pid("boxagentd"), stacks()
    watching = context.phone.command("watch", "--json")
    wait_until(lambda: context.box.status()["channels_authenticated"] == 1, of="the phone's channel")
    use_repository("new")
    apt("upgrade")
    note(f"from 0.0.9 to {version()}")
    assert version() != "0.0.9"
    assert CONFIGURATION.read_text() == written, "the administrator's file was changed"
    # The new defaults are available for comparison.
    assert "older version" not in pathlib.Path("/usr/share/boxagent/boxagent.toml").read_text()
    assert stacks() == profile
    wait_until(lambda: is_active("boxagentd") and unit_pid("boxagentd") not in (0, agent), of="the new agent runs")
    wait_until(lambda: context.box.status()["channels_authenticated"] == 1, of="the phone has come back by itself")
    watching.stop()
    wait_until(lambda: not context.bluetoothd.connected("hci1"), of="the phone hangs up")
    tap(context)


@scenario("Doctor says that the module is missing; the same versions again bring it back, and change nothing else")
def reinstalls(context):
    written, profile = CONFIGURATION.read_text(), stacks()
    MODULE.unlink()
    assert password_alone(context) == 0
    missing, = [one for one in context.box.findings()[1] if "pam_boxagent.so is not in a directory of PAM modules" in one["text"]]
    assert "'apt install --reinstall libpam-boxagent'" in missing["cure"], missing
    apt("install", "--reinstall", "libpam-boxagent", "boxagent")
    assert "module" not in [one["name"] for one in context.box.findings()[1] if one["level"] != "good"]
    assert CONFIGURATION.read_text() == written and stacks() == profile
    wait_until(lambda: is_active("boxagentd"), of="the agent runs")
    wait_until(context.bluetoothd.advertises, of="advertising")
    tap(context)


@scenario("Configured anew with settings that are refused, the package says what is wrong and what became of the agent; passwords work")
def refused(context):
    broken = pathlib.Path("/etc/boxagent/conf.d/90-site.toml")
    broken.write_text("[login]\nhold_seconds = 20\nhold_seconds = 25\n")
    # dpkg-reconfigure runs only the package's last script, which is also the last step of an upgrade.
    done = run("dpkg-reconfigure", "boxagent", seconds=120, env=NONINTERACTIVE)
    assert f"{broken}:3" in done.stderr and "systemctl restart boxagentd" in done.stderr, done
    wait_until(lambda: not is_active("boxagentd"), of="the agent has ended")
    assert password_alone(context) == 0
    assert password_alone(context, b"wrong-horse") != 0
    broken.unlink()
    run("systemctl", "reset-failed", "boxagentd")
    run("systemctl", "restart", "boxagentd")
    wait_until(context.bluetoothd.advertises, of="advertising")
    tap(context)


@scenario("Removed, it leaves the PAM stacks as they were and the vault where it was, and passwords work")
def removes(context):
    agent = unit_pid("boxagentd")
    apt("remove", "boxagent")
    assert not run("dpkg-query", "-W", "-f", "${db:Status-Abbrev}", "libpam-boxagent", check=False).stdout.startswith("ii")
    assert agent and not os.path.exists(f"/proc/{agent}"), "the agent still runs"
    for unit in UNITS:
        assert not is_active(unit), unit
    assert stacks() == context.before
    assert not pathlib.Path("/run/boxagent/pam.sock").exists()
    assert any(pathlib.Path("/var/lib/boxagent").iterdir()) and CONFIGURATION.exists()
    assert password_alone(context) == 0
    assert password_alone(context, b"wrong-horse") != 0


@scenario("Installed again it knows its phones; purged under somebody who is logged in by a tap, it leaves her session and nothing else",
          limit=200)
def purges(context):
    apt("install", "boxagent")
    wait_until(context.bluetoothd.advertises, of="advertising")
    # A user logs in by a tap before the purge.
    console.bring_to_front("tty1")
    run("systemctl", "start", "getty@tty1")
    console.wait_for("tty1", r"rig login: *$")
    waiting = context.phone.command("login")
    wait_until(context.box.tap_held, of="the tap waits for a program")
    console.type_keys("tty1", "alice\n")
    wait_until(lambda: console.user_on("tty1") == "alice", 60, of="alice's session on tty1")
    waiting.ok()
    console.type_keys("tty1", "sleep 4711\n")
    program = wait_until(lambda: run("pgrep", "-u", "alice", "-f", "sleep 4711", check=False).stdout.strip(), of="her program")
    apt("purge", *PACKAGES)
    assert console.user_on("tty1") == "alice" and os.path.exists(f"/proc/{program}"), "her session ended"
    SOURCES.unlink()
    KEY.unlink()
    left = run("find", "/etc", "/usr", "/lib/systemd", "/var", "-xdev", "-path", "/var/log", "-prune", "-o", "-path",
               "/var/cache", "-prune", "-o", "-name", "*boxagent*", "-print").stdout.split()
    if left:
        raise Failed("purging left: " + " ".join(left))
    assert stacks() == context.before
    assert password_alone(context) == 0
    console.type_keys("tty1", "\x03")
    wait_until(lambda: not os.path.exists(f"/proc/{program}"), of="her program ends when she says so")
    console.type_keys("tty1", "exit\n")
    wait_until(lambda: console.user_on("tty1") is None, of="her session ends")
    console.wait_for("tty1", r"rig login: *$")
    type_login("tty1", "alice")
    wait_until(lambda: console.user_on("tty1") == "alice", 60, of="her session by password")
