#!/usr/bin/python3
"""Puts the web phone's page into the folder of its core: its files, its catalogues as JSON, and the hashes of all of them.

All that a phone loads beside the core, every catalogue included, has a limit of 60 KB, gzipped file by file as a server sends it.
"""

import base64
import gzip
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE, PLACE = ROOT / "Phones/Web", ROOT / "dist/web"
MANIFEST = "manifest.webmanifest"
FILES = ["index.html", "style.css", MANIFEST, "icon.svg", "icon-192.png", "icon-512.png"]
LIMIT = 60_000  # bytes, gzipped; KB are thousands, as for the core (Scripts/web)
# A phone needs no comments.
COMMENT = re.compile(rb"^ *//.*\n", re.MULTILINE)
ENTRY = re.compile(r'^msgid "(.*)"\nmsgstr "(.*)"$', re.MULTILINE)


def catalogue(path):
    """A catalogue of gettext's: one line for each text, as ours are."""
    texts = {json.loads('"%s"' % key): json.loads('"%s"' % text) for key, text in ENTRY.findall(path.read_text()) if key}
    if not all(texts.values()):
        raise SystemExit("%s: a text is missing" % path)
    return texts


def write_catalogues():
    languages = {path.stem: catalogue(path) for path in sorted((SOURCE / "po").glob("*.po"))}
    for code, texts in languages.items():
        if texts.keys() != languages["en"].keys():
            raise SystemExit("po/%s.po does not have the same texts as en.po: %s" % (code, sorted(texts.keys() ^ languages["en"].keys())))
        (PLACE / ("texts-%s.json" % code)).write_text(json.dumps(texts, ensure_ascii=False, separators=(",", ":")))
    return ["texts-%s.json" % code for code in languages]


def integrity(path):
    return base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()


def main():
    core = PLACE / "boxphone.wasm"
    if not core.exists():
        raise SystemExit("%s is missing; run: make web" % core)
    own = FILES + sorted(path.name for path in SOURCE.glob("*.js"))
    for name in own:
        data = (SOURCE / name).read_bytes()
        (PLACE / name).write_bytes(COMMENT.sub(b"", data) if name.endswith(".js") else data)
    (PLACE / MANIFEST).write_text(json.dumps(json.loads((SOURCE / MANIFEST).read_text()), separators=(",", ":")))
    (PLACE / "hashes.js").write_text('export const WASM_SHA256 = "%s";\n' % hashlib.sha256(core.read_bytes()).hexdigest())
    texts = write_catalogues()
    kept = [name for name in own if name != "sw.js"] + ["hashes.js", "boxphone.wasm"] + texts
    files = {name: integrity(PLACE / name) for name in kept}
    release = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:32]
    worker = (SOURCE / "sw.js").read_text()
    filled = worker.replace('FILES = {}, RELEASE = ""', 'FILES = %s, RELEASE = "boxphone-%s"' % (json.dumps(files, separators=(",", ":")), release))
    if filled == worker:
        raise SystemExit("sw.js lacks the place for names and hashes")
    (PLACE / "sw.js").write_text(filled)
    # What an earlier release had, and this one does not, is no part of a package.
    for path in PLACE.iterdir():
        if path.name not in [*files, "sw.js"]:
            path.unlink()
    return report(own + ["hashes.js"], texts)


def report(own, texts):
    """Whether it is more than a phone shall load."""
    loaded = {name: (PLACE / name).read_bytes() for name in own + texts}
    zipped = {name: len(gzip.compress(data, 9, mtime=0)) for name, data in loaded.items()}
    for what, names in (("the page", own), ("its catalogues", texts)):
        print("web: %s: %d bytes, %d gzipped" % (what, sum(len(loaded[name]) for name in names), sum(zipped[name] for name in names)))
    size = sum(zipped.values())
    print("web: %d files beside the core: %d bytes gzipped (limit %d)" % (len(loaded), size, LIMIT))
    return size > LIMIT


if __name__ == "__main__":
    PLACE = ROOT / sys.argv[1]
    sys.exit(main())
