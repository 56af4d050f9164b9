"""Runs boxphone as a user does on a terminal, and as a script does."""

import os
import subprocess

import pexpect

PATIENCE = 30  # seconds until a test gives up; not a limit on speed


def environment(home):
    """Returns an environment without the tester's own vault and with a fixed terminal type."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


class BoxPhone:
    def __init__(self, program, home):
        self.program = program
        self.home = home
        self.vault = home / ".local/share/boxphone"

    def run(self, *words, **secrets):
        """Runs boxphone without a terminal: `run("pin", "remove", pin=b"1234")` runs `pin remove --pin-fd N`."""
        argv, descriptors = [self.program, *words], []
        for option, value in secrets.items():
            reader, writer = os.pipe()
            os.write(writer, value)
            os.close(writer)
            descriptors.append(reader)
            argv += ["--" + option.replace("_", "-") + "-fd", str(reader)]
        try:
            return subprocess.run(
                argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                env=environment(self.home), pass_fds=descriptors, start_new_session=True)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def terminal(self, *words):
        return pexpect.spawn(
            self.program, list(words), env=environment(self.home), encoding="utf-8", timeout=PATIENCE,
            dimensions=(40, 200))


def shown(child, *words):
    """Returns the terminal's output up to one of these patterns."""
    child.expect(list(words))
    return child.before + child.after


def ended(child):
    """Returns the rest of the output and the exit status."""
    child.expect(pexpect.EOF)
    child.close()
    return child.before, child.exitstatus if child.exitstatus is not None else -child.signalstatus
