"""A real xrdp with its session manager, in the namespace that Scripts/test-rdp creates."""

import hashlib
import os
import pathlib
import re
import shutil
import ssl
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SERVER = "127.0.0.1:3389"
PASSWORD = b"correct horse 7f3a"
BACKGROUND = (0x1D, 0x5C, 0x3A)


def set_up_server():
    """Changes Debian's configuration as the test needs: a desktop, a certificate, no choice of sessions."""
    shutil.copy(HERE / "startwm.sh", "/etc/xrdp/startwm.sh")
    os.chmod("/etc/xrdp/startwm.sh", 0o755)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=rdp.example.org", "-days", "2",
         "-keyout", "/etc/xrdp/key.pem", "-out", "/etc/xrdp/cert.pem"], check=True, capture_output=True)
    os.chmod("/etc/xrdp/key.pem", 0o600)
    edit("/etc/xrdp/xrdp.ini", [
        (r"^port=3389$", "port=tcp://" + SERVER), (r"^security_layer=.*$", "security_layer=tls"),
        (r"^certificate=.*$", "certificate=/etc/xrdp/cert.pem"), (r"^key_file=.*$", "key_file=/etc/xrdp/key.pem"),
        (r"^autorun=.*$", "autorun=Xorg")])
    pathlib.Path("/run/xrdp/sockdir").mkdir(parents=True, exist_ok=True)
    os.chmod("/run/xrdp/sockdir", 0o3777)


def edit(path, changes):
    text = pathlib.Path(path).read_text()
    for pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        assert count, pattern
    pathlib.Path(path).write_text(text)


def fingerprint():
    """Returns the fingerprint of the server's certificate in FreeRDP's notation."""
    certificate = ssl.PEM_cert_to_DER_cert(pathlib.Path("/etc/xrdp/cert.pem").read_text())
    return "fingerprint:sha256:" + hashlib.sha256(certificate).digest().hex(":")


def add_user(name):
    subprocess.run(["useradd", "--create-home", "--shell", "/bin/bash", name], check=True)
    subprocess.run(["chpasswd"], input=name.encode() + b":" + PASSWORD + b"\n", check=True)


def pixels(display, authority, *, to=None):
    """Counts the pixels of each colour on a display. If `to` is given, also writes a picture there."""
    shot = subprocess.run(
        ["import", "-display", display, "-window", "root", "png:-"], capture_output=True,
        env=dict(os.environ, XAUTHORITY=str(authority)))
    if shot.returncode:
        return {}
    if to:
        subprocess.run(["convert", "png:-", "-strip", "-colors", "64", "-define", "png:compression-level=9",
                        "PNG8:%s" % to], input=shot.stdout, check=True)
    text = subprocess.run(["convert", "png:-", "-depth", "8", "-format", "%c", "histogram:info:-"], input=shot.stdout,
                          capture_output=True, check=True).stdout.decode()
    return {tuple(bytes.fromhex(colour[:6])): int(count)
            for count, colour in re.findall(r"(\d+): [^#]*#([0-9A-F]{6,8})", text)}
