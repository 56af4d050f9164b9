"""A private box and its phones for the tests: real programs, real libpam and the loopback radio, without root. Secrets reach the
programs only through pipes, as a user's would through the terminal."""
import functools
import json
import os
import pathlib
import re
import secrets
import select
import shutil
import signal
import socket
import subprocess

from deadline import Deadline

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("BOXAGENT_BIN", ROOT / "dist"))
# PAM reads text in brackets as one word, even if the path contains spaces (pam.conf(5)).
MODULE = "[%s]" % os.environ.get("BOXAGENT_PAM_MODULE", BIN / "pam_boxagent.so")
PATIENCE = 30  # seconds, on a quiet machine, after which a test gives up on a program; not a limit on speed


# pamtester's operations for a program that admits a user without a session.
LET_IN = ("authenticate", "acct_mgmt", "setcred(PAM_REFRESH_CRED)")


class Failed(AssertionError):
    pass


def pipe_with(data: bytes) -> int:
    """Returns the reading end of a pipe that holds `data`."""
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    return reader


class Running:
    """A program whose output goes to files, which can be read while it runs and afterwards."""

    def __init__(self, argv, directory: pathlib.Path, name: str, fds=(), stdin=None, env=None):
        self.argv = [str(word) for word in argv]
        self.out_path = directory / f"{name}.out"
        self.err_path = directory / f"{name}.err"
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.process = subprocess.Popen(
                self.argv, stdin=stdin or subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=fds, env=env)
        for fd in fds:
            os.close(fd)

    @property
    def out(self):
        return self.out_path.read_text(errors="backslashreplace")

    @property
    def err(self):
        return self.err_path.read_text(errors="backslashreplace")

    def wait(self, timeout=PATIENCE) -> int:
        try:
            return Deadline(timeout).wait(self.process.wait, subprocess.TimeoutExpired)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed(f"{self.argv} did not end\nout: {self.out}\nerr: {self.err}")

    def ok(self, timeout=PATIENCE) -> str:
        code = self.wait(timeout)
        if code != 0:
            raise Failed(f"{self.argv} ended with {code}\nout: {self.out}\nerr: {self.err}")
        return self.out

    def wait_for(self, text: str, timeout=PATIENCE):
        """Waits until the output contains `text`. Polls the files, because they hold what a user would see."""
        deadline = Deadline(timeout)
        while text not in self.out + self.err:
            if self.process.poll() is not None and text not in self.out + self.err:
                raise Failed(f"{self.argv} ended before it said {text!r}\nout: {self.out}\nerr: {self.err}")
            if deadline.is_over():
                raise Failed(f"{self.argv} never said {text!r}\nout: {self.out}\nerr: {self.err}")
            select.select([], [], [], 0.01)
        return self.out + self.err

    def wait_for_code(self, timeout=PATIENCE) -> str:
        """Waits until the command has printed the whole line with its enrolment code. Returns the code."""
        deadline = Deadline(timeout)
        self.wait_for("boxlink:", timeout)
        while not (code := re.search(r"(boxlink:\S+)\s", self.out)):
            if deadline.is_over():
                raise Failed(f"{self.argv} never showed a whole code\nout: {self.out}\nerr: {self.err}")
            select.select([], [], [], 0.01)
        return code.group(1)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                Deadline(10).wait(self.process.wait, subprocess.TimeoutExpired)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@functools.lru_cache
def hashed(password: bytes) -> bytes:
    """Hashes a password in crypt(3)'s format, for pam_pwdfile and passwd(5)."""
    return subprocess.run(
        ["openssl", "passwd", "-6", "-stdin"], input=password + b"\n", capture_output=True, check=True).stdout.strip()


class Box:
    """One boxagentd on private directories."""

    def __init__(self, directory: pathlib.Path, air: pathlib.Path, **settings):
        self.directory = directory
        self.air = air
        self.state = directory / "state"
        self.run = directory / "run"
        for path in (directory, air, self.state, self.run):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.config = directory / "boxagent.toml"
        self.settings = settings
        self.environment = None
        self.machine = []  # the command prefix that starts the agent on another machine (machine.py)
        self.agent = None
        self.counter = 0
        self.everything = []
        self.write_config()

    def write_config(self, **changes):
        self.settings.update(changes)
        set_ = {
            "box.state_directory": f'"{self.state}"',
            "box.runtime_directory": f'"{self.run}"',
            "radio.kind": '"loopback"',
            "radio.air_directory": f'"{self.air}"',
            "login.services": '["demo", "login", "other-login"]',
            "login.serve": '"own"',
            "enrolment.require_known_user": "false",
            "pin.hash_milliseconds": "50",
        }
        set_.update(self.settings)
        tables = {}
        for key, value in set_.items():
            table, name = key.split(".")
            tables.setdefault(table, []).append(f"{name} = {value}")
        text = "".join(f"[{table}]\n" + "\n".join(lines) + "\n\n" for table, lines in tables.items())
        self.config.write_text(text)

    def start(self):
        self.counter += 1
        self.agent = self.run_program(
            [*self.machine, BIN / "boxagentd", "--config", self.config], f"boxagentd-{self.counter}", env=self.environment)
        self.agent.wait_for("ready")
        return self

    def run_program(self, argv, name, fds=(), stdin=None, env=None) -> Running:
        running = Running(argv, self.directory, name, fds, stdin, env)
        self.everything.append(running)
        return running

    def kill(self):
        self.agent.process.send_signal(signal.SIGKILL)
        self.agent.process.wait()

    def stop(self):
        for running in self.everything:
            running.stop()

    def command(self, *words, name=None, fds=(), stdin=None) -> Running:
        self.counter += 1
        argv = [BIN / "boxagent", *words, "--socket", self.run / "control.sock"]
        return self.run_program(argv, name or f"boxagent-{self.counter}", fds, stdin)

    def json(self, *words):
        return json.loads(self.command(*words, "--json").ok())

    @property
    def id(self) -> str:
        return self.json("id")["box_id"]

    def phone(self, name: str) -> "Phone":
        return Phone(self, name)

    # The real libpam

    def pam_service(self, service="demo", users=None, lines=None):
        """Makes a PAM service in which pam_pwdfile checks the password after our module."""
        services = self.directory / "pam.d"
        services.mkdir(exist_ok=True)
        if users is not None:
            entries = []
            for user, password in users.items():
                entries.append(os.fsencode(user) + b":" + hashed(password) + b"\n")
            (self.directory / "passwords").write_bytes(b"".join(entries))
        if lines is None:
            socket_path = self.run / "pam.sock"
            lines = [
                f"auth [default=ignore] {MODULE} wait=20 socket={socket_path}",
                f"auth requisite pam_pwdfile.so use_first_pass pwdfile={self.directory}/passwords",
                f"auth [default=ignore] {MODULE} verdict",
                f"account [default=ignore] {MODULE} socket={socket_path}",
                "account required pam_permit.so",
                f"session [default=ignore] {MODULE} socket={socket_path}",
                "session required pam_permit.so",
                f"password [default=ignore] {MODULE} socket={socket_path}",
                "password required pam_permit.so",
            ]
        (services / "other").write_text("auth required pam_deny.so\n")
        (services / service).write_text("\n".join(lines) + "\n")
        return self

    def pam(self, user, *operations, service="demo", name=None) -> Running:
        """Runs pamtester with empty standard input. Without `operations`, it acts as a program that unlocks."""
        self.counter += 1
        env = dict(os.environ, LD_PRELOAD="libpam_wrapper.so", PAM_WRAPPER="1",
                   PAM_WRAPPER_SERVICE_DIR=str(self.directory / "pam.d"))
        argv = ["pamtester", service, user, *(operations or LET_IN)]
        return self.run_program(argv, name or f"pamtester-{self.counter}", env=env)

    def gives_nothing_to(self, user, phone):
        """Checks that a program that waits for `user` does not get the phone's tap."""
        program = self.pam(user)
        self.wait_until(self.programs_waiting)
        tap = phone.command("login")
        self.wait_until(self.tap_held)
        assert program.process.poll() is None
        program.stop()
        tap.stop()

    def wait_until(self, what, timeout=PATIENCE):
        deadline = Deadline(timeout)
        while True:
            value = what()
            if value:
                return value
            if deadline.is_over():
                raise Failed(f"never became true; status: {self.json('status')}")
            select.select([], [], [], 0.02)

    def tap_held(self) -> bool:
        return self._status(b"\x68tap-held") == 0xF5

    def programs_waiting(self) -> int:
        return self._status(b"\x70programs-waiting")

    def _status(self, field) -> int:
        """Returns the byte after a CBOR field of the agent's status: true, or a small number. Asks at the socket, because a command
        would take 100 times as long."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as control:
            control.settimeout(PATIENCE)
            control.connect(str(self.run / "control.sock"))
            control.send(b"\xa2\x64type\x66status\x67version\x02")
            status = control.recv(8192)
        if field not in status:
            raise Failed("the agent answers %r" % status)
        return status[status.index(field) + len(field)]


class Phone:
    """A boxphone with its own vault."""

    def __init__(self, box: Box, name: str):
        self.box = box
        self.name = name
        self.directory = box.directory / f"phone-{name}"
        self.device = None

    def command(self, *words, fds=(), extra=()) -> Running:
        self.box.counter += 1
        argv = [BIN / "boxphone", *words, "--directory", self.directory, "--air", self.box.air, *extra]
        return self.box.run_program(argv, f"boxphone-{self.name}-{self.box.counter}", fds)

    def with_secrets(self, *words, **secrets_by_option) -> Running:
        """Runs a command with secrets: `with_secrets("login", pin=b"1234")` runs `login --pin-fd N`."""
        argv, fds = list(words), []
        for option, value in secrets_by_option.items():
            fd = pipe_with(value + b"\n")
            fds.append(fd)
            argv += [f"--{option.replace('_', '-')}-fd", str(fd)]
        return self.command(*argv, fds=tuple(fds))

    def enrol(self, user="alice", password=None, box_held=False, options=()):
        """Enrols the phone: the administrator runs `boxagent enrol --yes`, and the phone reads the code from a pipe."""
        words = ["enrol", user, "--yes"] + (["--box-held"] if box_held else []) + list(options)
        order = self.box.command(*words)
        fd = pipe_with(order.wait_for_code().encode() + b"\n")
        self.command("enrol", "--fd", str(fd), fds=(fd,)).ok()
        order.ok()
        if password is not None:
            self.with_secrets("credentials", "set", password=password).ok()
        return self
