"""A site for the tests: boxsite and boxsited on private directories with a private PostgreSQL, and boxes that link to it."""
import json
import pathlib
import socket
import subprocess

from box import BIN, PATIENCE, Failed, Running
from deadline import Deadline
from independent_phone import KeyPair
from site_box import JoinCode, SiteBox


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One boxsited."""

    def __init__(self, site, name):
        self.site, self.name = site, name
        self.directory = site.directory / name
        self.state, self.run = self.directory / "state", self.directory / "run"
        for path in (self.directory, self.state, self.run):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.port = free_port()
        self.config = self.directory / "boxsite.toml"
        self.running = None
        self.starts = 0
        # Lines that a test adds to the section [server].
        self.extra = []
        # The environment of the programs, for tests that set a server's clock wrong.
        self.environment = None

    def write_config(self, addresses):
        hosts = ",".join(str(database.sockets) for database in self.site.databases)
        self.config.write_text("\n".join([
            "[database]", 'host = "%s"' % hosts, 'user = "boxsite"', 'dbname = "boxsite"', "[server]",
            'listen = "127.0.0.1:%d"' % self.port, "addresses = %s" % json.dumps(addresses),
            'state_directory = "%s"' % self.state, 'runtime_directory = "%s"' % self.run, *self.extra, ""]))

    def start(self, wait=True):
        self.starts += 1
        self.running = Running([BIN / "boxsited", "--config", self.config], self.directory, "boxsited-%d" % self.starts,
                               env=self.environment)
        if wait:
            self.running.wait_for("ready: boxes link")
        return self

    def stop(self):
        if self.running:
            self.running.stop()

    def kill(self):
        self.running.process.kill()
        self.running.process.wait()

    def command(self, *words, stdin=None, timeout=PATIENCE):
        return subprocess.run([BIN / "boxsite", *words, "--socket", self.run / "control.sock"], capture_output=True, text=True,
                              stdin=stdin or subprocess.DEVNULL, timeout=timeout, check=False)

    def ok(self, *words):
        done = self.command(*words)
        if done.returncode != 0:
            raise Failed("boxsite %s ended with %d: %s" % (" ".join(words), done.returncode, done.stderr))
        return done.stdout

    def sign_site_key(self, root_key):
        """Runs `boxsite key`, which is required after site.secret has changed. Returns the completed process."""
        return subprocess.run([BIN / "boxsite", "key", "--config", self.config, "--root-key", root_key],
                              capture_output=True, text=True, check=False)

    def status(self):
        done = self.command("status", "--json")
        return json.loads(done.stdout)

    def boxes(self):
        return {box["name"]: box for box in json.loads(self.ok("box", "list", "--json")) if box["state"] != "removed"}

    def add(self, name, *words):
        return JoinCode(self.ok("box", "add", name, *words).strip())

    def remove(self, name):
        self.ok("box", "remove", name, "--yes")

    def wait_until(self, what, timeout=PATIENCE):
        deadline = Deadline(timeout)
        while not (value := what()):
            if deadline.is_over():
                raise Failed("never became true; %s\n%s" % (self.command("status").stdout, self.running.err))
        return value


class Site:
    """A site with one server and one database, unless a test adds more."""

    def __init__(self, directory: pathlib.Path, *databases):
        self.directory, self.databases = directory, list(databases)
        self.root = directory / "root"
        self.root.mkdir(mode=0o700, parents=True)
        self.servers = []
        self.boxes = []

    def found(self):
        """Runs boxsite init and starts a server."""
        server = self.make_server()
        self.write_configs()
        done = subprocess.run([BIN / "boxsite", "init", "--config", server.config, "--root-directory", self.root],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        server.start()
        return self

    def make_server(self):
        server = Server(self, "server%d" % len(self.servers))
        if self.servers:
            server.extra = self.server.extra
        self.servers.append(server)
        return server

    def add_server(self):
        """Adds a server as the guide does: two key files are copied, and the third one is made at the first start."""
        server = self.make_server()
        for name in ("issuers.key", "site.secret"):
            (server.state / name).write_bytes((self.server.state / name).read_bytes())
            (server.state / name).chmod(0o600)
        self.write_configs()
        # The other servers learn of the new one and tell the boxes.
        for each in self.servers[:-1]:
            each.stop()
            each.start()
        return server.start()

    def write_configs(self):
        for server in self.servers:
            server.write_config(["127.0.0.1:%d" % each.port for each in self.servers])

    def restore(self, dump):
        """Restores a backup as the guide says."""
        for server in self.servers:
            server.stop()
            (server.state / "audit.head").unlink(missing_ok=True)
        self.database.restore(dump)
        for server in self.servers:
            server.start()

    @property
    def server(self):
        return self.servers[0]

    @property
    def database(self):
        return self.databases[0]

    def box(self, name, *words):
        """Joins a box and returns its link. `said` has the site's first messages, up to a signed status."""
        code = self.server.add(name, *words)
        return self.join(code, KeyPair.new())

    def join(self, code, key):
        box = SiteBox(key, code=code)
        self.boxes.append(box)
        box.connect("127.0.0.1", self.server.port)
        box.join()
        box.hello()
        return box

    def link(self, box, server=None, number=0, source=None):
        """Opens a new link of a box that has joined."""
        again = SiteBox(box.static, pin=box.pin)
        self.boxes.append(again)
        place = ("127.0.0.1", (server or self.server).port)
        if source:
            again.attach(socket.create_connection(place, PATIENCE, source_address=(source, 0)))
        else:
            again.connect(*place)
        again.link()
        again.hello(number)
        return again

    def stop(self):
        for box in self.boxes:
            box.drop()
        for server in self.servers:
            server.stop()
