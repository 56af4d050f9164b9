"""`radio.require_link_encryption`: the link itself is encrypted as well, and the box confirms pairing only during an enrolment."""

import air
from installed import PASSWORD
from machine import Controllers, Failed, note, run, wait_until
from scenario import scenario

CONTROLLERS = 3
SETTINGS = {"radio.require_link_encryption": "true"}
# ATT errors (Core Specification, volume 3, part F, 3.4.1.1).
INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION = 0x05, 0x0f


def paired(adapter):
    tree = run("busctl", "tree", "--list", "org.bluez").stdout.split()
    return [path for path in tree if path.startswith(f"/org/bluez/{adapter}/dev_") and path.count("/") == 4
            and run("busctl", "get-property", "org.bluez", path, "org.bluez.Device1", "Paired",
                    check=False).stdout.strip() == "b true"]


@scenario("A phone is paired in its enrolment, and logs in over the encrypted link")
def enrol_and_log_in(context):
    wait_until(context.bluetoothd.advertises, of="advertising")
    context.alice = context.box.phone("alice").enrol("alice", password=PASSWORD)
    context.box.login(context.alice)
    assert paired("hci0"), "no bond on the box"
    context.box.login(context.alice)


@scenario("A central that is not paired can neither subscribe nor be served")
def not_paired(context):
    link = air.Link(Controllers.address("hci0"), "hci2").discover()
    try:
        link.subscribe()
    except Failed as error:
        note(f"refused: {error}")
        assert any(f"{code:02x} to" in str(error) for code in (INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION))
    else:
        raise Failed("an unencrypted link could subscribe")
    finally:
        link.cut()


@scenario("Nobody pairs while no enrolment is open")
def no_pairing(context):
    before = paired("hci0")
    stranger = context.box.phone("stranger", "hci2")
    stranger.command("scan").ok()
    path = "/org/bluez/hci2/dev_" + Controllers.address("hci0").replace(":", "_")
    run("busctl", "--timeout=20", "call", "org.bluez", path, "org.bluez.Device1", "Pair", check=False)
    assert paired("hci0") == before
    context.box.login(context.alice)
