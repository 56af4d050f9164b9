"""A fake user database with several spellings of a name, for the agent of a box (user_names.c)."""
import os
import pathlib
import shutil
import subprocess

SPELLINGS = ("anna", "Anna", "anna@corp.example", "CORP\\anna")
ANNA = [(spelling, "anna", 5_000) for spelling in SPELLINGS]


def preload(box, answers=()):
    """Makes the box's agent use the fake database from its next start. `answers` has (spelling, name, number)."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "no C compiler; install gcc"
    library = box.directory / "user_names.so"
    subprocess.run(
        [compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library,
         pathlib.Path(__file__).with_suffix(".c")], check=True)
    box.environment = dict(os.environ, LD_PRELOAD=str(library), USER_NAMES=str(box.directory / "names"))
    know(box, answers)


def know(box, answers):
    lines = "".join(f"{spelling} {name} {number}\n" for spelling, name, number in answers)
    # Replaces the file atomically, because the agent may be reading it.
    (box.directory / "names.new").write_text(lines)
    (box.directory / "names.new").rename(box.directory / "names")
