"""Types docs/how-to/run-a-site.md, as the package installs it, line by line as root. The guest does exactly what a reader does."""

import pathlib
import subprocess

from machine import RESULTS, Failed, note

GUIDE = pathlib.Path("/usr/share/doc/boxsite/how-to/run-a-site.md")
HOME = pathlib.Path("/root")
# The lines that this guest has typed, as the guide prints them. Scripts/check-guide compares them with the guide.
TYPED = RESULTS / "typed"


def lines(section):
    """Returns the indented lines below a heading: commands and lines of files."""
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
    """Returns the only line that begins with this text."""
    found = [each for each in lines(section) if each.startswith(beginning)]
    if len(set(found)) != 1:
        raise Failed("the guide has %d lines below %r that begin with %r" % (len(found), section, beginning))
    return found[0]


def done(command):
    """Records a line that the test executes without `type_line`: it goes into a file, or to a phone of the test."""
    with open(TYPED, "a", encoding="utf-8") as file:
        file.write(command + "\n")
    return command


def write_line(path, command, below):
    """Writes a line of a configuration below its table's heading. An example of it in the file stays."""
    file = pathlib.Path(path)
    text = file.read_text()
    if text.count(below + "\n") != 1:
        raise Failed("%s has no %r any more: %s" % (path, below, text))
    file.write_text(text.replace(below + "\n", below + "\n" + done(command) + "\n"))


def type_line(command, changes=(), status=0, seconds=120):
    """Runs the line and returns its output. `changes` replaces names of the guide, which the line must have."""
    done(command)
    for old, new in dict(changes).items():
        if old not in command:
            raise Failed("the guide has no %r in %r any more" % (old, command))
        command = command.replace(old, new)
    ended = subprocess.run(["bash", "-c", command], cwd=HOME, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    print("#", command, ended.returncode, ended.stderr, flush=True)
    if status is not None and ended.returncode != status:
        raise Failed("%r ended with %d: %s" % (command, ended.returncode, ended.stderr))
    return ended.stdout


def type_section(section):
    """Types all lines of a section in order."""
    said = [type_line(each) for each in lines(section)]
    note("typed the %d lines of '%s'" % (len(said), section))
    return said
