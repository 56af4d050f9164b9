"""One group of scenarios: its share, its guest, and how the guest's lines appear in the transcript."""

import contextlib
import json
import re
import shutil
import time

import airlog
import decode
import screen
import share
from guest import PROCESSORS, Guest, GuestFailed

# A group takes at most about three minutes on a quiet machine. Other machines are slower.
GUEST_SECONDS = 900
TRACE_LINES = 25
# A browser is a lot of code that runs once. 512 MiB of translated code filled up four times before the page appeared.
FOR_BROWSER = {"memory": "2048M", "translated": 2047, "counts": True}


class Group:
    def __init__(self, name, root, build, options, snapshot, transcript):
        self.name, self.root, self.build = name, root, build
        self.radio, self.words, self.transcript = options.radio, options.only, transcript
        self.snapshot = snapshot if self.goes_on_from_snapshot(root, name) else None
        self.directory = build / name
        self.share = self.directory / "share"
        self.monitor = self.directory / "qmp"
        self.running = None
        self.passed = self.failed = self.crashes = 0
        self.ends = {}

    @classmethod
    def goes_on_from_snapshot(cls, root, name):
        """Returns whether the group can start from the snapshot: it needs the installed programs and the same machine."""
        wants = {constant: cls._constant(root, name, constant) for constant in ("INSTALLED", "PROCESSORS", "BROWSER")}
        return wants["INSTALLED"] != "False" and wants["PROCESSORS"] is None and wants["BROWSER"] is None

    @classmethod
    def wants_browser(cls, root, name):
        return cls._constant(root, name, "BROWSER") == "True"

    def run(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir()
        share.for_group(self.root, self.share, self.build)
        self.transcript.line()
        self.transcript.line(f"== {self.name}")
        start = time.monotonic()
        machine = {"second_disk": self.build / "browser/disk.ext4", **FOR_BROWSER} if self.wants_browser(self.root, self.name) else {}
        self.guest = Guest(self.build / "image", self.share, self.directory / "console", display=self.monitor,
                           processors=int(self._constant(self.root, self.name, "PROCESSORS") or PROCESSORS),
                           snapshot=self.snapshot, **machine)
        with open(self.directory / "log", "w", encoding="utf-8") as log:
            self.log = log
            self._boot_all()
        for result in (self.share / "results").iterdir():
            destination = self.directory / result.name
            shutil.copytree(result, destination, dirs_exist_ok=True) if result.is_dir() else shutil.copy(
                result, destination)
        shutil.rmtree(self.share)
        self._look_at_air()
        self.transcript.line("  %.0f s with the guest's start" % (time.monotonic() - start))

    def _boot_all(self):
        """Boots the guest once, or N times if the group sets `BOOTS = N`. Each later boot uses the disk of the previous one."""
        boots = int(self._constant(self.root, self.name, "BOOTS") or 1)
        with self.guest.keeping_disk() if boots > 1 else contextlib.nullcontext():
            for boot in range(1, boots + 1):
                if boot > 1:
                    self.transcript.line(f"  -- boot {boot}, from the same disk")
                is_last = boot == boots
                (self.share / "settings.json").write_text(json.dumps({
                    "group": self.name, "radio": self.radio, "words": self.words, "boot": boot, "is_last": is_last,
                    "is_prepared": self.snapshot is not None}))
                status = self.guest.run(self._line, GUEST_SECONDS)
                if status != 0:
                    raise GuestFailed(f"the guest's runner ended with {status}; see {self.directory / 'log'}")
                journal = self.share / "results/journal"
                if not is_last and journal.exists():
                    journal.rename(journal.with_name(f"journal-{boot}"))

    @staticmethod
    def _constant(root, group, name):
        """Reads a constant from the group's file. The host cannot import that file."""
        text = (root / f"Tests/VM/scenarios/{group}.py").read_text()
        found = re.search(rf"^{name} = (\w+)$", text, re.M)
        return found and found[1]

    def others_fault(self):
        """Returns a failure of the guest that neither our code nor the scenarios caused and that fails any scenario, or None."""
        console = self.directory / "console"
        if console.exists() and "kernel BUG" in console.read_text(errors="backslashreplace"):
            return "the guest's kernel had a BUG"
        return "bluetoothd crashed" if self.crashes else None

    def _line(self, line):
        print(line, file=self.log, flush=True)
        if not line.startswith("@"):
            return
        event = json.loads(line[1:])
        getattr(self, "_" + event.pop("kind"))(**event)

    # Messages of the guest's runner

    def _machine(self, kernel, bluez, controllers, stock, att_mtu, radio):
        settings = "Debian's settings: EATT with three channels" if stock else "the recommended settings: one ATT bearer"
        self.transcript.line(f"  Linux {kernel}, BlueZ {bluez}, controllers {' '.join(controllers)} (btvirt), {settings}, "
                             f"ATT_MTU {att_mtu}" + ("" if radio == "bluez" else f", radio {radio}"))

    def _ready(self, seconds, slowness):
        self.log.write("set up in %.1f s; %.2f times slower than a quiet machine\n" % (seconds, slowness))

    def _begin(self, name):
        self.running, self.begun = name, time.monotonic()

    def _unplug(self):
        """The scenario ends when the guest loses power. The next boot checks the effect."""
        self.guest.unplug()
        self._result(self.running, None, time.monotonic() - self.begun)

    def _note(self, text):
        self.transcript.line(f"          {text}")

    def _screen(self, name):
        """Saves a picture of the guest's screen as NAME.png. The guest waits until the answer is in the share."""
        self._answer(name, lambda: screen.dump(self.monitor, self.share / "results" / f"{name}.png"))

    def _keys(self, name, text):
        self._answer(name, lambda: screen.press(self.monitor, text))

    def _answer(self, name, act):
        try:
            answer = {"done": act()}
        except (OSError, screen.MonitorFailed) as error:
            answer = {"failed": str(error)}
        path = self.share / "results" / f"{name}.answer"
        path.with_suffix(".new").write_text(json.dumps(answer))
        path.with_suffix(".new").rename(path)

    def _skipped(self, name, why):
        self.ends[name] = "skipped"
        self.transcript.line(f"  skipped {name} ({why})")

    def _result(self, name, failure, seconds):
        self.running = None
        self.transcript.line(f"  {'FAILED ' if failure else 'ok     '} {name} ({seconds:.1f} s)")
        self.ends[name] = "failed" if failure else "passed"
        self.passed += not failure
        self.failed += bool(failure)
        if failure:
            for line in failure.splitlines()[-TRACE_LINES:]:
                self.transcript.line("          " + line)

    def _journal(self, bluetoothd_crashes, agent_faults):
        self.crashes += bluetoothd_crashes
        if bluetoothd_crashes:
            self.transcript.line(f"  bluetoothd crashed {bluetoothd_crashes} times; the journal is in {self.directory}")
        self._result("The agent itself neither crashed nor hung", "\n".join(agent_faults) or None, 0)

    def _look_at_air(self):
        """Checks the rule that every log of the air must obey, and decodes the log "login" into text."""
        for path in sorted(self.directory.glob("*.btsnoop")):
            packets = airlog.attribute_packets(path)
            longest = max((packet.longest_value for packet in packets), default=0)
            self._result(
                f"No value over 510 bytes is in {path.name}: {len(packets)} ATT packets, the longest value {longest}",
                None if longest <= 510 else f"a value of {longest} bytes", 0)
            if path.stem == "login":
                text = self.build / "login-on-the-air.txt"
                text.write_text(decode.text(path))
                self.transcript.line(f"          decoded in {text.relative_to(self.root)}")
