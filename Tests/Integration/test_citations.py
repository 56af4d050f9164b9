"""Scripts/check-sources refuses citations that cannot be opened (Scripts/citations.py). Here, that check is shown to fail."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts"))
import citations  # noqa: E402

PAGE = "# One page\n\n## What it says, in `code`\n\n## Twice\n\n## Twice\n\n```\n# no heading\n[no](link.md)\n```\n"


def docs(text):
    """Replaces the placeholder @ by the folder's name. Scripts/check-sources would look for pages that this file names in full."""
    return text.replace("@", "docs")


def problems(root, name, text):
    """Returns the problems of a project with a page, a picture and this text."""
    files = {"@/page.md": PAGE, "@/picture.png": "\N{LATIN SMALL LETTER Y WITH DIAERESIS}", name: text}
    files = {docs(name): docs(text) for name, text in files.items()}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1" if name.endswith(".png") else "utf-8"))
    return list(citations.problems(str(root), sorted(files)))


@pytest.mark.parametrize("name, text", [
    ("a.swift", "/// Why: @/page.md, and /usr/share/doc/x/gone.md"),
    ("README.md", "[a](@/page.md) [b](@/page.md#what-it-says-in-code) [c](@/page.md#twice-1) [d](@)\n"),
    ("README.md", "# Here\n\n[a](#here) [b](https://example.org/gone.md) ![c](@/picture.png)\n"),
    ("@/deep/other.md", "[a](../page.md#twice)\n"),
    ("main.c", "/* bluez: src/shared/gatt-server.c */"),
    ("migrations/0001.sql", "-- DESIG" + "N section 7, @/gone.md"),
])
def test_what_can_be_opened_is_no_problem(tmp_path, name, text):
    assert problems(tmp_path, name, text) == []


@pytest.mark.parametrize("name, text, said", [
    ("a.swift", "\n/// Why: @/gone.md", "a.swift:2: @/gone.md does not exist"),
    ("Makefile", "# @/decisions/999-gone.md", "Makefile:1: @/decisions/999-gone.md does not exist"),
    ("a.py", "# DESIG" + "N section 8", "a.py:1: 'DESIG" + "N' is not part of the project"),
    ("b.md", "see ../share" + "d/x", "b.md:1: '../share" + "d/' is not part of the project"),
    ("README.md", "[a](@/gone.md)", "README.md:1: the link leads to @/gone.md"),
    ("@/other.md", "[a](gone.md)", "@/other.md:1: the link leads to @/gone.md"),
    ("@/other.md", "\n\n[a](page.md#no-heading)", "@/other.md:3: @/page.md has no heading #no-heading"),
    ("@/other.md", "[a](#gone)", "@/other.md:1: @/other.md has no heading #gone"),
])
def test_what_nobody_can_open_is_named_with_its_line(tmp_path, name, text, said):
    assert any(problem.startswith(docs(said)) for problem in problems(tmp_path, name, text))
