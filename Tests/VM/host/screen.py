"""Pictures of the guest's screen, by QEMU's machine protocol (QMP)."""

import json
import socket

SECONDS = 20


def dump(monitor, path) -> str:
    """Writes what the screen shows to `path` as PNG; "done", or what QEMU says is wrong."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(SECONDS)
        connection.connect(str(monitor))
        lines = connection.makefile("rw", encoding="utf-8")
        lines.readline()  # the greeting
        for command in [{"execute": "qmp_capabilities"},
                        {"execute": "screendump", "arguments": {"filename": str(path), "format": "png"}}]:
            lines.write(json.dumps(command) + "\n")
            lines.flush()
            answer = {"event": ""}
            while "event" in answer:
                answer = json.loads(lines.readline() or "{}")
            if "return" not in answer:
                return "QEMU: %s" % answer
    return "done"
