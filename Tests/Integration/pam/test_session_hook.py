"""A session hook: the module keeps the delivered credential, and session-hook passes it to a program of the user."""

import os
import pwd
import re
import shutil
import socket
import subprocess

import cbor2
import pytest

from hook_bench import PATIENCE_SECONDS, TOKEN, USER, HookBench, session_hook
from pam_agent import delivering, refusing
from pam_bench import hashed

SUCCESS, NEW_AUTHTOK_REQD = 0, 12
STARTED = "the session hook was started"
REPORT_INPUT = 'cat >"$report"'
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away or become another user")


def hidden(token):
    return bytes(byte ^ 0x5A for byte in token).hex()


@pytest.fixture
def hook(bench):
    made = HookBench(bench)
    yield made
    made.close()


def test_the_hook_gets_user_and_password_once(hook):
    hook.script(REPORT_INPUT)
    hook.stack()
    result = hook.run("auth", "acct", "setcred", "open", "open", "close", "open", "end")
    assert hook.report() == USER.encode() + b"\n" + TOKEN + b"\n"
    assert result.log.count(STARTED) == 1
    assert result.code("open") == SUCCESS


@pytest.mark.parametrize("token", [b"x", b"\xff\xfe\x80", b"  spaces \t", b"$(id) 'a' \"b\" \\n", b"a" * 511])
def test_passwords_arrive_byte_by_byte(hook, token):
    hook.script(REPORT_INPUT)
    hook.stack()
    hook.login(token=token)
    assert hook.report() == USER.encode() + b"\n" + token + b"\n"


def test_a_password_with_a_line_feed_is_not_cut_in_two(hook):
    hook.script(REPORT_INPUT)
    hook.stack()
    assert hook.login(token=b"first\nsecond").code("open") == SUCCESS
    hook.journal.wait_for("was not run")
    assert "line feed" in hook.journal.wait_for("was not run")


def test_it_runs_as_the_user_with_nothing_of_roots(hook):
    hook.script('{ cat /proc/self/status; echo Session: $(cut -d" " -f6,7 /proc/$$/stat) $$; '
                'ls -m /proc/$$/fd; pwd; umask; ulimit -c; } >"$report"')
    hook.stack()
    hook.login()
    report = hook.report().decode()
    entry = pwd.getpwnam(USER)
    assert "Uid:" + ("\t%d" % entry.pw_uid) * 4 in report
    assert "Gid:" + ("\t%d" % entry.pw_gid) * 4 in report
    groups = re.search(r"^Groups:\t(.*)$", report, re.MULTILINE).group(1).split()
    assert set(map(int, groups)) == set(os.getgrouplist(USER, entry.pw_gid))
    for name in ("CapPrm", "CapEff", "CapAmb"):
        assert "%s:\t%016x" % (name, 0) in report
    session, terminal, process = re.search(r"^Session: (\d+) (-?\d+) (\d+)$", report, re.MULTILINE).groups()
    assert session == process and terminal == "0", "a session of its own without a terminal"
    descriptors, directory, umask, core = report.splitlines()[-4:]
    # dash itself uses 10 and above, for the script and saved descriptors.
    assert {int(number) for number in descriptors.split(",")} - {0, 1, 2} <= {10, 11, 12}
    assert directory == (entry.pw_dir if os.path.isdir(entry.pw_dir) else "/")
    assert (umask, core) == ("0077", "0")


def test_the_environment_is_the_sessions_and_nobody_elses(hook):
    hook.script('env >"$report"')
    hook.stack()
    hook.run("tty=tty7", "auth", "acct", "putenv=XDG_SESSION_ID=c42", "putenv=XDG_RUNTIME_DIR=/run/user/7",
             "putenv=LD_PRELOAD=/tmp/evil.so", "putenv=PATH=/tmp", "putenv=HOME=/tmp", "putenv=BASH_ENV=/tmp/x",
             "putenv=LC_ALL=C.UTF-8", "putenv=XDG_x=1", "open", "end", env={"SECRET": "of the program's"})
    entry = pwd.getpwnam(USER)
    lines = dict(line.split("=", 1) for line in hook.report().decode().splitlines())
    lines.pop("PWD", None)
    lines.pop("OLDPWD", None)
    assert lines == {
        "XDG_SESSION_ID": "c42", "XDG_RUNTIME_DIR": "/run/user/7", "LC_ALL": "C.UTF-8", "PAM_SERVICE": "login",
        "PAM_TTY": "tty7", "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": entry.pw_dir, "SHELL": entry.pw_shell,
        "USER": USER, "LOGNAME": USER}


def test_session_hook_is_started_with_nothing_that_a_user_could_have_set(hook):
    """pam_env lets users write into the PAM environment, which the dynamic loader obeys. A root program must not get it."""
    hook.stack(helper=hook.bench.directory / "spy")
    spy = hook.bench.directory / "spy"
    spy.write_text('#!/bin/sh\n{ tr "\\0" " " </proc/$$/cmdline; tr "\\0" "\\n" </proc/$$/environ; ls /proc/$$/fd; } >%s\n'
                   % hook.report_path)
    spy.chmod(0o755)
    hook.script("")
    hook.run("auth", "acct", "putenv=LD_PRELOAD=/tmp/evil.so", "putenv=LC_ALL=C", "open", "end")
    report = hook.report()
    command, descriptors = report.decode().rsplit(" ", 1)
    assert command.split() == ["/bin/sh", str(spy)]
    assert b"LD_PRELOAD" not in report and TOKEN not in report and b"=" not in report
    assert {int(number) for number in descriptors.split()} - {0, 1} <= {10, 11, 12}


def test_no_argument_and_no_environment_of_any_process_has_the_password(hook):
    """The hook itself searches its own process and its parent's while the password is still in the pipe."""
    hook.script('read -r user; for process in $$ $PPID; do tr "\\0" "\\n" <"/proc/$process/cmdline"; '
                'cat "/proc/$process/environ" 2>&1; done >"$report"; cat >/dev/null')
    hook.stack()
    hook.login()
    report = hook.report()
    assert b"session-hook" in report and TOKEN not in report


@as_root
def test_the_user_cannot_look_into_session_hook(hook):
    hook.script('cat "/proc/$PPID/maps" "/proc/$PPID/environ" 2>&1 >/dev/null | cat >"$report"')
    hook.stack()
    hook.login()
    assert hook.report().count(b"Permission denied") == 2


def test_a_typed_password_is_never_kept(hook):
    hook.script(REPORT_INPUT)
    hook.stack(password=["auth required pam_pwdfile.so nodelay pwdfile=" + str(password_file(hook, b"typed"))])
    result = hook.run("type=typed", "auth", "scan=" + hidden(b"typed!"), "acct", "open", "close", "end",
                      script=refusing())
    assert result.code("auth") == SUCCESS
    assert "no hook: no line with `keep` took a tap in this login" in result.log
    assert STARTED not in result.log


def password_file(hook, password):
    path = hook.bench.directory / "passwords"
    path.write_text("%s:%s\n" % (USER, hashed(password)))
    return path


def test_a_delivered_password_that_was_refused_is_not_the_hooks(hook):
    """The tap's password is wrong, and the user types the right one. The hook gets neither."""
    hook.script(REPORT_INPUT)
    hook.stack(password=[hook.bench.observe() + " typed", "auth required pam_permit.so"])
    result = hook.run("auth", "acct", "open", "scan=" + hidden(TOKEN), "close", "end")
    assert hook.bench.observed == [(USER.encode(), TOKEN)]
    assert result.code("auth") == SUCCESS
    assert STARTED not in result.log and result.of("found") == ["0"]


def test_without_a_verdict_line_there_is_no_hook(hook):
    hook.script(REPORT_INPUT)
    hook.stack(verdict=False)
    result = hook.login()
    assert any("add the line `verdict`" in line for line in result.log)
    assert STARTED not in result.log


def test_without_keep_nothing_is_kept(hook):
    hook.script(REPORT_INPUT)
    hook.stack(keep="")
    result = hook.run("auth", "scan=" + hidden(TOKEN), "acct", "open", "end")
    assert result.of("found") == ["0"]
    assert STARTED not in result.log


def test_a_session_of_another_user_gets_nothing(hook):
    hook.script(REPORT_INPUT)
    hook.stack()
    result = hook.run("auth", "acct", "user=daemon", "open", "end")
    assert any("session and credential have different users" in line for line in result.log)
    assert STARTED not in result.log


def test_a_password_that_was_changed_at_login_is_not_handed_on(hook):
    hook.script(REPORT_INPUT)
    hook.stack(account="account required pam_debug.so acct=new_authtok_reqd")
    result = hook.run("auth", "acct", "expired", "scan=" + hidden(TOKEN), "open", "end")
    assert result.code("acct") == NEW_AUTHTOK_REQD
    assert result.of("found") == ["0"]
    assert STARTED not in result.log


@pytest.mark.parametrize("steps, found", [
    pytest.param(["auth", "SCAN", "acct", "open", "SCAN"], ["1", "0"], id="after the hook"),
    pytest.param(["auth", "acct", "SCAN", "close", "SCAN"], ["1", "0"], id="at close"),
    pytest.param(["auth", "SCAN", "end", "SCAN"], ["1", "0"], id="at the end"),
    pytest.param(["auth", "child:SCAN", "open"], ["0"], id="not in a child"),
    pytest.param(["auth", "child:end", "SCAN", "child:end", "end", "SCAN"], ["1", "0"], id="a child frees only"),
    pytest.param(["auth", "child:open", "child:close", "SCAN", "end", "SCAN"], ["1", "0"], id="a child runs no hook"),
])
def test_the_kept_password_is_wiped(hook, steps, found):
    hook.script(REPORT_INPUT)
    hook.stack()
    result = hook.run(*[step.replace("SCAN", "scan=" + hidden(TOKEN)) for step in steps])
    assert result.of("found") == found
    assert set(result.of("unmapped")) == {"0"}, "buffers were wiped before they were given back"
    assert all(status == "0" for status in result.of("child")), "no child crashed"


def test_a_second_try_wipes_the_first(hook):
    answers = [TOKEN]

    def script(connection):
        connection.receive()
        connection.send(cbor2.dumps([2, USER.encode(), answers.pop()] if answers else [3, 0], canonical=True))
        connection.listen_to_the_end()

    hook.script(REPORT_INPUT)
    hook.stack(password=["auth requisite pam_deny.so"])
    scan = "scan=" + hidden(TOKEN)
    result = hook.run("auth", scan, "auth", scan, "end", script=script)
    assert result.of("found") == ["1", "0"]


def test_a_login_that_failed_starts_no_hook(hook):
    hook.script(REPORT_INPUT)
    hook.stack(password=["auth requisite pam_deny.so"])
    result = hook.run("auth", "open", "end")
    assert STARTED not in result.log


def test_the_kept_password_is_locked_and_in_no_dump_and_no_child(hook):
    gate = hook.bench.directory / "gate"
    os.mkfifo(gate)
    hook.script(REPORT_INPUT)
    hook.stack()
    hook.bench.agent(delivering(TOKEN, user=USER.encode()))
    client = subprocess.Popen(hook.bench.command("auth", "gate=%s" % gate, "end", user=USER), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE)
    with open(gate, "wb"):  # the client has authenticated and waits
        with open("/proc/%d/smaps" % client.pid, encoding="utf-8") as file:
            flags = [set(line.split()[1:]) for line in file.read().splitlines() if line.startswith("VmFlags:")]
    client.communicate(timeout=PATIENCE_SECONDS)
    assert [mapping for mapping in flags if {"lo", "dd", "dc"} <= mapping]


def test_the_program_has_no_child_that_is_not_its_own(hook):
    """login(1), sshd and others wait for children, and would mistake ours for theirs."""
    hook.script(REPORT_INPUT)
    hook.stack()
    result = hook.run("watch-children", "descriptors", "auth", "acct", "open", "children", "close", "end", "children",
                      "descriptors")
    hook.report()
    assert result.of("children") == ["0", "0"]
    assert len(set(result.of("descriptors"))) == 1


@pytest.mark.parametrize("script", ["exec cat >/dev/null 2>&1", "exit 3", "kill -9 $$", "sleep 1000"])
def test_no_hook_holds_a_login_up_or_fails_it(hook, script):
    hook.script(script)
    hook.stack(more="hook_seconds=1")
    result = hook.login()
    for step in ("auth", "acct", "setcred", "open", "close"):
        assert result.code(step) == SUCCESS
    assert result.is_within("open", 200)
    if script != "exec cat >/dev/null 2>&1":
        hook.journal.wait_for({"exit 3": "ended with status 3", "kill -9 $$": "ended by signal 9",
                               "sleep 1000": "did not end within 1 seconds"}[script])


@pytest.mark.parametrize("signals", ["", "trap '' TERM; "])
def test_a_hook_that_hangs_is_ended_with_its_children(hook, signals):
    hook.script(signals + 'exec >"$report"; echo here; sleep 1000 & wait; wait; sleep 1000')
    hook.stack(more="hook_seconds=1")
    hook.login()
    assert hook.report() == b"here\n", "nobody has the report open any more"
    hook.journal.wait_for("did not end within 1 seconds")


def test_what_it_says_goes_to_the_journal_as_the_user(hook):
    hook.script('echo said; echo "<3>complained" >&2')
    hook.stack()
    hook.login()
    hook.journal.wait_for("said")
    hook.journal.wait_for("complained")
    streams = {lines[0]: (user, header) for user, header, lines in hook.journal.streams if lines}
    number = pwd.getpwnam(USER).pw_uid
    assert streams["said"] == (number, ["session-hook", "", "6", "1", "0", "0", "0"])
    assert streams["<3>complained"] == (number, ["session-hook", "", "4", "1", "0", "0", "0"])


def test_without_a_journal_it_goes_to_syslog(hook):
    hook.journal_path.unlink()
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.settimeout(PATIENCE_SECONDS)
    log.bind(str(hook.syslog_path))
    os.chmod(hook.syslog_path, 0o666)
    hook.script('echo said; printf "%01500d" 0; exit 4')
    hook.stack()
    hook.login()
    messages = [log.recv(4096).decode() for _ in range(4)]
    log.close()
    shape = re.compile(r"<(\d+)>session-hook\[\d+\]: (.*)$")
    found = sorted(shape.match(message).groups() for message in messages)
    assert sorted(len(text) for _, text in found if set(text) == {"0"}) == [476, 1024]
    assert ("14", "said") in found
    assert any(priority == "12" and "ended with status 4" in text for priority, text in found)


def test_no_log_has_the_password(hook):
    hook.script("cat >/dev/null; exit 9")
    hook.stack(keep="keep debug")
    result = hook.login()
    hook.journal.wait_for("ended with status 9")
    assert TOKEN.decode() not in result.output and TOKEN.decode() not in "\n".join(hook.journal.lines)


def others_file(hook):
    os.chown(hook.program, pwd.getpwnam("daemon").pw_uid, 0)


def others_directory(hook):
    os.chown(hook.directory, pwd.getpwnam("daemon").pw_uid, 0)


def linked(hook):
    moved = hook.directory / "moved"
    hook.program.rename(moved)
    hook.program.symlink_to(moved)


@pytest.mark.parametrize("spoil, reason", [
    pytest.param(others_file, "must belong to root", marks=as_root),
    pytest.param(others_directory, "must belong to root", marks=as_root),
    pytest.param(lambda hook: hook.program.chmod(0o775), "is writable by others"),
    pytest.param(lambda hook: hook.program.chmod(0o757), "is writable by others"),
    pytest.param(lambda hook: hook.directory.chmod(0o777), "is writable by others"),
    pytest.param(lambda hook: hook.directory.chmod(0o1777), "is writable by others"),
    pytest.param(lambda hook: hook.program.chmod(0o644), "is not an executable file"),
    pytest.param(lambda hook: hook.program.unlink(), "does not exist"),
    pytest.param(linked, "is not an executable file"),
], ids=["owner", "directory's owner", "group", "others", "directory", "sticky directory", "not executable", "absent", "link"])
def test_a_program_that_others_could_change_is_refused(hook, spoil, reason):
    hook.script(REPORT_INPUT)
    spoil(hook)
    hook.stack()
    assert hook.login().code("open") == SUCCESS
    line = hook.journal.wait_for("was not run")
    assert reason in line and str(hook.directory) in line


@as_root
def test_it_is_not_run_for_root(hook):
    hook.script(REPORT_INPUT)
    hook.stack()
    hook.login(user="root")
    assert "it is not run for root" in hook.journal.wait_for("was not run")


def test_a_user_without_an_account_gets_none(hook):
    hook.script(REPORT_INPUT)
    hook.stack()
    hook.login(user="no-such-user")
    assert "does not know the user" in hook.journal.wait_for("was not run")


@pytest.mark.parametrize("helper", ["/nowhere/session-hook", "/etc/passwd"])
def test_without_session_hook_the_login_goes_on(hook, helper):
    hook.script(REPORT_INPUT)
    hook.stack(helper=helper)
    result = hook.login()
    assert result.code("open") == SUCCESS
    assert any("session-hook is not at the path of helper=" in line for line in result.log)


def test_outside_the_sessions_scope_it_says_so(hook):
    hook.script(REPORT_INPUT)
    hook.stack()
    hook.run("auth", "acct", "putenv=XDG_SESSION_ID=c999", "open", "end")
    hook.report()
    assert "after pam_systemd.so" in hook.journal.wait_for("outside the session's scope")


def test_the_session_is_the_one_that_the_kernel_names(hook):
    """Users can write any XDG_SESSION_ID into the PAM environment."""
    group = "0::/user.slice/user-%d.slice/session-c42.scope\n" % pwd.getpwnam(USER).pw_uid
    for process, text in ("self", group), ("1", "0::/init.scope\n"):
        directory = hook.directory / "proc" / process
        directory.mkdir(parents=True)
        (directory / "cgroup").write_text(text)
    hook.helper.write_text(hook.helper.read_text().rstrip("\n") + ' --proc "%s"\n' % (hook.directory / "proc"))
    hook.script('env >"$report"')
    hook.stack()
    hook.run("auth", "acct", "putenv=XDG_SESSION_ID=c1", "putenv=XDG_SEAT=seat0", "open", "end")
    lines = hook.report().decode().splitlines()
    assert [line for line in lines if line.startswith("XDG_")] == ["XDG_SEAT=seat0", "XDG_SESSION_ID=c42"]
    assert not any("outside" in line for line in hook.journal.lines)


@pytest.mark.parametrize("order", [
    b"", b"\xff" * 50, b"a" * 5000, cbor2.dumps([1]),
    cbor2.dumps([2, b"/bin/true", b"nobody", 5, [], b"x"], canonical=True),
    cbor2.dumps([2, b"relative", b"nobody", 5], canonical=True),
    cbor2.dumps([2, b"/bin/true", b"nobody", 0], canonical=True),
    cbor2.dumps([2, b"/bin/true", b"", 5], canonical=True),
    cbor2.dumps([2, b"/bin/true", b"nobody", 5, b"x"], canonical=True),
    cbor2.dumps([1, b"relative", b"nobody", 5, [], b"x"], canonical=True),
    cbor2.dumps([1, b"/bin/true", b"nobody", 0, [], b"x"], canonical=True),
    cbor2.dumps([1, b"/bin/true", b"nobody", 3601, [], b"x"], canonical=True),
    cbor2.dumps([1, b"/bin/true", b"nobody", 5, [], b""], canonical=True),
    cbor2.dumps([1, b"/bin/true", b"nobody", 5, [b"A=\0B"], b"x"], canonical=True),
    cbor2.dumps([1, b"/bin/true", b"nobody", 5, [], b"x"], canonical=True) + b"\0",
])
def test_what_is_no_order_runs_nothing(hook, order):
    done = subprocess.run([hook.helper], input=order, timeout=PATIENCE_SECONDS, capture_output=True)
    assert done.returncode == 1
    hook.journal.wait_for("standard input has no message from pam_boxagent.so")


def test_three_hundred_logins_leave_memory_and_descriptors_flat(hook):
    hook.script("exit 0")
    hook.stack()
    result = hook.run("cycles=100", "resident", "descriptors", "cycles=300", "resident", "descriptors", timeout=60)
    before, after = (int(kib) for kib in result.of("resident"))
    assert 0 < after <= before + 96
    assert len(set(result.of("descriptors"))) == 1


def test_memcheck_finds_nothing_with_a_hook(hook):
    valgrind = shutil.which("valgrind")
    assert valgrind, "valgrind is not installed: apt-get install valgrind"
    prefix = [valgrind, "--quiet", "--error-exitcode=99", "--leak-check=full", "--trace-children=no",
              "--errors-for-leak-kinds=definite,indirect,possible", "--show-leak-kinds=definite,indirect,possible"]
    hook.script(REPORT_INPUT)
    hook.stack()
    result = hook.run("auth", "child:end", "acct", "putenv=XDG_SEAT=seat0", "open", "close", "end", "start", "auth", "auth",
                      "end", prefix=prefix, timeout=120)
    assert result.code("open") == SUCCESS
    assert hook.report() == USER.encode() + b"\n" + TOKEN + b"\n"


def test_session_hook_is_small_and_needs_libc_only():
    path = session_hook()
    assert path.stat().st_size <= 65_536
    output = subprocess.run(["readelf", "-Wd", path], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"\(NEEDED\).*\[(.*)\]", output) == ["libc.so.6"]
    assert "BIND_NOW" in output and "RPATH" not in output and "RUNPATH" not in output
