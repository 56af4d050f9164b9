"""LightDM as Debian has it, without X: greeter and session are of its type "wayland", for which it starts no display
server. Daemon, PAM stack and logind sessions are the real ones."""

import pathlib
import shutil

from machine import SHARE, run, wait_until

DIRECTORY = pathlib.Path("/run/lightdm-greeter")
GREETER = """[Desktop Entry]
Name=Scripted
Exec=/usr/local/bin/scripted-greeter
Type=Application
X-LightDM-Session-Type=wayland
"""
SESSION = """[Desktop Entry]
Name=Text
Exec=/bin/sleep 600
Type=Application
"""
CONFIGURATION = """[Seat:*]
greeter-session=scripted
user-session=text
allow-guest=false
"""


def start():
    shutil.copy(SHARE / "guest/lightdm_greeter.py", "/usr/local/bin/scripted-greeter")
    pathlib.Path("/usr/local/bin/scripted-greeter").chmod(0o755)
    for path, text in [("/usr/share/xgreeters/scripted.desktop", GREETER),
                       ("/usr/share/wayland-sessions/text.desktop", SESSION),
                       ("/etc/lightdm/lightdm.conf", CONFIGURATION)]:
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(text)
    DIRECTORY.mkdir(exist_ok=True)
    shutil.chown(DIRECTORY, "lightdm", "lightdm")
    run("systemctl", "start", "--no-block", "lightdm")


def seen():
    path = DIRECTORY / "seen"
    return path.read_text().splitlines() if path.exists() else []


def wait_for(line, seconds=60):
    """What the greeter has seen since it was last asked, up to the line."""
    wait_until(lambda: line in seen(), seconds, of=f"LightDM's greeter sees {line!r}, not {seen()}")
    lines = seen()
    (DIRECTORY / "seen").unlink()
    return lines


def say(name, text):
    """A file for the greeter, whole at once."""
    path = DIRECTORY / (name + ".new")
    path.write_text(text)
    shutil.chown(path, "lightdm", "lightdm")
    path.rename(DIRECTORY / name)


def sessions_of(user):
    """The user's logind sessions by LightDM, once their program runs: logind shows them before PAM has heard of them."""
    if run("pgrep", "-u", user, "-x", "sleep", check=False).returncode != 0:
        return []
    rows = [row.split() for row in run("loginctl", "list-sessions", "--no-legend").stdout.splitlines()]
    return [row[0] for row in rows if user in row
            and "Service=lightdm\n" in run("loginctl", "show-session", row[0], "-p", "Service", check=False).stdout]
