"""The radio fails in every way that can be provoked here. `boxagent status` and `boxagent doctor` name each fault with its cure.
The agent recovers within 3 s after the cause ends, without a restart. A login follows each fault."""

import contextlib
import re
import socket
import struct

from deadline import slowness
from installed import PASSWORD
from machine import Failed, journal, note, run, seconds_until, wait_until
from scenario import scenario

CONTROLLERS = 2
RECOVERY_SECONDS = 3.0


def alice(context):
    if not hasattr(context, "alice"):
        wait_until(context.bluetoothd.advertises, of="advertising at the start")
        context.good = context.box.radio_state()
        context.alice = context.box.phone("alice").enrol("alice", password=PASSWORD)
    return context.alice


def apart(context):
    """Waits until no connection is left, because btvirt has no supervision timeout: the other side would keep it after a reset."""
    alice(context)
    wait_until(lambda: not context.bluetoothd.connected("hci1"), of="the phone hangs up")


def named(context, words):
    """Checks that status and doctor name the fault with one of these words, and that doctor names a cure."""
    def status_says():
        return re.search(words, context.box.radio_state(), re.I)

    try:
        wait_until(status_says, 10, of="status names the fault")
    except Failed:
        raise Failed(f"status says: {context.box.radio_state()!r}, not one of {words}") from None
    code, findings = context.box.findings()
    faults = [finding for finding in findings if finding["level"] == "fault"]
    assert code == 1 and faults, findings
    fitting = [finding for finding in faults if re.search(words, finding["text"], re.I) and finding["cure"]]
    assert fitting, faults
    note(f"status: {context.box.radio_state()}")
    note(f"doctor: {fitting[0]['text']} | {fitting[0]['cure']}")


def recovered(context):
    """Checks that the box advertises again in time and reports it, and that a login works."""
    seconds = seconds_until(context.bluetoothd.advertises, 15, of="advertising again")
    note(f"advertising {seconds:.1f} s after its return")
    wait_until(lambda: context.box.radio_state() == context.good or context.box.findings()[0] == 0, 10,
               of="status and doctor are content again")
    wait_until(lambda: context.bluetoothd.property("hci1", "Adapter1", "Powered") == "true", of="the phone's adapter")
    context.box.login(alice(context))
    assert seconds <= RECOVERY_SECONDS * slowness(), f"{seconds:.1f} s"


@scenario("In good order, status says that the box advertises, and doctor finds no fault")
def in_order(context):
    alice(context)
    code, findings = context.box.findings()
    note(f"status: {context.good}")
    for finding in findings:
        note(f"doctor: {finding['level']}: {finding['name']}: {finding['text']}"
             + (f" | {finding['cure']}" if finding["cure"] else ""))
    assert code == 0, findings
    context.box.login(alice(context))


@scenario("The adapter is switched off by another program")
def powered_off(context):
    alice(context)
    context.controllers.power("hci0", False)
    named(context, "off|power")
    context.controllers.power("hci0", True)
    recovered(context)


@scenario("The adapter is blocked by rfkill")
def blocked(context):
    apart(context)
    context.controllers.rfkill("hci0", True)
    named(context, "rfkill|blocked")
    context.controllers.rfkill("hci0", False)
    recovered(context)


def reconnected(context, watching):
    """Waits until a watching phone has reconnected. Then stops it, so that the next program gets the connection."""
    wait_until(lambda: context.box.status()["channels_authenticated"] == 1, of="the phone's channel again")
    watching.stop()
    wait_until(lambda: not context.bluetoothd.connected("hci1"), of="the phone hangs up")


@scenario("bluetoothd is restarted while a phone is connected")
def restarted(context):
    watching = alice(context).command("watch", "--json")
    wait_until(lambda: context.box.status()["channels_authenticated"] == 1, of="the phone's channel")
    context.bluetoothd.restart()
    reconnected(context, watching)
    recovered(context)


@scenario("bluetoothd is stopped, and started later")
def stopped(context):
    apart(context)
    # A call to bluetoothd's bus name would start it again. An administrator therefore masks it.
    run("systemctl", "mask", "--runtime", "--now", "bluetooth")
    named(context, "bluetoothd|not running|BlueZ")
    run("systemctl", "unmask", "--runtime", "bluetooth")
    context.bluetoothd.start()
    recovered(context)


@scenario("bluetoothd crashes (SIGSEGV) while a phone is connected")
def crashed(context):
    watching = alice(context).command("watch", "--json")
    wait_until(lambda: context.box.status()["channels_authenticated"] == 1, of="the phone's channel")
    context.bluetoothd.crash()
    # systemd restarts bluetoothd, as packaging/bluetooth recommends.
    wait_until(context.bluetoothd.is_running, of="bluetoothd is back")
    reconnected(context, watching)
    recovered(context)


@scenario("The controllers are unplugged and return")
def unplugged(context):
    apart(context)
    context.controllers.kill()
    named(context, "no .*adapter|adapter .*(gone|missing|not there|absent)|plug|hci0")
    context.controllers.start()
    context.bluetoothd.wait_for_adapters()
    recovered(context)


@contextlib.contextmanager
def taken(controller):
    """Takes the controller as another Bluetooth stack does, directly through HCI (HCI_CHANNEL_USER)."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as hci:
        place = struct.pack("<HHH", socket.AF_BLUETOOTH, int(controller[3:]), 1)
        wait_until(lambda: libc.bind(hci.fileno(), place, len(place)) == 0, of="the controller is ours")
        yield


@scenario("The adapter is taken by another program")
def taken_away(context):
    apart(context)
    context.controllers.power("hci0", False)
    with taken("hci0"):
        wait_until(lambda: "/org/bluez/hci0" not in context.bluetoothd.adapters(), of="bluetoothd lets go of it")
        named(context, "no .*adapter|adapter .*(gone|missing|not there|absent)|another program|hci0")
    wait_until(lambda: "/org/bluez/hci0" in context.bluetoothd.adapters(), of="bluetoothd has it again")
    context.controllers.power("hci0", True)
    recovered(context)


@scenario("The agent starts before there is a radio, and serves when it comes")
def started_first(context):
    apart(context)
    context.box.halt()
    run("systemctl", "mask", "--runtime", "--now", "bluetooth")
    context.controllers.kill()
    context.box.start()
    assert context.box.findings()[0] == 1
    context.controllers.start()
    run("systemctl", "unmask", "--runtime", "bluetooth")
    context.bluetoothd.start()
    recovered(context)


@scenario("The agent is killed, is started again by systemd, and serves as before")
def agent_killed(context):
    apart(context)
    context.box.kill()
    wait_until(lambda: run("systemctl", "is-active", "boxagentd", check=False).stdout.strip() == "active",
               of="systemd has started it")
    wait_until(context.bluetoothd.advertises, of="advertising again")
    context.box.login(alice(context))


@scenario("What the agent logged of all that is short, and each line once for each fault")
def log_is_short(context):
    lines = journal("-u", "boxagentd").splitlines()
    for line in lines[-40:]:
        print(line)
    note("%d lines of log for all of these faults" % len(lines))
    assert len(lines) < 400
