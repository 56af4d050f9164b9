"""The protocol does not need BlueZ at the phone's end. This phone is Google's Bumble with the codec that was written from
docs/reference/protocol.md alone. Two controllers: the box's and Bumble's."""

import air
import independent_phone as protocol
from installed import PASSWORD
from machine import note, wait_until
from scenario import scenario

CONTROLLERS = 2


def bumble(context):
    if not hasattr(context, "bumble"):
        import bumble_phone
        context.controllers.power("hci1", False)
        context.bumble = bumble_phone.Bumble("hci1")
        context.address = context.bumble.scan("Box " + context.box.id)
    return context.bumble


def keys(context):
    if not hasattr(context, "keys"):
        command, code = air.order(context.box)
        context.keys = air.Keys(code)
        link = bumble(context).connect(context.address)
        conversation = air.Conversation(link, context.keys, link.identity, code).open()
        answer = conversation.enrol("Bumble")
        conversation.close()
        link.close()
        assert answer[0] == protocol.ENROLLED, answer
        command.ok()
    return context.keys


@scenario("It finds the box by its service and its name, and enrols")
def enrol(context):
    bumble(context)
    note(f"found {context.address}")
    keys(context)
    assert [device["label"] for device in context.box.json("devices")] == ["Bumble"]


def log_in(context, att_mtu):
    program = context.box.asking()
    link = bumble(context).connect(context.address, att_mtu)
    try:
        assert link.att_mtu == att_mtu, link.att_mtu
        conversation = air.Conversation(link, keys(context), link.identity).open()
        answers = conversation.ask(protocol.LOGIN, PASSWORD)
        assert protocol.RESULT_CODES[answers[-1][2]] == "correct", answers
        assert [protocol.PROGRESS, answers[-1][1], 1] in answers
        conversation.close()
    finally:
        link.close()
    program.ok()


@scenario("It logs alice in at ATT_MTU 517")
def login_517(context):
    keys(context)
    log_in(context, 517)


@scenario("It logs alice in at ATT_MTU 185, as older iPhones have it")
def login_185(context):
    log_in(context, 185)


@scenario("It logs alice in at ATT_MTU 23, in segments of 18 bytes")
def login_23(context):
    log_in(context, 23)


@scenario("It logs alice in over an L2CAP channel, with a handshake of its own")
def login_l2cap(context):
    program = context.box.asking()
    link, channel = bumble(context).connect_channel(context.address)
    note(f"PSM {channel.psm:#06x}, MTU {channel.mtu}")
    conversation = air.Conversation(channel, keys(context), link.identity).open()
    assert conversation.result(protocol.LOGIN, PASSWORD) == "correct"
    conversation.close()
    link.close()
    program.ok()


@scenario("It hears that a password was wrong, and that a link which it just drops cost nothing")
def wrong_and_dropped(context):
    program = context.box.asking()
    link = bumble(context).connect(context.address)
    conversation = air.Conversation(link, keys(context), link.identity).open()
    assert conversation.result(protocol.LOGIN, b"wrong") == "wrong-credentials"
    link.close()
    assert program.wait() != 0
    wait_until(lambda: context.box.status()["links_open"] == 0, of="the box lets go of the link")
    log_in(context, 517)
