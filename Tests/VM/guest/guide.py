"""docs/site-guide.md as the package installs it, typed line by line as root: what this guest does is what its reader does."""

import pathlib
import subprocess

from machine import Failed, note

GUIDE = pathlib.Path("/usr/share/doc/boxsite/site-guide.md")
HOME = pathlib.Path("/root")


def lines(section):
    """The commands, and lines of files, below a heading: those that are indented."""
    found, inside = [], False
    for line in GUIDE.read_text().splitlines():
        if line.startswith("#"):
            inside = line.lstrip("# ") == section
        elif inside and line.startswith("    "):
            found.append(line.strip())
    if not found:
        raise Failed("the guide has nothing to type below %r any more" % section)
    return found


def line(section, beginning):
    """The only one that begins so."""
    found = [each for each in lines(section) if each.startswith(beginning)]
    if len(set(found)) != 1:
        raise Failed("the guide has %d lines below %r that begin with %r" % (len(found), section, beginning))
    return found[0]


def type_line(command, changes=(), status=0, seconds=120):
    """What it prints. `changes`: what a reader puts in the place of the guide's names, each of which has to be there."""
    for old, new in dict(changes).items():
        if old not in command:
            raise Failed("the guide has no %r in %r any more" % (old, command))
        command = command.replace(old, new)
    done = subprocess.run(["bash", "-c", command], cwd=HOME, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    print("#", command, done.returncode, done.stderr, flush=True)
    if status is not None and done.returncode != status:
        raise Failed("%r ended with %d: %s" % (command, done.returncode, done.stderr))
    return done.stdout


def type_section(section):
    """All of its lines, in their order."""
    said = [type_line(each) for each in lines(section)]
    note("typed the %d lines of '%s'" % (len(said), section))
    return said
