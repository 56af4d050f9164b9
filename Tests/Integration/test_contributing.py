"""CONTRIBUTING.md says where a change goes, by examples. Its lists are the files that name each example."""
import itertools
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHERE = ("Package.swift", "Sources", "Phones", "Site", "packaging")
KINDS = (".swift", ".c", ".h", ".js", ".po", ".toml", ".html", ".css")


def spelled_out(path):
    """A{b,c}D is AbD and AcD."""
    parts = [part.strip("{}").split(",") if part.startswith("{") else [part] for part in re.split(r"(\{.*?\})", path)]
    return ["".join(words) for words in itertools.product(*parts)]


def rows():
    text = (ROOT / "CONTRIBUTING.md").read_text().split("## Where does a change go?", 1)[1].split("\n## ", 1)[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [(first, re.findall("`(.+?)`", example), [path for word in re.findall("`(.+?)`", files) if "/" in word or "." in word
                                                     for path in spelled_out(word)])
            for first, example, files in cells[2:]]


def sources():
    for top in WHERE:
        if (ROOT / top).is_file():
            yield top
        for folder, folders, files in os.walk(ROOT / top):
            folders[:] = [name for name in folders if not name.startswith(".") and name != "Tests"]
            yield from (os.path.relpath(os.path.join(folder, name), ROOT) for name in files if name.endswith(KINDS))


@pytest.mark.parametrize("change, example, files", rows(), ids=[row[0].split(" (")[0] for row in rows()])
def test_the_files_of_a_change_are_those_that_name_its_example(change, example, files):
    word = re.compile(r"(?<!\w)(%s)(?!\w)" % "|".join(map(re.escape, example)))
    naming = {path for path in sources() if word.search(path) or word.search((ROOT / path).read_text(errors="replace"))}
    folders = tuple(path for path in files if path.endswith("/"))
    assert {path for path in naming if not path.startswith(folders)} == {path for path in files if path not in folders}
    assert all(any(path.startswith(folder) for path in naming) for folder in folders)
