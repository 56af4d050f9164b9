#!/usr/bin/python3
"""Puts the web phone's page into dist/web/, beside the core: its files, its catalogues as JSON, and the hashes of all of them.

The page's own files have a limit of 60,000 bytes; the catalogues, one for each language, are told beside it.
"""

import base64
import hashlib
import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE, PLACE = ROOT / "Phones/Web", ROOT / "dist/web"
FILES = ["index.html", "style.css", "manifest.webmanifest", "icon.svg", "icon-192.png", "icon-512.png"]
LIMIT = 60_000
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
            raise SystemExit("po/%s.po has other texts than en.po: %s" % (code, sorted(texts.keys() ^ languages["en"].keys())))
        (PLACE / ("texts-%s.json" % code)).write_text(json.dumps(texts, ensure_ascii=False, separators=(",", ":")))
    return ["texts-%s.json" % code for code in languages]


def integrity(path):
    return "sha256-" + base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()


def main():
    core = PLACE / "boxphone.wasm"
    if not core.exists():
        raise SystemExit("%s is missing; run: make web" % core)
    own = FILES + sorted(path.name for path in SOURCE.glob("*.js"))
    for name in own:
        shutil.copyfile(SOURCE / name, PLACE / name)
    (PLACE / "hashes.js").write_text('export const WASM_SHA256 = "%s";\n' % hashlib.sha256(core.read_bytes()).hexdigest())
    texts = write_catalogues()
    kept = [name for name in own if name != "sw.js"] + ["hashes.js", "boxphone.wasm"] + texts
    files = {name: integrity(PLACE / name) for name in kept}
    release = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:32]
    worker = (SOURCE / "sw.js").read_text()
    filled = worker.replace('FILES = {}, RELEASE = ""', 'FILES = %s, RELEASE = "boxphone-%s"' % (json.dumps(files), release))
    if filled == worker:
        raise SystemExit("sw.js has no place for names and hashes")
    (PLACE / "sw.js").write_text(filled)
    size = sum((PLACE / name).stat().st_size for name in own + ["hashes.js"])
    print("web: the page has %d bytes (limit %d), its catalogues %s" % (
        size, LIMIT, ", ".join("%s %d" % (name[6:8], (PLACE / name).stat().st_size) for name in texts)))
    return size > LIMIT


if __name__ == "__main__":
    sys.exit(main())
