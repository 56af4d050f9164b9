"""The shipped systemd unit of the page, compared with what the page does."""
import http.client
import pathlib
import pwd
import re
import shutil
import socket
import subprocess

import pytest

from administrators import PAGE
from box import ROOT
from site_page import PROGRAM

UNIT = (ROOT / "packaging/systemd/boxsite-page.service").read_text()


def values(key):
    return [word for line in re.findall(r"^%s=(.*)$" % key, UNIT, re.MULTILINE) for word in line.split()]


def calls(name):
    """Returns the system calls of one of systemd's sets, including nested sets."""
    if not name.startswith("@"):
        return {name}
    said = subprocess.run(["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True).stdout
    inner = [line.strip() for line in said.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return set().union(*[calls(each) for each in inner])


def test_the_unit_runs_the_page_as_the_user_that_the_package_makes():
    user = re.search(r"^u (\S+) ", (ROOT / "packaging/sysusers/boxsite-page.conf").read_text(), re.MULTILINE)[1]
    assert "User=%s\nGroup=%s\n" % (user, user) in UNIT and "\nSupplementaryGroups=boxsite\n" in UNIT
    assert re.search(r"^RuntimeDirectory=(.*)$", UNIT, re.MULTILINE)[1] == pathlib.Path("/run/boxsite-page/http.sock").parts[2]


def over(path):
    link = http.client.HTTPConnection("localhost", timeout=60)
    link.sock = socket.socket(socket.AF_UNIX)
    link.sock.connect(str(path))
    return link


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd's sets of system calls")
def test_the_page_asks_the_kernel_for_nothing_that_its_unit_forbids(own_page):
    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", UNIT, re.MULTILINE):
        named = set().union(*map(calls, line.lstrip("~").split()))
        allowed = allowed - named if line.startswith("~") else allowed | named
    place = own_page.directory / "traced"
    place.mkdir()
    shutil.chown(place, PAGE, pwd.getpwnam(PAGE).pw_gid)
    # The page listens at a Unix socket, as shipped.
    page = own_page(listen="unix:%s" % (place / "http.sock"))
    page.connect = lambda: over(place / "http.sock")
    # When the tracer ends, the page ends too.
    page.program = ["strace", "-I", "1", "-f", "-qq", "-e", "signal=none", "-o", place / "calls", "setpriv", "--pdeathsig", "TERM",
                    PROGRAM]
    page.start()
    anna = page.administrator().signed_in()
    for path in ("/boxes", "/people", "/proposals", "/status", "/style.css", "/nothing"):
        anna.get(path)
    page.stop()
    lines = (place / "calls").read_text().splitlines()
    begun = next(index for index, line in enumerate(lines) if re.search(r'execve\("[^"]*/boxsite-page"', line))
    made = [found.groups() for line in lines[begun:] if (found := re.match(r"\d+ +(\w+)\((.*)", line))]
    assert len(made) > 300 and {"epoll_wait", "accept4"} & {name for name, _ in made}
    assert {name for name, _ in made} - allowed == set()
    families = {words.split(",")[0] for name, words in made if name in ("socket", "socketpair")}
    assert families <= set(values("RestrictAddressFamilies")), families
    # MemoryDenyWriteExecute
    assert [words for name, words in made if name in ("mmap", "mprotect") and "PROT_WRITE" in words and "PROT_EXEC" in words] == []
