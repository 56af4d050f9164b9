"""The profiles of packaging/pam-configs, applied by Debian's own pam-auth-update in a directory of the test. Real libpam runs the
resulting stack. In this stack, pam_pwdfile replaces pam_unix, which would read the machine's own passwords."""

import pathlib
import re
import shutil
import subprocess

import pytest

from pam_agent import delivering, refusing
from pam_bench import ROOT, hashed

SUCCESS, AUTH_ERR, PERM_DENIED = 0, 7, 6
TOKEN = b"correct horse"
TYPES = ["auth", "account", "password", "session", "session-noninteractive"]
DEBCONF = """\
Config: configdb
Templates: templatedb
Frontend: noninteractive

Name: configdb
Driver: File
Filename: {0}/config.dat

Name: templatedb
Driver: File
Filename: {0}/templates.dat
"""
# Two more primary profiles as Debian's packages ship them (libpam-krb5, libpam-sss).
KERBEROS = """\
Name: Kerberos authentication
Default: yes
Priority: 704
Auth-Type: Primary
Auth:
\t[success=end default=ignore]\tpam_krb5.so minimum_uid=1000 try_first_pass
Auth-Initial:
\t[success=end default=ignore]\tpam_krb5.so minimum_uid=1000
"""
SSSD = """\
Name: SSS authentication
Default: yes
Priority: 128
Auth-Type: Primary
Auth:
\t[success=end default=ignore]\tpam_sss.so use_first_pass
Auth-Initial:
\t[success=end default=ignore]\tpam_sss.so forward_pass
"""
# The profile of version 0.1.0. Its line passed users' variables to root's programs, so it was replaced.
PROFILE_BEFORE = """\
Name: Lock text consoles from the phone (boxagent)
Default: yes
Priority: -1025
Session-Type: Additional
Session-Interactive-Only: yes
Session:
\t[default=ignore]\tpam_exec.so quiet /usr/libexec/boxagent/boxagent-session --open-session
"""


class Root:
    """The directory tree that pam-auth-update works on."""

    def __init__(self, directory):
        self.directory, self.services = directory, directory / "etc" / "pam.d"
        for path in "etc/pam.d", "usr/share/pam-configs", "var/lib/pam":
            (directory / path).mkdir(parents=True)
        for kind in TYPES:
            shutil.copy("/usr/share/pam/common-" + kind, self.services)
        self.add("unix", pathlib.Path("/usr/share/pam-configs/unix").read_text())
        (directory / "debconf.conf").write_text(DEBCONF.format(directory))

    def add(self, name, text):
        (self.directory / "usr/share/pam-configs" / name).write_text(text)

    def add_ours(self):
        for profile in (ROOT / "packaging" / "pam-configs").iterdir():
            self.add(profile.name, profile.read_text())

    def update(self, *arguments):
        done = subprocess.run(
            ["pam-auth-update", "--root", self.directory, "--package", *arguments], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
                 "DEBCONF_SYSTEMRC": str(self.directory / "debconf.conf")})
        assert done.returncode == 0, done.stderr

    def lines(self, kind):
        text = (self.services / ("common-" + kind)).read_text()
        return [" ".join(line.split()) for line in text.splitlines() if line and not line.startswith("#")]


@pytest.fixture
def root(tmp_path):
    made = Root(tmp_path / "root")
    made.add_ours()
    made.update("--force")
    return made


def test_the_profiles_go_around_pam_unix(root):
    """pam_unix is no longer the first module, so pam-auth-update uses its line with try_first_pass."""
    assert root.lines("auth") == [
        "auth [default=ignore] pam_boxagent.so",
        "auth [success=2 default=ignore] pam_unix.so nullok try_first_pass",
        "auth [default=ignore] pam_boxagent.so refused",
        "auth requisite pam_deny.so",
        "auth required pam_permit.so",
        "auth [default=ignore] pam_boxagent.so verdict",
    ]
    assert root.lines("account")[0] == "account [default=ignore] pam_boxagent.so"
    assert root.lines("password")[-1] == "password [default=ignore] pam_boxagent.so"
    assert root.lines("session")[-2:] == [
        "session [default=ignore] pam_boxagent.so",
        "session [default=ignore] pam_boxagent.so console",
    ]
    assert not any("boxagent" in line for line in root.lines("session-noninteractive")), "cron has no phone"


def test_the_profiles_come_before_and_behind_every_other(root):
    root.add("krb5", KERBEROS)
    root.add("sss", SSSD)
    root.add("systemd", pathlib.Path("/usr/share/pam-configs/systemd").read_text()
             if pathlib.Path("/usr/share/pam-configs/systemd").exists() else
             "Name: systemd\nDefault: yes\nPriority: 0\nSession-Interactive-Only: yes\nSession-Type: Additional\n"
             "Session:\n\toptional\tpam_systemd.so\n")
    root.update()
    assert root.lines("auth") == [
        "auth [default=ignore] pam_boxagent.so",
        "auth [success=4 default=ignore] pam_krb5.so minimum_uid=1000 try_first_pass",
        "auth [success=3 default=ignore] pam_unix.so nullok try_first_pass",
        "auth [success=2 default=ignore] pam_sss.so use_first_pass",
        "auth [default=ignore] pam_boxagent.so refused",
        "auth requisite pam_deny.so",
        "auth required pam_permit.so",
        "auth [default=ignore] pam_boxagent.so verdict",
    ]
    sessions = root.lines("session")
    assert sessions.index("session optional pam_systemd.so") < \
        sessions.index("session [default=ignore] pam_boxagent.so"), "pam_systemd makes XDG_SESSION_ID"


def test_taking_the_profiles_away_leaves_debians_own_lines(tmp_path):
    plain, ours = Root(tmp_path / "plain"), Root(tmp_path / "ours")
    plain.update("--force")
    ours.add_ours()
    ours.update("--force")
    assert ours.lines("auth") != plain.lines("auth")
    ours.update("--remove", "boxagent", "boxagent-refused", "boxagent-verdict", "boxagent-session")
    for kind in TYPES:
        assert ours.lines(kind) == plain.lines(kind)


def test_the_line_of_an_earlier_version_goes_with_the_upgrade(tmp_path):
    """The earlier line ran the helper as root with the user's environment. The administrator's changes to other lines stay."""
    root = Root(tmp_path / "root")
    root.add_ours()
    root.add("boxagent-session", PROFILE_BEFORE)
    root.update("--force")
    assert root.lines("session")[-1] == \
        "session [default=ignore] pam_exec.so quiet /usr/libexec/boxagent/boxagent-session --open-session"
    auth = root.services / "common-auth"
    text, count = re.subn(r"pam_boxagent\.so *$", "pam_boxagent.so wait=30", auth.read_text(), count=1, flags=re.M)
    assert count == 1, auth.read_text()
    auth.write_text(text)
    root.add_ours()
    root.update()
    assert root.lines("session")[-1] == "session [default=ignore] pam_boxagent.so console"
    assert not any("pam_exec" in line for kind in TYPES for line in root.lines(kind))
    assert root.lines("auth")[0] == "auth [default=ignore] pam_boxagent.so wait=30"


def use(bench, root, password):
    """Installs the generated stack as a service, with the module's path and another password store."""
    passwords = bench.directory / "passwords"
    passwords.write_text("anna:%s\n" % hashed(password))
    lines = []
    for kind in TYPES[:4]:
        for line in root.lines(kind):
            line = re.sub(r"pam_boxagent\.so", "%s socket=%s" % (bench.module, bench.socket), line)
            if "pam_unix" in line:
                line = re.sub(r"pam_unix\.so.*",
                              "pam_pwdfile.so nodelay pwdfile=%s" % passwords if kind == "auth" else "pam_permit.so", line)
            lines.append(line)
    bench.service("login", lines)


def test_a_tap_logs_in(bench, root):
    use(bench, root, TOKEN)
    agent = bench.agent(delivering(TOKEN))
    result = bench.run("auth", "acct", "setcred", "open", "close", "end", user=None)
    bench.finish()
    for step in ("auth", "acct", "setcred", "open", "close"):
        assert result.code(step) == SUCCESS, step
    assert not result.of("asked")
    assert agent.heard[1] == "verdictReached"
    assert agent.heard[-2:] == [("ended", 0), "eof"]


def test_a_wrong_password_from_the_phone(bench, root):
    use(bench, root, b"another")
    agent = bench.agent(delivering(TOKEN))
    assert bench.run("auth", "end").code("auth") != SUCCESS
    bench.finish()
    assert agent.heard == ["authenticate", "notAccepted", "eof"]


@pytest.mark.parametrize("agent", [True, False])
@pytest.mark.parametrize("typed, works", [("correct horse", True), ("wrong", False)])
def test_without_a_tap_the_password_is_asked_for_as_ever(bench, root, agent, typed, works):
    use(bench, root, TOKEN)
    if agent:
        bench.agent(refusing())
    result = bench.run("type=" + typed, "auth", "acct", "end")
    assert (result.code("auth") == SUCCESS) == works
    assert len(result.of("asked")) == 1
    assert result.is_within("auth", 3000)


def test_a_changed_password_is_told(bench, root):
    use(bench, root, TOKEN)
    agent = bench.agent(lambda connection: connection.listen_to_the_end())
    assert bench.run("chauthtok", "end").code("chauthtok") == SUCCESS
    bench.finish()
    assert agent.heard == [("passwordChanged", b"login", b"anna"), "eof"]
