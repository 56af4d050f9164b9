"""Boots the guest, runs one job in it as root, and passes its output on line by line. Nothing is kept of the guest but
what the job leaves in the shared folder, and a disk of its own where it boots more than once."""

import contextlib
import pathlib
import shutil
import socket
import subprocess
import threading
import time

from deadline import Deadline

# A plain x86-64-v2 under software emulation: KVM is not to be had everywhere, and results should be alike.
CPU = "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt,+rdrand"
KERNEL_PARAMETERS = (
    "console=ttyS0 quiet loglevel=4 panic=-1 reboot=t no_timer_check mitigations=off nokaslr audit=0 apparmor=0 "
    "selinux=0 random.trust_cpu=on tsc=reliable clocksource=tsc nowatchdog cryptomgr.notests raid=noautodetect "
    "net.ifnames=0 systemd.show_status=no rd.systemd.show_status=no")
# A machine that keeps its disk starts its own services: what was enabled in it comes up with it.
KEPT_PARAMETERS = " systemd.wants=multi-user.target"
QEMU = "qemu-system-x86_64"
# One: two guests run beside each other, and processors of a guest that wait for each other's lock while only one of them has a
# thread of the host are slower than one alone (two guests of two: 1.3 times the time for the same groups).
PROCESSORS = 1
MEMORY = "1024M"
# MiB for what QEMU has translated. When it is full, all of it is thrown away and translated anew.
TRANSLATED = 512
# Of an instruction, where the clock counts them: 1 is 2 ns.
NANOSECONDS_AS_POWER = 1
# It takes ten on a quiet machine.
BOOT_SECONDS = 200


class GuestFailed(Exception):
    """The guest did not run its job to the end."""


class GuestSilent(GuestFailed):
    """It did not boot."""


def overlay(below: pathlib.Path, form: str, disk: pathlib.Path):
    """A disk of its own, which holds what differs from the one below."""
    disk.unlink(missing_ok=True)
    subprocess.run([shutil.which("qemu-img") or "qemu-img", "create", "-q", "-f", "qcow2", "-F", form, "-b",
                    str(below.resolve()), str(disk)], check=True)


class Guest:
    """One run of the guest with `share` as /mnt/share; `share/job` is what it runs. It has a graphics adapter, which shows its
    virtual terminals, and QEMU serves its monitor protocol (QMP) on the socket `display`.

    It boots, or goes on from a `snapshot` (snapshot.py). With an `overlay` its disk is that QCOW2 file, which keeps what is
    written. A `second_disk` is there to be read (/dev/vdb).

    The clock of a guest that `counts` goes by the instructions that it executes: to itself it is as fast on a busy host as on a
    quiet one. It has one processor."""

    def __init__(self, image: pathlib.Path, share: pathlib.Path, console: pathlib.Path, display: pathlib.Path,
                 processors=PROCESSORS, memory=MEMORY, snapshot=None, overlay: pathlib.Path | None = None,
                 second_disk: pathlib.Path | None = None, translated=TRANSLATED, counts=False):
        self.image, self.share, self.console = image, share, console
        self.processors, self.memory, self.translated, self.counts = processors, memory, translated, counts
        self.display, self.snapshot, self.overlay, self.second_disk = display, snapshot, overlay, second_disk
        # Beside the console's file: the path of a socket has 107 bytes at most.
        self.control = console.with_name("go")
        self.qemu = self.disk = None
        self.is_unplugged = False

    @contextlib.contextmanager
    def keeping_disk(self):
        """What is written inside is there at the next boot. The first goes on from the snapshot, the others boot."""
        self.disk = self.console.with_name("disk")
        try:
            yield self
        finally:
            self.disk.unlink(missing_ok=True)

    def unplug(self):
        """The guest's power fails: whatever it has not written to its disk is lost."""
        self.is_unplugged = True
        self.qemu.kill()

    def run(self, on_line, seconds) -> int:
        """As `_boot`; a guest that does not come up at all is started once more."""
        is_first = self.disk is not None and not self.disk.exists()
        try:
            return self._boot(on_line, seconds, is_first)
        except GuestSilent:
            return self._boot(on_line, seconds, is_first)

    def _boot(self, on_line, seconds, is_first) -> int:
        """The job's exit status, 0 for an unplugged guest; each line of its output goes to `on_line` when it comes."""
        results = self.share / "results"
        results.mkdir(exist_ok=True)
        status = results / "status"
        status.unlink(missing_ok=True)
        start = time.monotonic()
        self.is_unplugged = False
        if is_first:
            overlay(self.snapshot.disk, "qcow2", self.disk)
        snapshot = self.snapshot if is_first or not self.disk else None
        with open(self.console.with_suffix(".qemu"), "wb") as errors:
            self.qemu = qemu = subprocess.Popen(
                self._command(snapshot), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        expired, spoke, ended = threading.Event(), threading.Event(), threading.Event()

        def watch():
            boot, whole = Deadline(BOOT_SECONDS), Deadline(seconds)
            while not ended.wait(1):
                if whole.is_over() or (not spoke.is_set() and boot.is_over()):
                    expired.set()
                    qemu.kill()
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        if snapshot:
            threading.Thread(target=self._say_go, args=[ended], daemon=True).start()
        try:
            for line in qemu.stdout:
                spoke.set()
                on_line(line.decode(errors="backslashreplace").rstrip("\n"))
            qemu.wait()
        finally:
            ended.set()
            if qemu.poll() is None:
                qemu.kill()
                qemu.wait()
        if expired.is_set() and not spoke.is_set():
            raise GuestSilent(f"the guest said nothing within {BOOT_SECONDS} s of a quiet machine")
        if expired.is_set():
            raise GuestFailed("the guest was ended after %.0f s" % (time.monotonic() - start))
        if self.is_unplugged:
            return 0
        if not status.exists():
            raise GuestFailed("the guest never got through its job; its console ends with:\n" + self._console_tail())
        return int(status.read_text())

    def _say_go(self, ended):
        """To the guest that waits in its snapshot, with the time that it is now; again until it has spoken."""
        while not ended.wait(0.1):
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(str(self.control))
                    connection.sendall(f"go {time.time():.3f}\n".encode())
                    ended.wait()
                    return
            except OSError:
                continue  # QEMU has not made its socket yet

    def _console_tail(self):
        text = self.console.read_text(errors="backslashreplace") if self.console.exists() else "(nothing)"
        qemu = self.console.with_suffix(".qemu").read_text(errors="backslashreplace")
        return "\n".join((text + qemu).splitlines()[-20:])

    def _command(self, snapshot):
        # What is thrown away need not reach the host's disk either.
        if self.disk:
            root = f"file={self.disk},format=qcow2,cache=writeback"
        elif self.overlay:
            root = f"file={self.overlay},format=qcow2,cache=unsafe"
        elif snapshot:
            root = f"file={snapshot.disk},format=qcow2,snapshot=on,cache=unsafe"
        else:
            root = f"file={self.image}/root.ext4,format=raw,snapshot=on,cache=unsafe"
        incoming = ["-incoming", f"exec:cat <{snapshot.state}"] if snapshot else []
        second = ["-drive", f"file={self.second_disk},format=raw,if=none,id=second,readonly=on",
                  "-device", "virtio-blk-pci,drive=second"] if self.second_disk else []
        clock = ["-icount", f"shift={NANOSECONDS_AS_POWER}"] if self.counts else []
        threads = "single" if self.counts else "multi"
        return [
            shutil.which(QEMU) or QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "q35,usb=off,vmport=off", "-accel", f"tcg,thread={threads},tb-size={self.translated}", *clock, "-cpu", CPU,
            "-smp", str(self.processors), "-m", self.memory,
            "-kernel", str(self.image / "vmlinux"), "-initrd", str(self.image / "initrd.cpio"),
            "-append", KERNEL_PARAMETERS + (KEPT_PARAMETERS if self.disk else ""),
            "-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console",
            "-drive", f"{root},if=none,id=root",
            "-device", "virtio-blk-pci,drive=root", *second, "-device", "virtio-rng-pci", "-device", "virtio-serial-pci",
            "-chardev", "file,id=output,path=/dev/stdout", "-device", "virtserialport,chardev=output,name=rig.output",
            "-chardev", f"socket,id=control,path={self.control},server=on,wait=off",
            "-device", "virtserialport,chardev=control,name=rig.control",
            "-fsdev", f"local,id=share,path={self.share},security_model=none,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",
            "-device", "virtio-vga", "-qmp", f"unix:{self.display},server=on,wait=off", *incoming,
        ]
