"""docs/known-attacks.md names tests; each of them exists."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_every_test_that_the_page_names_exists():
    page = (ROOT / "docs" / "known-attacks.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| ") and "---" not in line and "| test |" not in line]
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1])]
    assert len(names) > 40
    written = "\n".join(
        path.read_text() for folder in ("Tests",) for path in (ROOT / folder).rglob("*") if path.suffix in (".swift", ".py")
        and path.name != pathlib.Path(__file__).name)
    missing = [name for name in names
               if (f"def {name}(" if name.startswith("test_") else f'"{name}"') not in written]
    assert not missing
