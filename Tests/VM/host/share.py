"""Makes the folder that a guest has as /mnt/share: its job, the job's files, and our programs as Scripts/install lays them out. The
job leaves its results in `results`."""

import os
import pathlib
import shutil
import subprocess

PYTHON = "/usr/bin/python3"


def for_preparation(root: pathlib.Path, directory: pathlib.Path):
    """Makes the share of the guest that becomes the snapshot. That guest installs what the groups expect."""
    _make(root, directory, "exec python3 guest/prepare.py\n")
    return directory


def for_group(root: pathlib.Path, directory: pathlib.Path, build: pathlib.Path):
    _make(root, directory, "exec python3 guest/runner.py\n")
    scenarios = directory / "scenarios"
    shutil.copytree(root / "Tests/VM/scenarios", scenarios, ignore=shutil.ignore_patterns("__pycache__"))
    _compile(scenarios)
    for name in ("floor", "packages"):
        if (build / name).is_dir():
            shutil.copytree(build / name, directory / name)
    shutil.copytree(root / "packaging/ansible", directory / "ansible")
    return directory


def _make(root, directory, job):
    shutil.rmtree(directory, ignore_errors=True)
    vm, integration = root / "Tests/VM", root / "Tests/Integration"
    shutil.copytree(vm / "guest", directory / "guest", ignore=shutil.ignore_patterns("__pycache__"))
    (directory / "integration").mkdir()
    for source in [integration / "independent_phone.py", integration / "agent/box.py", integration / "agent/deadline.py",
                   integration / "agent/session_program.py", integration / "web/chromium.py",
                   integration / "web/page_in_browser.py", integration / "web/authenticator.py", vm / "host/airlog.py"]:
        shutil.copy(source, directory / "integration")
    for name in ("guest", "integration"):
        _compile(directory / name)
    laid_out = directory / "root"
    subprocess.run([root / "Scripts/install"], check=True, env={**os.environ, "DESTDIR": str(laid_out)})
    (directory / "root.list").write_text(
        "".join(f"{path.relative_to(laid_out)}\n" for path in sorted(laid_out.rglob("*"))))
    (directory / "job").write_text(job)


def _compile(directory):
    """Compiles the files here, with the guest's Python version, which saves seconds in each guest. The result is not compared with
    the sources, because the share may change their times. The compiled paths are the guest's."""
    subprocess.run([PYTHON, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", str(directory.parent),
                    "-p", "/mnt/share", str(directory)], check=True)
