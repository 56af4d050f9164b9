"""The units of packaging/systemd: messages and pages name only these."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = {path.name for path in (ROOT / "packaging" / "systemd").iterdir()}
SHOWN = ("Sources", "docs", "packaging", "Phones", "Plugins", "README.md", "SECURITY.md")


def named(text):
    """Returns this project's units that a text names, with their type, or without it after systemctl(1)."""
    units = set(re.findall(r"\bbox[a-z]+(?:-[a-z]+)*\.(?:socket|service|timer|path|target)\b", text))
    for words in re.findall(r"\bsystemctl((?: [\w@.=-]+)+)", text):
        names = (word.rstrip(".") for word in words.split() if word.startswith("box"))
        units |= {name if "." in name else name + ".service" for name in names}
    return units


@pytest.mark.parametrize("text, units", [
    ("boxagentd is not running; see `systemctl status boxagentd.socket`", {"boxagentd.socket"}),
    ("run: systemctl restart boxagentd-pam.socket boxagent", {"boxagentd-pam.socket", "boxagent.service"}),
    ("Run systemctl enable --now boxsited.", {"boxsited.service"}),
    ("/etc/systemd/system/boxagentd.service.d/site.conf", {"boxagentd.service"}),
    ("the agent's socket, agent.socket", set()),
])
def test_the_units_that_a_text_names_are_found(text, units):
    assert named(text) == units


def test_messages_and_pages_name_only_units_that_are_shipped():
    # Searches only text files, and follows no links to folders.
    found = subprocess.run(
        ["git", "grep", "-lIE", r"systemctl|\.(socket|service|timer|path|target)", "--", *SHOWN], cwd=ROOT, check=True,
        capture_output=True, text=True)
    seen = set()
    for name in found.stdout.splitlines():
        units = named((ROOT / name).read_text())
        assert units <= SHIPPED, name
        seen |= units
    assert {"boxagentd-pam.socket", "boxagentd.service", "boxsited.service"} <= seen


def test_what_argon2_works_in_is_not_swapped():
    assert "\nMemorySwapMax=0\n" in (ROOT / "packaging" / "systemd" / "boxagentd.service").read_text()
