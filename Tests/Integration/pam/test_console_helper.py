"""The profile that locks text consoles: which program its line starts when a session opens, in which environment, and for whom."""

import ctypes
import os
import pwd
import re
import signal
import time

import pytest

from hook_bench import PATIENCE_SECONDS, USER, HookBench
from pam_agent import refusing
from pam_bench import ROOT

SUCCESS = 0
# rt_sigaction(2) on x86-64
SYS_RT_SIGACTION = 13
HOSTILE = {
    "LD_PRELOAD": "/tmp/evil.so", "LD_LIBRARY_PATH": "/tmp", "LD_AUDIT": "/tmp/evil.so", "GLIBC_TUNABLES": "x=y",
    "PATH": "/tmp", "HOME": "/tmp", "SHELL": "/tmp/sh", "ENV": "/tmp/x", "BASH_ENV": "/tmp/x", "IFS": "/",
    "PAM_USER": "root", "PAM_TTY": "tty1", "PAM_TYPE": "open_session", "XDG_SESSION_ID": "1", "XDG_RUNTIME_DIR": "/tmp",
    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/tmp/bus", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/tmp/bus",
    "SWIFT_BACKTRACE": "enable=yes,swift-backtrace=/tmp/evil", "SWIFT_DEBUG_ENABLE_MALLOC_SCRIBBLE": "1",
    "LC_ALL": "/tmp/x", "LANGUAGE": "/tmp/x", "TZ": "/tmp/x", "MALLOC_PERTURB_": "1"}
PUT = ["putenv=%s=%s" % one for one in HOSTILE.items()]
# Records what /proc says about the spy itself, before a shell has changed anything. The spy reads its signals without a child,
# because a shell that waits for a child blocks signals.
SPY = """#!/bin/sh
report=%s/$$
{ tr '\\0' '\\n' </proc/$$/environ; echo -; tr '\\0' '\\n' </proc/$$/cmdline; echo -
  while IFS= read -r line; do echo "$line"; done </proc/$$/status
  echo Directory: $(readlink /proc/$$/cwd); printf Descriptors:; ls -m /proc/$$/fd
  echo Session: $(cut -d" " -f6 /proc/$$/stat) $(cut -d" " -f7 /proc/$$/stat); } >"$report.new"
mv "$report.new" "$report.done"
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root's programs can become another user")


class Report:
    """The spy's record of one run."""

    def __init__(self, path):
        self.process = int(path.name.split(".")[0])
        environment, command, rest = re.split(r"^-\n", path.read_text(), maxsplit=2, flags=re.M)
        self.environment, self.command = environment.splitlines(), command.splitlines()
        self.values = dict(re.findall(r"^(\w+):[ \t]*(.*)$", rest, re.M))


class Spy:
    """Replaces a program that our code would start."""

    def __init__(self, directory, name):
        self.reports = directory / (name + "-reports")
        self.reports.mkdir()
        self.reports.chmod(0o777)
        self.path = directory / name
        self.path.write_text(SPY % self.reports)
        self.path.chmod(0o755)

    def seen(self):
        return [Report(path) for path in sorted(self.reports.glob("*.done"))]

    def wait(self):
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.seen():
            assert time.monotonic() < end, "nothing was started"
            time.sleep(0.01)
        return self.seen()[0]


def profile_lines():
    text = (ROOT / "packaging" / "pam-configs" / "boxagent-session").read_text()
    return ["session " + line.strip() for line in text.split("\nSession:\n")[1].splitlines() if line.strip()]


def use_profile(bench, program, helper, console=None):
    """Installs the profile's own lines with other programs to start, then pam_env, as in Debian's sshd."""
    variables = bench.directory / "environment"
    variables.write_text("".join("%s=%s\n" % one for one in HOSTILE.items()))
    lines = []
    for line in profile_lines():
        line = re.sub(r"/usr/\S+/boxagent-session", str(program), line)
        ours = "%s socket=%s debug helper=%s" % (bench.module, bench.socket, helper)
        line = re.sub(r"pam_boxagent\.so", ours, line)
        lines.append(re.sub(r"\bconsole$", "console=%s" % (console or program), line))
    bench.service("login", [
        "auth required pam_permit.so", "account required pam_permit.so", *lines,
        "session required pam_env.so conffile=/dev/null readenv=1 envfile=%s" % variables, "session required pam_permit.so"])


@pytest.fixture
def hook(bench):
    made = HookBench(bench)
    yield made
    made.close()


def hostile_process():
    """Sets signals and the umask as a hostile parent could leave them."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    # glibc reserves these two signals for its threads. Only a direct system call can ignore them.
    libc, ignored = ctypes.CDLL(None), (ctypes.c_ulong * 4)(signal.SIG_IGN)
    for number in (32, 33):
        assert libc.syscall(SYS_RT_SIGACTION, number, ignored, None, ctypes.c_size_t(8)) == 0
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGUSR1])
    os.umask(0)


@pytest.mark.parametrize("steps", [
    pytest.param(["tty=tty2", *PUT, "open", "close"], id="variables of a greeter"),
    pytest.param(["tty=tty2", "open", "close"], id="variables of the user's file"),
])
def test_nothing_that_is_started_at_open_or_close_has_the_pam_environment(hook, steps):
    """Debian's sshd reads ~/.pam_environment after common-session, so LD_PRELOAD is set when the session closes. greetd adds the
    greeter's variables before the session opens."""
    bench = hook.bench
    spy = Spy(hook.directory, "spy")
    use_profile(bench, program=spy.path, helper=spy.path)
    bench.agent(refusing())
    result = bench.run("auth", *steps, "end", user=USER, env={"SECRET": "of the program's"})
    spy.wait()
    for report in spy.seen():
        assert report.environment == [], "of %s" % report.command
    assert len(spy.seen()) == 1, "nothing is to be started when a session closes"
    assert result.code("open") == result.code("close") == SUCCESS


class Console:
    """The profile's line, a user's session that the kernel reports, and a spy in place of boxagent-session."""

    def __init__(self, hook):
        self.hook, self.bench = hook, hook.bench
        self.proc = hook.directory / "proc"
        for name in ("self", "1"):
            (self.proc / name).mkdir(parents=True)
        self.counted_to("/user.slice/user-%d.slice/session-c42.scope" % pwd.getpwnam(USER).pw_uid)
        (self.proc / "1" / "cgroup").write_text("0::/init.scope\n")
        self.helper = hook.directory / "helper"
        self.helper.write_text(hook.helper.read_text().rstrip("\n") + ' --proc "%s"\n' % self.proc)
        self.helper.chmod(0o755)
        self.spy = Spy(hook.directory, "spy")
        use_profile(self.bench, program=self.spy.path, helper=self.helper)

    def counted_to(self, group):
        (self.proc / "self" / "cgroup").write_text("0::%s\n" % group)

    def run(self, *steps, user=USER, **settings):
        self.bench.agent(refusing())
        result = self.bench.run("auth", "tty=tty2", *steps, "open", "close", "end", user=user, **settings)
        self.bench.finish()
        assert result.code("open") == result.code("close") == SUCCESS
        return result

    def refused(self, *steps, user=USER):
        """Returns the log line with the reason why the helper was not run."""
        self.run(*steps, user=user)
        line = self.hook.journal.wait_for("was not run")
        assert not self.spy.seen()
        return line


@pytest.fixture
def console(hook):
    return Console(hook)


def test_the_helper_runs_as_the_user_in_the_session_that_the_kernel_names(console):
    console.run(*PUT)
    report, entry = console.spy.wait(), pwd.getpwnam(USER)
    assert report.command[:5] == ["/bin/sh", str(console.spy.path), "--session", "c42", "--console"]
    assert len(report.command) == 6 and int(report.command[5]) > 1
    assert sorted(report.environment) == sorted([
        "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + entry.pw_dir, "SHELL=" + entry.pw_shell, "USER=" + USER,
        "LOGNAME=" + USER])
    assert report.values["Uid"].split() == [str(entry.pw_uid)] * 4
    assert report.values["Gid"].split() == [str(entry.pw_gid)] * 4
    assert set(map(int, report.values["Groups"].split())) == set(os.getgrouplist(USER, entry.pw_gid))
    for name in ("CapPrm", "CapEff", "CapAmb"):
        assert int(report.values[name], 16) == 0


def test_whatever_the_program_had_inherited_ends_before_the_helper(console, tmp_path):
    """The helper must not inherit directory, descriptors, signals, umask or arguments."""
    secret = os.open("/etc/passwd", os.O_RDONLY)
    os.set_inheritable(secret, True)
    console.run(*PUT, cwd=tmp_path, pass_fds=[secret], preexec_fn=hostile_process)
    os.close(secret)
    values = console.spy.wait().values
    assert values["Directory"] == "/"
    # dash itself uses 10 and above.
    assert {int(number) for number in values["Descriptors"].split(",")} <= {0, 1, 2, 10, 11, 12}
    assert int(values["SigIgn"], 16) == int(values["SigBlk"], 16) == 0
    assert values["Umask"] == "0077"
    session, terminal = values["Session"].split()
    assert session == str(console.spy.seen()[0].process) and terminal == "0", "a session of its own without a terminal"


@as_root
@pytest.mark.parametrize("steps", [PUT, ["real-user=65534", *PUT]], ids=["login's", "su's"])
def test_session_hook_itself_sees_nothing_and_belongs_to_root(hook, tmp_path, steps):
    """The real user of a program such as su(1) may signal its child, unless all IDs of the child are root's."""
    spy = Spy(hook.directory, "spy")
    use_profile(hook.bench, program=spy.path, helper=spy.path)
    hook.bench.agent(refusing())
    hook.bench.run("auth", "tty=tty2", *steps, "open", "close", "end", user=USER, cwd=tmp_path,
                   preexec_fn=hostile_process, env={"LD_BIND_NOW": "1"})
    report = spy.wait()
    assert report.environment == [] and report.command == ["/bin/sh", str(spy.path)]
    assert report.values["Uid"].split() == ["0"] * 4 and report.values["Gid"].split() == ["0"] * 4
    assert report.values["Directory"] == "/"
    session, terminal = report.values["Session"].split()
    assert session == str(report.process) and terminal == "0"
    assert {int(number) for number in report.values["Descriptors"].split(",")} - {0} <= {1, 2, 10, 11, 12}


@as_root
def test_a_login_inside_another_users_session_starts_no_helper_there(console):
    """su(1) on alice's console: PAM sees a session of bob, and the kernel and logind see alice's."""
    console.counted_to("/user.slice/user-%d.slice/session-c42.scope" % pwd.getpwnam("daemon").pw_uid)
    assert "another user has the session" in console.refused("putenv=XDG_SESSION_ID=c42")


@pytest.mark.parametrize("group", [
    "/", "/system.slice/ssh.service", "/user.slice/user-{0}.slice/user@{0}.service/session-c42.scope",
    "/user.slice/user-{0}.slice/user@{0}.service/user.slice/user-{0}.slice/session-c42.scope",
    "/user.slice/user-{0}.slice/session-c42.scope/x", "/user.slice/user-{0}.slice/session---x.scope"])
def test_a_session_that_only_the_environment_names_is_none(console, group):
    console.counted_to(group.format(pwd.getpwnam(USER).pw_uid))
    assert "not in a session of logind" in console.refused("putenv=XDG_SESSION_ID=c42")


@as_root
def test_roots_consoles_and_other_terminals_have_no_helper(console):
    console.counted_to("/user.slice/user-0.slice/session-c42.scope")
    result = console.run(user="root")
    assert any("the session's helper was started" in line for line in result.log), "session-hook decides"
    for terminal in ("ssh", "pts/3", "ttyS0", ":0", "/dev/../tmp/tty1"):
        result = console.run("tty=" + terminal)
        assert any("not a session on a text console" in line for line in result.log), terminal
    assert not console.spy.seen() and not console.hook.journal.lines


def test_a_helper_that_others_could_change_is_not_run(console):
    console.spy.path.chmod(0o777)
    assert "is writable by others" in console.refused()


def test_a_user_without_an_account_gets_no_helper(console):
    assert "does not know the user" in console.refused(user="no-such-user")


def test_a_login_goes_on_at_once_and_has_no_child_that_is_not_its_own(console):
    console.spy.path.write_text("#!/bin/sh\nexec sleep 5\n")
    result = console.run("watch-children", "descriptors", "children", "descriptors")
    assert result.is_within("open", 1_000) and result.of("children") == ["0"]
    assert len(set(result.of("descriptors"))) == 1


def test_without_session_hook_the_login_goes_on_and_the_log_says_what_is_missing(console):
    use_profile(console.bench, program=console.spy.path, helper="/nowhere/session-hook")
    result = console.run()
    assert any("this console will not be locked" in line and "session-hook" in line for line in result.log)


def test_the_line_tells_the_agent_nothing(console):
    """Another line of the module reports to the agent, once."""
    console.bench.agent(refusing())
    agent = console.bench.agents[-1]
    console.bench.run("tty=tty2", "open", "close", "end", user=USER)
    console.bench.finish()
    assert agent.heard == []
