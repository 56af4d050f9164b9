"""Finds what comments and pages cite and nobody can open.

- `docs/….md` and `Sources/….swift`, in any text file: the file exists.
- A relative link of a Markdown page: the file exists, and has the heading that is named behind `#`.
- The first design and the notes beside it are no part of the project: nothing names them. The files of docs/decisions take
  their place.

Migrations are left out: a vault refuses a changed one, so their comments stay as they are (docs/decisions/008-vault.md).
"""

import os
import re

PAGE = re.compile(r"(?<![\w./-])(?:docs/[\w./-]+\.md|Sources/[\w+./-]+\.swift)\b")
# The brackets keep this line from finding itself.
OUTSIDE = re.compile(
    r"\b(?:DESIG[N]|WEBPHON[E]|FIELD-NOTE[S]|TOOLCHAI[N])\b|\b(?:CORE|SITE)(?:\.m[d]| sectio[n])\b|\.\./share[d]/")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def problems(root, names):
    """`file:line: what is wrong` for the files `names` below `root`."""
    texts = {name: text for name in names if (text := read(os.path.join(root, name))) is not None}
    headings = {name: anchors(text) for name, text in texts.items() if name.endswith(".md")}
    for name, text in texts.items():
        if name.startswith("migrations/"):
            continue

        def report(match, message):
            return "%s:%d: %s" % (name, text.count("\n", 0, match.start()) + 1, message)

        for match in OUTSIDE.finditer(text):
            yield report(match, "%r is not part of the project; cite a file of docs/decisions" % match.group(0))
        for match in PAGE.finditer(text):
            if not os.path.isfile(os.path.join(root, match.group(0))):
                yield report(match, "%s does not exist" % match.group(0))
        for match in LINK.finditer(without_code(text)) if name in headings else ():
            target, _, anchor = match.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if not os.path.exists(os.path.join(root, path)):
                yield report(match, "the link leads to %s, which does not exist" % path)
            elif anchor and anchor not in headings.get(path, ()):
                yield report(match, "%s has no heading #%s" % (path, anchor))


def read(path):
    """The text of a file; None for what is no text: pictures, the fuzzers' corpus, links to folders."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (UnicodeDecodeError, IsADirectoryError, FileNotFoundError):
        return None


def without_code(text):
    """The text with blocks of code blanked out; lines stay where they are."""
    return FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def anchors(text):
    """The anchors that GitHub gives the headings of a page."""
    found = []
    for heading in re.findall(r"^#+ +(.+?) *$", without_code(text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        found.append("%s-%d" % (slug, found.count(slug)) if slug in found else slug)
    return set(found)
