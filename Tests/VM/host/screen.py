"""The guest's screen, keyboard and state, by QEMU's machine protocol (QMP)."""

import collections
import contextlib
import json
import socket
import time

SECONDS = 20
# QEMU's names of keys (qapi/ui.json) on an American keyboard. Letters and digits are named as themselves.
KEYS = {"\n": "ret", " ": "spc", "-": "minus", ";": "semicolon"}


class MonitorFailed(Exception):
    """QEMU reported an error."""


@contextlib.contextmanager
def asking(monitor, seconds=SECONDS):
    """Yields a function that gives QEMU one command, waits until it is done, and returns the reply."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(seconds)
        connection.connect(str(monitor))
        lines = connection.makefile("rw", encoding="utf-8")
        lines.readline()  # the greeting

        def ask(command, **arguments):
            lines.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
            lines.flush()
            answer = {"event": ""}
            while "event" in answer:
                answer = json.loads(lines.readline() or "{}")
            if "return" not in answer:
                raise MonitorFailed("QEMU: %s" % answer)
            return answer["return"]

        ask("qmp_capabilities")
        yield ask


def wait_for_migration(ask, seconds):
    """Waits until a started migration has written its stream."""
    end = time.monotonic() + seconds
    while (status := ask("query-migrate")["status"]) != "completed":
        if status in ("failed", "cancelled") or time.monotonic() > end:
            raise MonitorFailed(f"QEMU's migration: {status}")
        time.sleep(0.05)


def dump(monitor, path):
    """Writes the screen to `path` as PNG. Returns the most common colours, and how much of the screen each covers."""
    plain = path.with_suffix(".ppm")
    with asking(monitor) as ask:
        ask("screendump", filename=str(path), format="png")
        ask("screendump", filename=str(plain), format="ppm")
    # "P6", width and height, 255, then the pixels. QEMU writes one line for each of the first three.
    pixels = plain.read_bytes().split(b"\n", 3)[3]
    plain.unlink()
    colours = collections.Counter(pixels[at:at + 3].hex() for at in range(0, len(pixels), 3))
    return {colour: count / colours.total() for colour, count in colours.most_common(8)}


def press(monitor, text):
    """Types the text on the guest's keyboard."""
    with asking(monitor) as ask:
        for letter in text:
            ask("send-key", keys=[{"type": "qcode", "data": KEYS.get(letter, letter)}])
