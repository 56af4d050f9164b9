"""boxphone as a person has it on a terminal, and as a script runs it."""

import os
import subprocess

import pexpect

PATIENCE = 30  # seconds after which a test gives up; never a measure of speed


def environment(home):
    """Nothing of the tester's own vault, and a terminal that is always the same."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


class BoxPhone:
    def __init__(self, program, home):
        self.program = program
        self.home = home
        self.vault = home / ".local/share/boxphone"

    def run(self, *words, **secrets):
        """For instance `run("pin", "remove", pin=b"1234")` gives `pin remove --pin-fd N`. No terminal is there."""
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
    """What the terminal shows until the words, which may stand in any of several sentences."""
    child.expect(list(words))
    return child.before + child.after


def ended(child):
    """The rest of the output, and the exit status."""
    child.expect(pexpect.EOF)
    child.close()
    return child.before, child.exitstatus if child.exitstatus is not None else -child.signalstatus
