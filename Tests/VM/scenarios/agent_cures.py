"""The agent does not start, or something that it needs fails (docs/how-to/troubleshoot.md, "The agent does not work"). Doctor names
cause and cure although the agent does not answer. The test types the cure as printed, and everything works again. Meanwhile, a
typed password logs alice in."""

import contextlib
import os
import pathlib
import pwd
import re
import sqlite3
import time

from curing import DOCUMENTS, begun, content, cured, doctor, found, halted, starts, tapped
from greeter import alice
from machine import journal, note, run, unit_pid, wait_until
from scenario import scenario

CONTROLLERS = 2
STATE, VAULT = pathlib.Path("/var/lib/boxagent"), pathlib.Path("/var/lib/boxagent/vault.sqlite3")
CONF = pathlib.Path("/etc/boxagent/conf.d")
START_AGAIN = "systemctl reset-failed boxagentd; systemctl restart boxagentd"


def as_the_guide_says(block, lines=None):
    """Runs the commands of docs/how-to/run-boxes.md, "Back up and restore". Block 0 makes the backup, and block 1 restores it. With
    `lines`, runs only the first ones."""
    section = (DOCUMENTS / "how-to/run-boxes.md").read_text().split("## Back up and restore")[-1].split("\n## ")[0]
    blocks = re.findall(r"(?:^    .*\n)+", section, re.M)
    for line in blocks[block].splitlines()[:lines]:
        run("sh", "-c", line.strip())


def backup():
    """Makes a backup. The agent is stopped afterwards."""
    as_the_guide_says(0, lines=2)


def restore():
    as_the_guide_says(1)


@scenario("The agent and its sockets are stopped: every command says so, and doctor names the unit and the command")
def stopped(context):
    begun(context)
    halted()
    status = context.box.command("status")
    assert status.wait() == 69 and "the agent does not answer" in status.err, status.err
    told = found(context, "agent", "boxagentd is not running")
    cured(context, told, "systemctl start boxagentd")
    tapped(context)


@scenario("The unit is masked: doctor says that nothing starts it")
def masked(context):
    begun(context)
    run("systemctl", "mask", "--now", "boxagentd")
    told = found(context, "agent", "boxagentd.service is masked")
    cured(context, told, "systemctl unmask boxagentd", START_AGAIN)


@scenario("Five files that are refused: doctor names each with its cure, though the agent does not start")
def refused(context):
    begun(context)
    CONF.mkdir(exist_ok=True)
    files = {name: CONF / f"5{number}-{name}.toml" for number, name in enumerate(("key", "toml", "mode", "owner", "twice"))}
    text = "[login]\nhold_seconds = 20\n"
    for path in files.values():
        path.write_text(text)
    files["key"].write_text("[login]\nhold_secons = 20\n")
    files["toml"].write_text("[login\n")
    files["twice"].write_text("[login]\nhold_seconds = 20\nhold_seconds = 21\n")
    files["mode"].chmod(0o600)
    os.chown(files["owner"], pwd.getpwnam("bob").pw_uid, 0)
    # While the agent runs, it keeps its previous settings. Doctor reports what the next start would find.
    found(context, "configuration", "hold_secons")
    run("systemctl", "restart", "boxagentd", check=False)
    agent = found(context, "agent", "boxagentd does not start: its configuration is refused")
    code, findings = doctor(context)
    said = {one["text"].split(":")[0].split(" ")[0]: one for one in findings if one["name"] == "configuration"}
    assert code == 1 and set(said) == {str(path) for path in files.values()}, findings
    for finding in said.values():
        note(f"doctor: {finding['text']} | {finding['cure']}")
    def cure(name):
        return said[str(files[name])]["cure"]
    assert "hold_seconds" in cure("key") + said[str(files["key"])]["text"]
    files["key"].write_text(text)
    assert "fix this line" in cure("toml")
    files["toml"].write_text(text)
    assert "fix this line" in cure("twice") or "once" in cure("twice")
    files["twice"].write_text(text)
    for name, command in (("mode", f"chmod a+r {files['mode']}"), ("owner", f"chown root: {files['owner']}")):
        assert command in cure(name), cure(name)
        run("sh", "-c", command)
    cured(context, agent, START_AGAIN)
    for path in files.values():
        path.unlink()
    tapped(context)


@scenario("A file of the vault belongs to somebody else (69): doctor says whose it must be")
def wrong_owner(context):
    begun(context)
    halted()
    os.chown(VAULT, 0, 0)
    starts()
    told = found(context, "agent", "boxagentd does not start: …vault.sqlite3")
    cured(context, told, re.search(r"chown [^;]*", told)[0], START_AGAIN)
    tapped(context)


@scenario("The state directory itself belongs to somebody else: systemd gives it back when the agent starts")
def wrong_directory(context):
    begun(context)
    halted()
    run("chown", "-R", "root:root", STATE)
    run("systemctl", "start", "boxagentd")
    content(context)


@scenario("Another boxagentd, started by hand, has the vault: doctor says that, and the unit starts when it has ended")
def by_hand(context):
    begun(context)
    halted()
    own = pathlib.Path("/run/by-hand")
    run("install", "-d", "-o", "boxagent", own)
    (own / "boxagent.toml").write_text(
        f'[box]\nruntime_directory = "{own}"\nissue_file = ""\n[radio]\nkind = "loopback"\n[login]\nserve = "own"\n')
    other = context.box.run_program(
        ["setpriv", "--reuid=boxagent", "--regid=boxagent", "--clear-groups", "/usr/sbin/boxagentd", "--config",
         own / "boxagent.toml"], "by-hand")
    other.wait_for("ready")
    starts()
    told = found(context, "agent", "boxagentd does not start: … is in use by another process")
    assert "end it" in told, told
    other.stop()
    cured(context, told, START_AGAIN)


@scenario("The database is damaged: it is kept and named; a backup brings the phones back, and a wipe destroys what was kept")
def damaged(context):
    begun(context)
    backup()
    with open(VAULT, "r+b") as file:
        file.write(b"\xff" * 4096)
    starts()
    told = found(context, "vault", "a damaged database is kept")
    assert context.box.status()["devices_active"] == 0
    # --yes, because a test cannot answer questions.
    assert "'boxagent wipe --all'" in told, told
    run("boxagent", "wipe", "--all", "--yes")
    assert not list(STATE.glob("*damaged*"))
    found(context, "devices", "no phone is enrolled")
    restore()
    content(context)
    tapped(context)


@scenario("An entry of the audit log is changed: doctor names it, the journal has its head, and a backup mends it")
def changed_record(context):
    begun(context)
    backup()
    number = change_audit()
    starts()
    told = found(context, "audit", f"entry {number} does not match the chain")
    assert "the hashes in the journal" in told and "restore the state directory from an earlier backup" in told, told
    assert re.search(rf"audit {number} [0-9a-f]+", journal("-u", "boxagentd")), "the journal has no hash of it"
    restore()
    content(context)


def change_audit():
    with contextlib.closing(sqlite3.connect(VAULT)) as database:
        number = database.execute("SELECT max(number) - 1 FROM audit").fetchone()[0]
        trigger, = database.execute("SELECT sql FROM sqlite_master WHERE name = 'audit_is_append_only_update'").fetchone()
        database.execute("DROP TRIGGER audit_is_append_only_update")
        database.execute("UPDATE audit SET event = ? WHERE number = ?", (b"nothing-happened", number))
        database.execute(trigger)
        database.commit()
    return number


@scenario("The state is of another machine, as in a cloned image: taps do nothing, doctor says why, and setup mends it", limit=120)
def cloned(context):
    begun(context)
    backup()
    mark = STATE / "machine"
    mark.write_text("address 021e06304ea1\nend\n")
    starts()
    told = found(context, "machine", "the keys in … belong to another machine, as in a cloned image")
    assert context.box.command("test-login").wait() == 70
    assert "boxagent setup" in told, told
    run("boxagent", "setup", "--yes", "--replace-box")
    content(context)
    tapped(context)
    mark.write_text("address 021e06304ea1\nend\n")
    run("systemctl", "restart", "boxagentd")
    found(context, "machine", "the keys in … belong to another machine, as in a cloned image")
    run("boxagent", "setup", "--yes", "--new-box")
    found(context, "devices", "no phone is enrolled")
    restore()
    content(context)
    tapped(context)


@scenario("The disk of the vault is full: doctor says so, and the agent goes on by itself when there is room", limit=120)
def full_disk(context):
    begun(context)
    backup()
    with small_disk():
        starts()
        # The file system is in memory, which doctor also reports.
        found(context, "storage", "a restart of this machine loses …")
        filler = STATE / "filler"
        run("dd", "if=/dev/zero", f"of={filler}", "bs=4k", check=False)
        found(context, "disk", "the file system of … is full")
        agent = unit_pid("boxagentd")
        tap = alice(context).command("login")
        wait_until(lambda: context.box.tap_held() or tap.process.poll() is not None, of="the tap")
        context.box.pam("alice").wait()
        tap.wait()
        note("boxphone with a full disk: " + (tap.out + tap.err).strip().splitlines()[-1])
        filler.unlink()
        found(context, "storage", "a restart of this machine loses …")
        tapped(context)
        assert unit_pid("boxagentd") == agent
    starts()
    content(context)


@contextlib.contextmanager
def small_disk():
    """Mounts a small file system on the state directory, with the same files. The agent is stopped before and after."""
    run("mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", STATE)
    try:
        run("tar", "-C", "/", "-xzpf", "/root/boxagent.tgz", "var/lib/boxagent")
        yield
    finally:
        halted()
        run("umount", STATE)


@scenario("The directory of the metrics is missing: doctor says so, and what docs/how-to/monitor.md says makes it")
def no_metrics(context):
    begun(context)
    path = "/run/boxagent-metrics/boxagent.prom"
    run("boxagent", "config", "set", "metrics.file", path)
    run("systemctl", "restart", "boxagentd")
    told = found(context, "metrics", "boxagent-metrics")
    assert "/how-to/monitor.md" in told, told
    steps = pathlib.Path("/usr/share/doc/boxagent/how-to/monitor.md").read_text()
    blocks = re.findall(r"^   ```\n(.*?)^   ```$", steps, re.M | re.S)
    for file, block in zip(("/etc/tmpfiles.d/boxagent-metrics.conf", "/etc/systemd/system/boxagentd.service.d/metrics.conf"),
                           blocks):
        assert f"`{file}`" in steps
        os.makedirs(os.path.dirname(file), exist_ok=True)
        pathlib.Path(file).write_text(re.sub(r"^   ", "", block, flags=re.M))
    cured(context, steps, "systemd-tmpfiles --create boxagent-metrics.conf", "systemctl daemon-reload && systemctl restart boxagentd")
    assert "boxagent_build_info" in pathlib.Path(path).read_text()
    run("boxagent", "config", "unset", "metrics.file")


@scenario("The clock stands at 1970: doctor says so, taps and passwords work, and a clock that is set mends it")
def no_clock(context):
    begun(context)
    # Afterwards, the clock is set from these values.
    now, monotonic = time.time(), time.monotonic()
    run("date", "-s", "@3600")
    try:
        told = found(context, "clock", "the clock shows the year 1970")
        tapped(context)
        assert "date -s" in told, told
    finally:
        run("date", "-s", f"@{now + time.monotonic() - monotonic:.0f}")
    content(context)
