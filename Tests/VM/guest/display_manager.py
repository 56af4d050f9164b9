"""Debian's LightDM without X. Greeter and session have the session type "wayland", for which LightDM starts no display server.
Daemon, PAM stack and logind sessions are real. On a display that another program has started, the same greeter has the type "x", as
LightDM requires there."""

import contextlib
import pathlib
import shutil
import subprocess

from machine import SHARE, run, wait_until

DIRECTORY = pathlib.Path("/run/lightdm-greeter")
GREETER = """[Desktop Entry]
Name=Scripted
Exec=/usr/local/bin/scripted-greeter
Type=Application
"""
SESSION = """[Desktop Entry]
Name=Text
Exec=/bin/sleep 600
Type=Application
"""
# A display that is added over D-Bus gets the settings of the first section, regardless of its name.
CONFIGURATION = """[Seat:*]
greeter-session=scripted-x
user-session=text-x
allow-guest=false

[Seat:seat0]
greeter-session=scripted
user-session=text
"""
# The number of a user's own X display. The greeter's files are in a directory that is named after the display.
DISPLAY = 9


def start():
    shutil.copy(SHARE / "guest/lightdm_greeter.py", "/usr/local/bin/scripted-greeter")
    pathlib.Path("/usr/local/bin/scripted-greeter").chmod(0o755)
    for path, text in [("/usr/share/xgreeters/scripted.desktop", GREETER + "X-LightDM-Session-Type=wayland\n"),
                       ("/usr/share/xgreeters/scripted-x.desktop", GREETER),
                       ("/usr/share/wayland-sessions/text.desktop", SESSION),
                       ("/usr/share/xsessions/text-x.desktop", SESSION),
                       ("/etc/lightdm/lightdm.conf", CONFIGURATION)]:
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(text)
    for directory in (DIRECTORY, DIRECTORY / f":{DISPLAY}"):
        directory.mkdir(exist_ok=True)
        shutil.chown(directory, "lightdm", "lightdm")
    run("systemctl", "start", "--no-block", "lightdm")


@contextlib.contextmanager
def login_screen_of(user):
    """Starts an X server as this user and asks LightDM for a login screen on it, as every user may. Yields its Greeter."""
    me = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
    with subprocess.Popen([*me, "Xvfb", f":{DISPLAY}", "-ac", "-extension", "GLX"], stdin=subprocess.DEVNULL) as server:
        try:
            wait_until(pathlib.Path(f"/tmp/.X11-unix/X{DISPLAY}").exists, of="the user's X server")
            run(*me, "busctl", "call", "org.freedesktop.DisplayManager", "/org/freedesktop/DisplayManager",
                "org.freedesktop.DisplayManager", "AddLocalXSeat", "i", DISPLAY)
            yield Greeter(DIRECTORY / f":{DISPLAY}")
        finally:
            server.kill()


class Greeter:
    """A scripted greeter, controlled and observed through files."""

    def __init__(self, directory):
        self.directory = directory

    def seen(self):
        path = self.directory / "seen"
        return path.read_text().splitlines() if path.exists() else []

    def wait_for(self, line, seconds=60):
        """Waits until the greeter has seen the line. Returns everything that it has seen since the last call."""
        wait_until(lambda: line in self.seen(), seconds, of=f"LightDM's greeter sees {line!r}")
        lines = self.seen()
        (self.directory / "seen").unlink()
        return lines

    def say(self, name, text):
        """Writes a file for the greeter in one atomic step."""
        path = self.directory / (name + ".new")
        path.write_text(text)
        shutil.chown(path, "lightdm", "lightdm")
        path.rename(self.directory / name)


at_seat = Greeter(DIRECTORY)


def sessions_of(user):
    """Returns the user's LightDM sessions once their program runs. logind lists a session before PAM knows about it."""
    if run("pgrep", "-u", user, "-x", "sleep", check=False).returncode != 0:
        return []
    rows = [row.split() for row in run("loginctl", "list-sessions", "--no-legend").stdout.splitlines()]
    return [row[0] for row in rows if user in row
            and "Service=lightdm\n" in run("loginctl", "show-session", row[0], "-p", "Service", check=False).stdout]
