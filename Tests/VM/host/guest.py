"""Boots the guest, runs one job in it as root, and passes its output on line by line. The guest keeps only what the job leaves in
the shared folder, and its own disk if it boots several times."""

import contextlib
import pathlib
import shutil
import socket
import subprocess
import threading
import time

from deadline import Deadline

# A plain x86-64-v2 under software emulation. KVM is not available everywhere, and results should be comparable.
CPU = "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt,+rdrand"
KERNEL_PARAMETERS = (
    "console=ttyS0 quiet loglevel=4 panic=-1 reboot=t no_timer_check mitigations=off nokaslr audit=0 apparmor=0 "
    "selinux=0 random.trust_cpu=on tsc=reliable clocksource=tsc nowatchdog cryptomgr.notests raid=noautodetect "
    "net.ifnames=0 systemd.show_status=no rd.systemd.show_status=no")
# A machine that keeps its disk starts its own services. Units that were enabled in it start again.
KEPT_PARAMETERS = " systemd.wants=multi-user.target"
QEMU = "qemu-system-x86_64"
# One processor, because two guests run at the same time. With two processors each, one waits for the other's lock while the host
# runs only one thread: the same groups took 1.3 times as long.
PROCESSORS = 1
MEMORY = "1024M"
# MiB for QEMU's translated code. When it is full, QEMU discards all of it and translates again.
TRANSLATED = 512
# The time of one instruction if the clock counts instructions: 1 means 2 ns.
NANOSECONDS_AS_POWER = 1
# A quiet machine boots in ten seconds.
BOOT_SECONDS = 200


class GuestFailed(Exception):
    """The guest did not complete its job."""


class GuestSilent(GuestFailed):
    """The guest did not boot."""


def overlay(below: pathlib.Path, form: str, disk: pathlib.Path):
    """Makes a disk that stores only the differences from the one below."""
    disk.unlink(missing_ok=True)
    subprocess.run([shutil.which("qemu-img") or "qemu-img", "create", "-q", "-f", "qcow2", "-F", form, "-b",
                    str(below.resolve()), str(disk)], check=True)


class Guest:
    """One run of the guest with `share` as /mnt/share. It runs `share/job`. Its graphics adapter shows the virtual terminals, and
    QEMU serves its monitor protocol (QMP) on the socket `display`. The guest boots, or resumes from a `snapshot` (snapshot.py).
    With an `overlay`, its disk is that QCOW2 file, which keeps what is written. A `second_disk` is attached read-only (/dev/vdb).
    If the guest `counts`, its clock follows the instructions that it executes, so that a busy host does not make it seem slow. Such
    a guest has one processor."""

    def __init__(self, image: pathlib.Path, share: pathlib.Path, console: pathlib.Path, display: pathlib.Path,
                 processors=PROCESSORS, memory=MEMORY, snapshot=None, overlay: pathlib.Path | None = None,
                 second_disk: pathlib.Path | None = None, translated=TRANSLATED, counts=False):
        self.image, self.share, self.console = image, share, console
        self.processors, self.memory, self.translated, self.counts = processors, memory, translated, counts
        self.display, self.snapshot, self.overlay, self.second_disk = display, snapshot, overlay, second_disk
        # The socket is next to the console's file, because a socket's path has at most 107 bytes.
        self.control = console.with_name("go")
        self.qemu = self.disk = None
        self.is_unplugged = False

    @contextlib.contextmanager
    def keeping_disk(self):
        """Keeps the disk for the next boot. The first run resumes from the snapshot, and the others boot."""
        self.disk = self.console.with_name("disk")
        try:
            yield self
        finally:
            self.disk.unlink(missing_ok=True)

    def unplug(self):
        """Cuts the guest's power. Data that is not yet on its disk is lost."""
        self.is_unplugged = True
        self.qemu.kill()

    def run(self, on_line, seconds) -> int:
        """Runs `_boot`, and tries once more if the guest does not come up at all."""
        is_first = self.disk is not None and not self.disk.exists()
        try:
            return self._boot(on_line, seconds, is_first)
        except GuestSilent:
            return self._boot(on_line, seconds, is_first)

    def _boot(self, on_line, seconds, is_first) -> int:
        """Returns the job's exit status, or 0 if the guest was unplugged. Passes each line of output to `on_line` as it arrives."""
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
        """Tells the guest that waits in its snapshot to continue, and the time. Retries until the connection succeeds."""
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
        # Data that will be discarded need not reach the host's disk.
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
