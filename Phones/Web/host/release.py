"""A release of the web phone: its files, as sw.js names them, and the headers that a host sends with them."""

import json
import os
import pathlib
import re
import stat

HEADERS = [tuple(line.split(": ", 1)) for line in
           (pathlib.Path(__file__).resolve().parent / "headers.txt").read_text(encoding="ascii").splitlines()]
# The line that Scripts/web_page.py puts into sw.js.
LIST = re.compile(rb'const FILES = (\{[^{}]*\}), RELEASE = "(boxphone-[0-9a-f]+)";')
NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")
FILES, FILE_BYTES = 100, 4 << 20
# With X-Content-Type-Options nosniff, a browser runs no script of another type. Of two types, nginx sends the second.
TYPES = {
    "css": ["text/css"], "html": ["text/html"], "js": ["text/javascript", "application/javascript"], "json": ["application/json"],
    "png": ["image/png"], "svg": ["image/svg+xml"], "wasm": ["application/wasm"], "webmanifest": ["application/manifest+json"]}


class NoRelease(Exception):
    """A folder without a complete release."""


class Release:
    """The files of one release by name, and the release's own name. The files are read once and kept in memory."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        found = LIST.search(read(folder, "sw.js"))
        try:
            names, self.name = list(json.loads(found[1])), found[2].decode()
        except (TypeError, ValueError):
            raise NoRelease("%s: sw.js does not list any files" % folder) from None
        if "index.html" not in names or len(names) > FILES or not all(
                NAME.fullmatch(name) and name.rpartition(".")[2] in TYPES for name in names):
            raise NoRelease("%s: sw.js lists names that are not valid for a page" % folder)
        self.files = {name: read(folder, name) for name in [*names, "sw.js"]}


def types(name):
    return TYPES[name.rpartition(".")[2]]


def read(folder, name):
    """Returns the bytes of a regular file in the folder. Refuses endless files, and links, which may lead elsewhere."""
    try:
        with open(os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NoRelease("%s is not a regular file" % (folder / name))
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise NoRelease("%s cannot be read: %s" % (folder / name, error.strerror)) from None
    if len(data) > FILE_BYTES:
        raise NoRelease("%s is longer than %d bytes" % (folder / name, FILE_BYTES))
    return data
