"""The web phone as a user has it: the page in Chromium, over the real bluetoothd, at the real login(1). The browser uses the first
controller, and the box uses the second."""

import pathlib

import console
from installed import PASSWORD, TERMINAL
from machine import note, run, since_boot, unit_pid, wait_until
from scenario import scenario
from web_phone_here import WebPhone

BROWSER = True
SETTINGS = {"radio.adapter": '"hci1"', "login.longest_wait_seconds": "240"}
PIN, WRONG_PIN = "4711", "0000"


def first_of_all(context):
    """Gives bluetoothd priority over the browser. If bluetoothd 5.66 is slow when a connection is established, it does not report
    the connection to clients (docs/reference/bluetooth.md), and Chromium waits forever."""
    run("chrt", "-f", "-p", "50", unit_pid("bluetooth"))
    # Lets the module wait longer, because typing a PIN into an emulated machine takes a while.
    stack = pathlib.Path("/etc/pam.d/common-auth")
    stack.write_text(stack.read_text().replace("wait=30", "wait=240"))
    wait_until(lambda: "advertising" in context.box.radio_state(), of="advertising")


def page(context):
    """Returns alice's phone: the page, enrolled with the administrator's code, its password and PIN stored."""
    if not hasattr(context, "page"):
        first_of_all(context)
        phone, start = WebPhone(context.box), since_boot()
        phone.start().sees("No boxes yet")
        note("browser and page were there after %.0f s" % (since_boot() - start))
        start = since_boot()
        phone.enrol(context.box)
        phone.store(context.box, password=PASSWORD.decode(), pin=PIN)
        phone.tap("To the boxes")
        note("enrolled after %.0f s" % (since_boot() - start))
        context.page = phone
    return context.page


@scenario("A page in a browser is enrolled: the administrator compares six digits, and the box keeps password and PIN", limit=300)
def enrolled(context):
    page(context)
    device, = context.box.json("devices")
    assert device["label"] == "Web phone" and device["user"] == "alice", device


@scenario("A tap with a wrong PIN opens nothing; with the right one alice's shell is on the console, and the page logs her out",
          limit=240)
def tap_opens_shell(context):
    phone, box = page(context), context.box
    login = box.run_program(box.on_console("/bin/login", "alice", attach=True), "login")
    box.waiting()
    phone.log_in(box, WRONG_PIN)
    phone.sees("Wrong PIN. 9 tries left.")
    assert box.programs_waiting() == 1 and console.user_on(TERMINAL) is None
    start = since_boot()
    phone.keys(PIN)
    phone.tap("Log in at box")
    console.wait_for(TERMINAL, r"alice@rig")
    note("the shell was there %.1f s after the first digit" % (since_boot() - start))
    assert console.user_on(TERMINAL) == "alice"
    phone.sees("alice is logged in")
    console.type_keys(TERMINAL, "clear; tty; id -un\n")
    text = console.wait_for(TERMINAL, rf"/dev/{TERMINAL}\nalice\n")
    assert PASSWORD.decode() not in text
    phone.tap("Log out")
    phone.sees("This phone has no open session there.")
    wait_until(lambda: console.user_on(TERMINAL) is None, of="the session ends")
    login.wait()
