"""A directory for the tests: users and groups of a private /etc. Only boxsite-directory sees it, in its own mount namespace."""
import glob
import os
import pathlib
import pwd
import subprocess
import sys

from administrators import open_socket
from box import BIN, Running

# boxsite-directory runs as this account, which every Debian has.
ACCOUNT = "games"
PROBE = "probe"


class Directory:
    """Users, groups, and users who may not log in. Changes take effect at the next lookup."""

    def __init__(self, directory, server, *lines):
        self.server = server
        self.files = directory / "directory"
        self.files.mkdir(mode=0o755)
        (self.files / "pam.d").mkdir(mode=0o755)
        (self.files / "pam.d" / "boxsite").write_text("account required pam_access.so accessfile=%s\n" % (self.files / "access"))
        self.users, self.groups, self.refused = {PROBE}, {}, set()
        self.more_mounts = []
        self.write()
        self.running, self.starts = None, 0
        server.extra += ["[directory]", 'user = "%s"' % ACCOUNT, 'probe = "%s"' % PROBE, "interval = 5", *lines]

    def write(self):
        """Writes the files in place, because they are mounted."""
        names = sorted(self.users)
        passwd = ["root:x:0:0::/root:/bin/sh"] + ["%s:x:%d:20000::/:/bin/sh" % (name, 20001 + at) for at, name in enumerate(names)]
        groups = ["%s:x:%d:%s" % (name, 30000 + at, ",".join(sorted(members))) for at, (name, members) in
                  enumerate(sorted(self.groups.items()))]
        access = ["-:%s:ALL" % name for name in sorted(self.refused)] + ["+:ALL:ALL"]
        for name, lines in (("passwd", passwd), ("group", groups), ("access", access)):
            (self.files / name).write_text("\n".join(lines) + "\n")

    def change(self, *, come=(), go=()):
        self.users = (self.users | set(come)) - set(go)
        self.write()

    def start(self, passwd="passwd"):
        open_socket(self.server)
        account = pwd.getpwnam(ACCOUNT)
        mounts = [(self.files / passwd, "/etc/passwd"), (self.files / "group", "/etc/group"), (self.files / "pam.d", "/etc/pam.d"), *self.more_mounts]
        script = "".join("mount --bind '%s' %s && " % mount for mount in mounts)
        # setpriv(1) does not work here, because it looks up users itself.
        become = "import os, sys; os.setgroups([]); os.setgid(%d); os.setuid(%d); os.execv(sys.argv[1], sys.argv[1:])" % (
            account.pw_gid, account.pw_uid)
        script += "exec '%s' -I -S -c '%s' '%s' --socket '%s'" % (
            sys.executable, become, BIN / "boxsite-directory", self.server.run / "control.sock")
        self.starts += 1
        self.running = Running(["unshare", "--mount", "--propagation", "private", "sh", "-c", script], self.server.directory,
                               "directory-%d" % self.starts)
        self.server.wait_until(lambda: self.server.running.err.count("boxsite-directory is connected") == self.starts)
        return self

    def know_spellings(self):
        """Makes `anna@corp.example` another spelling of anna, from the next start."""
        module, switch = self.files / "nss_spelling.so", self.files / "nsswitch.conf"
        subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", module,
                        pathlib.Path(__file__).with_name("nss_spelling.c")], check=True)
        switch.write_text("passwd: files hesiod\ngroup: files\n")
        unused, = glob.glob("/lib/*/libnss_hesiod.so.2")
        self.more_mounts = [(module, unused), (switch, "/etc/nsswitch.conf")]

    def stop(self):
        if self.running:
            self.running.process.terminate()
            self.running.wait()

    def hang(self):
        """Restarts the directory so that every user lookup hangs."""
        self.stop()
        os.mkfifo(self.files / "fifo")
        return self.start("fifo")
