"""The guest's virtual terminals: their text, which one is in the foreground, and a keyboard."""

import fcntl
import os
import pathlib
import re
import struct
import termios

from machine import Failed, run, wait_until

# linux/vt.h
VT_ACTIVATE, VT_WAITACTIVE = 0x5606, 0x5607


def shown(terminal):
    """Returns the text on a virtual terminal, line by line (vcs(4))."""
    number = int(terminal[3:])
    try:
        with open(f"/dev/vcsa{number}", "rb") as file:
            rows, columns, _, _ = struct.unpack("4B", file.read(4))
    except OSError:
        return ""  # no program has opened the terminal yet
    text = pathlib.Path(f"/dev/vcs{number}").read_bytes().decode("latin-1")
    return "\n".join(text[row * columns:(row + 1) * columns].rstrip() for row in range(rows))


def wait_for(terminal, pattern, seconds=60):
    """Waits for the pattern and returns that text of the terminal. A second read could show a redrawn terminal."""
    def look():
        text = shown(terminal)
        return re.search(pattern, text, re.M) and text

    try:
        return wait_until(look, seconds, pause=0.1)
    except Failed as error:
        raise Failed(f"{terminal} never showed {pattern!r}, but:\n{shown(terminal)}") from error


def type_keys(terminal, text):
    """Types the text on that terminal (TIOCSTI, which root may use)."""
    descriptor = os.open(f"/dev/{terminal}", os.O_RDWR | os.O_NOCTTY)
    try:
        for byte in text.encode():
            fcntl.ioctl(descriptor, termios.TIOCSTI, bytes([byte]))
    finally:
        os.close(descriptor)


def stop(terminal):
    """Stops the terminal's output until it is started again, as Scroll Lock does."""
    descriptor = os.open(f"/dev/{terminal}", os.O_RDWR | os.O_NOCTTY)
    try:
        termios.tcflow(descriptor, termios.TCOOFF)
    finally:
        os.close(descriptor)


def bring_to_front(terminal):
    number = int(terminal[3:])
    descriptor = os.open("/dev/tty0", os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.ioctl(descriptor, VT_ACTIVATE, number)
        fcntl.ioctl(descriptor, VT_WAITACTIVE, number)
    finally:
        os.close(descriptor)


def foreground():
    return pathlib.Path("/sys/class/tty/tty0/active").read_text().strip()


def user_on(terminal):
    """Returns the user of the logind session on the terminal, or None if it has no session."""
    for row in run("loginctl", "list-sessions", "--no-legend").stdout.splitlines():
        session = row.split()[0]
        properties = run("loginctl", "show-session", session, "-p", "TTY", "-p", "Name", "-p", "State", "-p", "Class",
                         check=False).stdout
        if f"TTY={terminal}\n" in properties and "State=closing" not in properties and "Class=user" in properties:
            return re.search(r"^Name=(.*)$", properties, re.M).group(1)
    return None
