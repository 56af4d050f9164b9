"""A test's own libpam: services, an agent's socket, and a way to run programs on them."""

import ctypes
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "agent"))

from deadline import is_within  # noqa: E402
from pam_agent import Agent  # noqa: E402


def compile_c(arguments):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "no C compiler; install gcc"
    subprocess.run([compiler, "-O1", "-g", "-Wall", "-Wextra", "-Werror", *arguments], check=True)


def hashed(password):
    """Hashes a password with crypt(3) of libcrypt, for pam_pwdfile. Python's own module is deprecated."""
    crypt = ctypes.CDLL("libcrypt.so.1").crypt
    crypt.restype, crypt.argtypes = ctypes.c_char_p, [ctypes.c_char_p, ctypes.c_char_p]
    return crypt(password, b"$6$boxagent$").decode()


class Result:
    """The output of pam_client: `steps` as (name, code, milliseconds), and other lines by their first word."""

    def __init__(self, output, status):
        self.output, self.status = output, status
        self.lines = [line.split(" ", 1) for line in output.splitlines() if line]

    def of(self, word):
        return [line[1] if len(line) > 1 else "" for line in self.lines if line[0] == word]

    def code(self, step):
        """Returns the PAM code of the last step of that name."""
        return int(self.of(step)[-1].split()[0])

    def milliseconds(self, step):
        return float(self.of(step)[-1].split()[1])

    def is_within(self, step, most):
        """Returns whether the step took at most `most` milliseconds of a quiet machine."""
        return is_within(self.milliseconds(step), most)

    @property
    def log(self):
        return [line.split(" ", 1)[1] for line in self.of("log")]


class Bench:
    """The directory of one test, with services and an agent's socket."""

    def __init__(self, directory, module, tools):
        self.directory, self.module, self.tools = directory, module, tools
        self.confdir = directory / "pam.d"
        self.confdir.mkdir()
        self.socket = directory / "pam.sock"
        self.agents = []
        self.service("other", ["auth required pam_deny.so"])

    def agent(self, script, **settings):
        self.agents.append(Agent(self.socket, script, **settings))
        return self.agents[-1]

    def ours(self, control="[default=ignore]", arguments="", kind="auth"):
        return "%s %s %s socket=%s %s" % (kind, control, self.module, self.socket, arguments)

    def observe(self):
        return "auth [default=ignore] %s %s" % (self.tools / "pam_observe.so", self.directory / "observed")

    @property
    def observed(self):
        """Returns what pam_observe saw: a list of (user, authtok) in bytes, with None for an unset value."""
        path = self.directory / "observed"
        values = [line.split()[1] for line in path.read_text().splitlines()] if path.exists() else []
        decoded = [None if value == "-" else bytes.fromhex(value) for value in values]
        return list(zip(decoded[0::2], decoded[1::2]))

    def service(self, name, lines):
        (self.confdir / name).write_text("\n".join(lines) + "\n")

    def command(self, *steps, user="anna", service="login"):
        return [self.tools / "pam_client", self.confdir, service, user or "-", *steps]

    def run(self, *steps, user="anna", service="login", prefix=(), status=0, timeout=30, **settings):
        done = subprocess.run(
            [*prefix, *self.command(*steps, user=user, service=service)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, **settings)
        output = done.stdout.decode("utf-8", "replace")
        assert done.returncode == status, (done.returncode, output, done.stderr.decode("utf-8", "replace"))
        return Result(output, done.returncode)

    def finish(self):
        """Stops the agents, so that `heard` is complete."""
        agents, self.agents = self.agents, []
        for agent in agents:
            agent.stop()
