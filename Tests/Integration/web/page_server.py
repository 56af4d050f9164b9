"""Runs `boxagent-web serve` from the sources. It is the same program that is shipped to host the page."""

import pathlib
import subprocess
import sys

HOST = pathlib.Path(__file__).resolve().parents[3] / "Phones/Web/host"
WEB = HOST / "boxagent-web"
HEADERS = [tuple(line.split(": ", 1)) for line in (HOST / "headers.txt").read_text().splitlines()]
PATIENCE = 60


def program(**constants):
    """Returns the command that starts the program. `page_server__CONNECTIONS=2` changes a constant for a test that cannot wait."""
    if not constants:
        return [WEB]
    changed = "".join("import {0}; {0}.{1} = {2!r}; ".format(*name.split("__"), value) for name, value in constants.items())
    return ["/usr/bin/python3", "-IBc", "import sys, runpy; sys.path.insert(0, %r); %srunpy.run_path(%r, run_name='__main__')" % (
        str(HOST), changed, str(WEB))]


class PageServer:
    def __init__(self, folder, port=0, words=None):
        self.process = subprocess.Popen(
            [*(words or program()), "serve", "--port", str(port), folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = self.process.stdout.readline()
        if not self.said:
            raise AssertionError("boxagent-web serve ended: " + self.process.communicate(timeout=PATIENCE)[1])
        self.url = self.said.split(" ")[0]
        self.port = int(self.url.split(":")[2].rstrip("/"))

    def stop(self, number=15):
        """Stops the program. Returns its exit status and its error output."""
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.complaints = self.process.communicate(timeout=PATIENCE)[1]
            sys.stderr.write(self.complaints)
        return self.process.returncode, self.complaints
