"""A private PostgreSQL for tests: own directories, Unix sockets only, run as an ordinary user, removed after the tests.

    database = Postgres(directory / "one").start()
    standby = database.make_standby(directory / "two").start()
"""
import atexit
import functools
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

from deadline import Deadline

# Of Debian's newest version here.
PROGRAMS = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
USER = "boxsite"


def _account():
    """Returns an account for PostgreSQL, which refuses to run as root. Returns None if the tests run as an ordinary user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("neither postgres nor nobody is a user of this machine")


@functools.cache
def _empty_cluster():
    """Returns a cluster with an empty database. This process makes one such cluster, and every server starts with a copy."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="boxsite-cluster-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    directory.chmod(0o755)
    made = Postgres(directory)
    made._make_directories()
    made._create()
    made._run_server({})
    made.run(PROGRAMS / "createdb", "-h", made.sockets, "-U", USER, USER)
    made.run(PROGRAMS / "pg_ctl", "stop", "-D", made.data, "-m", "fast", "-w")
    made.process.wait()
    return made.data


class Postgres:
    def __init__(self, directory: pathlib.Path, name="one"):
        self.directory, self.name = directory, name
        self.data, self.sockets = directory / "data", directory / "sockets"
        self.account = _account()
        self.process = None

    def _as_user(self, *words, **options):
        if self.account:
            options.update(user=self.account.pw_uid, group=self.account.pw_gid, extra_groups=[])
        return dict(args=[str(word) for word in words], env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, cwd="/", **options)

    def run(self, *words):
        done = subprocess.run(**self._as_user(*words, stdin=subprocess.DEVNULL, capture_output=True))
        assert done.returncode == 0, (words, done.stdout[-400:], done.stderr[-400:])
        return done.stdout.decode()

    def _make_directories(self):
        for path in (self.directory, self.sockets):
            path.mkdir(parents=True, exist_ok=True)
            if self.account:
                os.chown(path, self.account.pw_uid, self.account.pw_gid)

    def _create(self):
        self.run(PROGRAMS / "initdb", "--pgdata", self.data, "--username", USER, "--auth", "trust", "--no-sync",
                 "--no-instructions", "--encoding", "UTF8", "--locale", "C.UTF-8")

    def start(self, **options):
        """Starts the server and waits until it answers. Written data survives a killed server, but not a power failure."""
        self._make_directories()
        if not self.data.exists():
            subprocess.run(["cp", "--archive", _empty_cluster(), self.data], check=True)
        return self._run_server(options)

    def _run_server(self, options):
        settings = {"listen_addresses": "", "unix_socket_directories": self.sockets, "fsync": "off", "shared_buffers": "16MB",
                    # A killed server leaves no shared memory outside its own directory.
                    "dynamic_shared_memory_type": "mmap",
                    "wal_level": "replica", "cluster_name": self.name, **options}
        words = [PROGRAMS / "postgres", "-D", self.data]
        for key, value in settings.items():
            words += ["-c", "%s=%s" % (key, value)]
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(**self._as_user(
                *words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True))
        deadline = Deadline(60)
        while subprocess.run(**self._as_user(
                PROGRAMS / "pg_isready", "-q", "-h", self.sockets, "-U", USER), check=False).returncode != 0:
            assert self.process.poll() is None and not deadline.is_over(), (self.directory / "log").read_text()[-800:]
        return self

    def sql(self, text, database=USER):
        return self.run(PROGRAMS / "psql", "-h", self.sockets, "-U", USER, "-X", "-A", "-t", "-c", text, database).strip()

    def dump(self):
        return self.run(PROGRAMS / "pg_dump", "-h", self.sockets, "-U", USER, "--clean", "--if-exists", USER)

    def restore(self, text):
        """Restores the output of `dump`, as an administrator does after a lost disk."""
        file = self.directory / "dump.sql"
        file.write_text(text)
        os.chmod(file, 0o644)
        self.run(PROGRAMS / "psql", "-h", self.sockets, "-U", USER, "-X", "-q", "-1", "-f", file, USER)

    def make_standby(self, directory):
        """Makes a standby, which is synchronous once this server names it."""
        standby = Postgres(directory, "two")
        standby._make_directories()
        standby.run(PROGRAMS / "pg_basebackup", "-h", self.sockets, "-U", USER, "-D", standby.data, "-R", "-X", "stream",
                    "-c", "fast", "--no-sync")
        return standby

    def promote(self):
        self.run(PROGRAMS / "pg_ctl", "promote", "-D", self.data, "-w")

    def _processes(self):
        """Returns the process IDs of the server and its children. Each child is in its own session."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False).stdout
        return [self.process.pid, *map(int, children.split())]

    def _signal(self, number):
        for process in self._processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self):
        """Kills all its processes at once, like a power failure."""
        self._signal(signal.SIGSTOP)
        self._signal(signal.SIGKILL)
        self.process.wait()

    def freeze(self):
        self._signal(signal.SIGSTOP)

    def thaw(self):
        self._signal(signal.SIGCONT)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.thaw()
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def remove(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)
