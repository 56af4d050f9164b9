"""Runs one group of scenarios in the guest: `runner.py GROUP [WORD...]`. With words, only scenarios run whose sentence has one of
them. A group is a module of scenarios/. The runner applies the module's constants (CONTROLLERS, STOCK, ATT_MTU, SETTINGS), then
runs its functions marked with @scenario in order. In a group with several boots, each boot runs its own scenarios."""

import importlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import traceback
import types

SHARE = pathlib.Path("/mnt/share")
sys.dont_write_bytecode = True
PATHS = [str(SHARE / name) for name in ("guest", "scenarios", "integration")]
sys.path[:0] = PATHS
# Programs that scenarios start find the same modules.
os.environ["PYTHONPATH"] = ":".join(PATHS)
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
os.environ["BOXAGENT_BIN"] = "/usr/bin"
os.environ["BOXAGENT_PAM_MODULE"] = "pam_boxagent.so"
# The seconds that the benchmark of deadline.slowness() takes in this guest when it is quiet.
os.environ["BOXAGENT_QUIET_SECONDS"] = "0.5"

import deadline  # noqa: E402
import installed  # noqa: E402
import machine  # noqa: E402
from machine import say  # noqa: E402

SCENARIO_SECONDS = 90
# bluetoothd has all controllers within this time unless one missed its HCI Reset. A quiet machine takes 3 s.
RADIO_SECONDS = 20


class Context:
    """The objects that a scenario works with."""

    def __init__(self, group, radio):
        self.group, self.radio = group, radio
        self.controllers = machine.Controllers(
            getattr(group, "CONTROLLERS", 2), getattr(group, "DUAL_MODE", False))
        self.bluetoothd = machine.Bluetoothd(self.controllers)
        self.box = installed.Box(radio)

    def set_up(self, boot, is_prepared):
        is_installed = getattr(self.group, "INSTALLED", True)
        if boot == 1:
            if is_installed and not is_prepared:
                installed.install()
            self.bluetoothd.configure(getattr(self.group, "STOCK", False), getattr(self.group, "ATT_MTU", 517))
        self.start_radio()
        if boot > 1:
            self.box.take_phones_out()
            return
        if not is_installed:
            return
        self.box.write_config(**getattr(self.group, "SETTINGS", {}))
        if getattr(self.group, "AGENT", True):
            self.box.start()

    def start_radio(self):
        """Starts controllers and bluetoothd, twice if a controller misses the 2 s limit of its HCI Reset on a busy machine."""
        self.controllers.start()
        try:
            self.bluetoothd.start(patience=RADIO_SECONDS)
        except machine.Failed as problem:
            print(f"the controllers are plugged in once more: {problem}", flush=True)
            self.bluetoothd.stop()
            self.controllers.kill()
            self.controllers.start()
            self.bluetoothd.start()

    def versions(self):
        bluez = subprocess.run(["bluetoothctl", "--version"], capture_output=True, text=True).stdout.split()[-1]
        say("machine", kernel=os.uname().release, bluez=bluez, controllers=self.controllers.present(),
            stock=getattr(self.group, "STOCK", False), att_mtu=getattr(self.group, "ATT_MTU", 517),
            radio=self.radio.name)


def scenarios(group, boot):
    found = [function for function in vars(group).values()
             if isinstance(function, types.FunctionType) and getattr(function, "boot", None) == boot]
    return sorted(found, key=lambda function: function.__code__.co_firstlineno)


def attempt(context, function):
    def expired(_number, _frame):
        if end.is_over():
            raise machine.Failed(f"the scenario took more than {limit} s of a quiet machine")
        signal.alarm(math.ceil(end.left()) + 1)

    limit = getattr(function, "limit", SCENARIO_SECONDS)
    end = deadline.Deadline(limit)
    signal.signal(signal.SIGALRM, expired)
    signal.alarm(limit + 1)
    start = time.monotonic()
    try:
        function(context)
        return None, time.monotonic() - start
    except Exception:  # every exception fails only this scenario
        return traceback.format_exc(), time.monotonic() - start
    finally:
        signal.alarm(0)


def look_at_journal():
    """Reports crashes of bluetoothd, which are tolerated (see docs/reference/bluetooth.md). A crash of our agent is a failure."""
    text = machine.journal("-u", "bluetooth")
    crashes = len(re.findall(r"code=(?:killed|dumped), status=\d+/(?:SEGV|ABRT)", text))
    own = machine.journal("-u", "boxagentd")
    bad = [line for line in own.splitlines()
           if re.search(r"code=(killed|dumped), status=\d+/(?!KILL|TERM)|Fatal error|watchdog timeout", line)]
    say("journal", bluetoothd_crashes=crashes, agent_faults=bad)
    errors = [line for line in own.splitlines() if re.search(r"boxagentd\[\d+\]:.*\b(error|fault)\b", line, re.I)]
    print("\n".join(["journal of boxagentd, lines with errors:", *errors[:50]]), flush=True)


def main():
    settings = json.loads((SHARE / "settings.json").read_text())
    radio = {"bluez": installed.BlueZ, "loopback": installed.Loopback}[settings["radio"]]()
    start = time.monotonic()
    try:
        group = importlib.import_module(settings["group"])
        context = Context(group, radio)
        context.set_up(settings["boot"], settings["is_prepared"])
        if settings["boot"] == 1:
            context.versions()
    except Exception:
        say("result", name="the group is set up", failure=traceback.format_exc(), seconds=time.monotonic() - start)
        print(machine.journal("-n", "60"))
        return
    say("ready", seconds=time.monotonic() - start, slowness=deadline.slowness())
    for function in scenarios(group, settings["boot"]):
        if settings["words"] and not any(word in function.scenario for word in settings["words"]):
            continue
        if radio.name not in function.radios:
            say("skipped", name=function.scenario, why=f"not over the radio {radio.name}")
            continue
        say("begin", name=function.scenario)
        failure, seconds = attempt(context, function)
        say("result", name=function.scenario, failure=failure, seconds=seconds)
        if failure:
            print(machine.journal("-n", "80"), flush=True)
            try:
                print(machine.air_state(), flush=True)
            except Exception:  # the failure itself is already reported
                traceback.print_exc()
        context.box.stop()
    look_at_journal()
    copy = machine.RESULTS / "programs"
    subprocess.run(["cp", "-r", str(context.box.directory), str(copy)], check=False)
    if not settings["is_last"]:
        context.box.put_phones_away()
        (SHARE / "reboot").touch()


main()
