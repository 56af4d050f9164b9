"""The guest's Bluetooth: virtual controllers (btvirt) in one air, bluetoothd, and a log of the packets (btmon)."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import select
import signal
import socket
import struct
import subprocess
import time

from deadline import Deadline

SHARE = pathlib.Path("/mnt/share")
RESULTS = SHARE / "results"
KEPT = SHARE / "kept.json"
SHIM = "/usr/lib/rig/btvirt-shim.so"
MAIN_CONF = pathlib.Path("/etc/bluetooth/main.conf")
EXAMPLES = pathlib.Path("/usr/share/doc/boxagent/examples")
HCIGETDEVINFO = 0x800448d3
PATIENCE = 30  # seconds, on a quiet machine, after which a scenario gives up; not a limit on speed


class Failed(AssertionError):
    pass


def say(kind, **fields):
    """Prints a line for Tests/VM/run. All other output goes to the group's log."""
    print("@" + json.dumps({"kind": kind, **fields}), flush=True)


def note(text):
    """Prints a line into the transcript, below the running scenario."""
    say("note", text=text)


def picture(name):
    """Saves the screen as NAME.png in the results. Returns the most common colours, as {"rrggbb": share of the screen}."""
    return ask_host("screen", name)


def press(text):
    """Types on the machine's keyboard: lower-case letters, digits and the keys of host/screen.py."""
    return ask_host("keys", f"keys-{time.monotonic_ns()}", text=text)


def ask_host(kind, name, **fields):
    answer = RESULTS / f"{name}.answer"
    answer.unlink(missing_ok=True)
    say(kind, name=name, **fields)
    wait_until(answer.exists, of=f"the host's answer to {kind}")
    said = json.loads(answer.read_text())
    if "failed" in said:
        raise Failed(said["failed"])
    return said["done"]


def pull_the_plug():
    """Cuts the guest's power and ends the scenario. The next boot checks the effect."""
    say("unplug")
    signal.pause()


def keep(**what):
    """Saves values for later boots in the share, so that nothing is written to the guest's disk."""
    KEPT.write_text(json.dumps({**kept(), **what}))


def kept():
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def since_boot():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def run(*argv, check=True, seconds=PATIENCE, **options):
    argv = [str(word) for word in argv]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                          **options) as process:
        try:
            out, err = Deadline(seconds).wait(
                lambda left: process.communicate(timeout=left), subprocess.TimeoutExpired)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(argv, process.returncode, out, err)
    if check and done.returncode != 0:
        raise Failed(f"{argv} ended with {done.returncode}\nout: {done.stdout}\nerr: {done.stderr}")
    return done


def wait_until(what, seconds=PATIENCE, of="", pause=0.02):
    """Waits for the first true value of `what()` and returns it."""
    deadline = Deadline(seconds)
    while True:
        value = what()
        if value:
            return value
        if deadline.is_over():
            raise Failed(f"not within {seconds} s of a quiet machine ({deadline.factor:.1f} times slower now): "
                         f"{of or what.__name__}")
        select.select([], [], [], pause)


def seconds_until(what, seconds=PATIENCE, of=""):
    start = time.monotonic()
    wait_until(what, seconds, of)
    return time.monotonic() - start


def unit_pid(unit):
    return int(run("systemctl", "show", "-p", "MainPID", "--value", unit).stdout or 0)


def journal(*words):
    return run("journalctl", "-b", "--no-pager", "-o", "short-monotonic", *words, check=False).stdout


def air_state():
    """Returns the state of the kernel, bluetoothd and the air, for the log of a failed scenario."""
    lines = [run("hcitool", "con", check=False).stdout]
    for adapter in Controllers.present():
        lines.append(f"{adapter}: " + run("btmgmt", "--index", adapter[3:], "info", check=False).stdout[-400:])
        for device in Bluetoothd.devices(adapter):
            known = {name: run("busctl", "get-property", "org.bluez", device, "org.bluez.Device1", name,
                               check=False).stdout.strip() for name in ("Connected", "ServicesResolved", "Name", "RSSI")}
            lines.append(f"{device}: {known}")
    with air_log("after-a-failure"):
        lines.append(run("timeout", "3", "bluetoothctl", "scan", "le", check=False).stdout)
    return "\n".join(lines)


class Controllers:
    """Virtual controllers that hear each other. They are LE-only version 4.1, or version 5.2 with classic Bluetooth as well."""

    def __init__(self, count, is_dual_mode=False):
        self.count = count
        self.mode = [] if is_dual_mode else ["-L"]

    @staticmethod
    def load_modules():
        """Loads the modules early, because loading on demand would take time from the 2 s of the HCI Reset. Also uses two
        algorithms of btvirt, because the kernel starts modprobe at an algorithm's first use."""
        run("modprobe", "-a", "hci_vhci", "algif_hash", "algif_skcipher", "ecb", "cmac")
        for kind, name in (("skcipher", "ecb(aes)"), ("hash", "cmac(aes)")):
            with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as algorithm:
                algorithm.bind((kind, name))

    def start(self):
        self.load_modules()
        # Real-time priority: a real controller answers at once, even if its machine is busy.
        run("systemd-run", "--quiet", "--unit=btvirt", "--collect", f"--setenv=LD_PRELOAD={SHIM}",
            "--property=CPUSchedulingPolicy=rr", "--property=CPUSchedulingPriority=1", "btvirt",
            *self.mode, f"-l{self.count}")
        wait_until(lambda: len(self.present()) >= self.count, of=f"{self.count} controllers")

    def kill(self):
        """Unplugs all controllers."""
        os.kill(unit_pid("btvirt"), signal.SIGKILL)
        wait_until(lambda: not self.present(), of="controllers gone")
        wait_until(lambda: run("systemctl", "is-active", "btvirt", check=False).returncode != 0, of="btvirt ended")

    @staticmethod
    def present():
        return sorted(path.name for path in pathlib.Path("/sys/class/bluetooth").glob("hci?"))

    @staticmethod
    def address(adapter):
        """Returns the address from the kernel. bluetoothd may not run, or another stack may own the adapter."""
        info = bytearray(struct.pack("<H", int(adapter[3:])) + bytes(126))
        with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as hci:
            fcntl.ioctl(hci, HCIGETDEVINFO, info)
        return ":".join("%02X" % octet for octet in reversed(info[10:16]))

    @staticmethod
    def switch(adapter):
        """Returns the file of the adapter's rfkill(8) switch; 1 means blocked."""
        switch, = pathlib.Path(f"/sys/class/bluetooth/{adapter}").glob("rfkill*")
        return switch / "soft"

    @classmethod
    def rfkill(cls, adapter, blocked):
        cls.switch(adapter).write_text("1" if blocked else "0")

    @staticmethod
    def power(adapter, on):
        """Switches the adapter over D-Bus, as every program with access to bluetoothd can."""
        run("busctl", "set-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "Powered", "b",
            "true" if on else "false")


class Bluetoothd:
    """Debian's bluetoothd, unchanged or with the settings that packaging/bluetooth recommends."""

    def __init__(self, controllers):
        self.controllers = controllers

    def configure(self, stock, att_mtu):
        settings = "" if stock else (EXAMPLES / "main.conf").read_text()
        if not stock:
            drop_in = pathlib.Path("/etc/systemd/system/bluetooth.service.d/boxagent.conf")
            drop_in.parent.mkdir(exist_ok=True)
            drop_in.write_text((EXAMPLES / "bluetooth-service.conf").read_text())
            run("systemctl", "daemon-reload")
        # A section may appear twice. Later settings are added to it.
        with open(MAIN_CONF, "a", encoding="utf-8") as file:
            file.write(f"\n{settings}\n[GATT]\nExchangeMTU = {att_mtu}\n")

    def start(self, patience=None):
        """Starts bluetoothd. If `patience` is given, waits at most that many seconds, even on a slow machine."""
        run("systemctl", "start", "bluetooth")
        if patience is None:
            self.wait_for_adapters()
            return
        end = time.monotonic() + patience
        while len(self.adapters()) < self.controllers.count:
            if time.monotonic() > end:
                raise Failed(f"only {self.adapters()} within {patience} s")
            time.sleep(0.2)

    def restart(self):
        run("systemctl", "restart", "bluetooth")
        self.wait_for_adapters()

    def stop(self):
        run("systemctl", "stop", "bluetooth")

    def crash(self):
        pid = unit_pid("bluetooth")
        os.kill(pid, signal.SIGSEGV)
        wait_until(lambda: unit_pid("bluetooth") != pid, of="bluetoothd gone")

    def is_running(self):
        return unit_pid("bluetooth") != 0 and bool(self.adapters())

    def wait_for_adapters(self):
        wait_until(lambda: len(self.adapters()) >= self.controllers.count, of="adapters on D-Bus", pause=0.1)

    @staticmethod
    def adapters():
        tree = run("busctl", "tree", "--list", "org.bluez", check=False).stdout
        return re.findall(r"^/org/bluez/hci[0-9]+$", tree, re.M)

    @staticmethod
    def property(adapter, interface, name):
        done = run("busctl", "get-property", "org.bluez", f"/org/bluez/{adapter}", f"org.bluez.{interface}", name,
                   check=False)
        return done.stdout.split(" ", 1)[1].strip() if done.returncode == 0 else None

    def advertises(self, adapter="hci0"):
        return self.property(adapter, "LEAdvertisingManager1", "ActiveInstances") not in (None, "0")

    @staticmethod
    def devices(adapter):
        tree = run("busctl", "tree", "--list", "org.bluez", check=False).stdout
        return re.findall(rf"^/org/bluez/{adapter}/dev_[0-9A-F_]{{17}}$", tree, re.M)

    def forget_devices(self, adapter):
        for path in self.devices(adapter):
            run("busctl", "call", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "RemoveDevice", "o", path,
                check=False)

    def connected(self, adapter):
        def is_connected(path):
            done = run("busctl", "get-property", "org.bluez", path, "org.bluez.Device1", "Connected", check=False)
            return done.stdout.strip() == "b true"
        return [path for path in self.devices(adapter) if is_connected(path)]


@contextlib.contextmanager
def air_log(name):
    """Records what happens inside this context with btmon, as results/NAME.btsnoop."""
    path = RESULTS / f"{name}.btsnoop"
    # The log goes to the guest's memory first. The share is too slow to write each packet.
    local = pathlib.Path("/run") / path.name
    process = subprocess.Popen(["nice", "-n", "-10", "btmon", "-w", str(local)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: local.exists() and local.stat().st_size > 16, of="btmon writes")
    try:
        yield path
    finally:
        # btmon receives the last packets a moment later. It has them when its file stops growing.
        size = -1
        while size != local.stat().st_size:
            size = local.stat().st_size
            select.select([], [], [], 0.2)
        process.terminate()
        Deadline(10).wait(process.wait, subprocess.TimeoutExpired)
        path.write_bytes(local.read_bytes())
        local.unlink()
