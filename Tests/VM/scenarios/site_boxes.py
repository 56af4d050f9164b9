"""A site as docs/how-to/run-a-site.md sets it up, in one guest: PostgreSQL, boxsited in its unit, and two boxes on their own
controllers. A phone that was added once logs in at both. After one revocation, both refuse it."""

import json
import os
import pathlib
import re

import guide
import site_here
from installed import PASSWORD
from machine import note, run, seconds_until, wait_until
from scenario import scenario

CONTROLLERS = 3
PIN, WRONG_PIN = b"4711", b"0000"
DROP_IN = pathlib.Path("/etc/systemd/system/boxagentd.service.d/site.conf")


def typing(command, box):
    """Starts a command that asks a question. Returns the command and the pipe for its answer."""
    reader, writer = os.pipe()
    with os.fdopen(reader) as typed:
        return site_here.programs.Running(["bash", "-c", command], box.directory, "typed-at-the-server", stdin=typed), writer


def allowed():
    return run("systemctl", "show", "-p", "IPAddressAllow", "--value", "boxagentd").stdout.split()


@scenario("From the packages to a server that signs, by the lines of the guide", limit=300)
def founded(context):
    note("the server signed after %.0f s" % seconds_until(lambda: site_here.found() or True, 300))


@scenario("The shipped unit forbids the network; setup allows the site's server, and the box joins", limit=200)
def joined(context):
    code = site_here.boxsite("box", "add", "refused")
    refused = context.box.command("join", stdin=site_here.programs.pipe_with(code.encode()))
    assert refused.wait(120) != 0 and "boxagent setup --site-server" in refused.err, refused.err
    site_here.boxsite("box", "remove", "refused", "--yes")
    # If setup is given other servers, only those are allowed.
    for servers in (["192.0.2.11", "2001:db8::10"], [site_here.ADDRESS]):
        words = [word for server in servers for word in ("--site-server", server)]
        said = run("boxagent", "setup", "--yes", *words, check=False, seconds=200).stdout
        assert str(DROP_IN) in said and len(allowed()) == len(servers), (said, allowed())
    assert allowed() == [site_here.ADDRESS + "/32"], allowed()
    families = run("systemctl", "show", "-p", "RestrictAddressFamilies", "--value", "boxagentd").stdout.split()
    assert sorted(families) == ["AF_BLUETOOTH", "AF_INET", "AF_INET6", "AF_UNIX"], families
    wait_until(lambda: "advertising" in context.box.radio_state(), 60, of="advertising")
    site_here.join_by_guide(context.box)
    context.second = site_here.SecondBox("hci2").start()
    assert "this box has number 004712 there" in site_here.join(context.second, "ward3-2", "004712")


def phone(context):
    """Returns alice's phone, which was never at a box. By the guide's lines, the phone's key is added and its grant comes back."""
    if not hasattr(context, "alice"):
        context.alice = context.box.phone("alice")
        (guide.HOME / "alice.phone").write_text(context.alice.command("site", "key").ok())
        guide.type_line(guide.line("Enrol without a box", "boxsite phone add"), {"anna": "alice"})
        for each in guide.lines("Enrol without a box"):
            if each.startswith("boxsite phone list"):
                assert "alice" in guide.type_line(each, {"anna": "alice"} if "anna" in each else {}), each
        said = context.alice.command("site", "add", str(guide.HOME / "alice.grant")).ok()
        for each in ("boxphone site add", "boxphone login"):
            guide.done(guide.line("Enrol without a box", each))
        assert "for alice" in said, said
        context.alice.with_secrets("credentials", "set", password=PASSWORD).ok()
    return context.alice


@scenario("A phone that was added once logs alice in at both boxes over BlueZ: pam_unix has checked her password", limit=200)
def one_enrolment(context):
    alice = phone(context)
    for _ in range(2):
        for box, number in ((context.box, "004711"), (context.second, "004712")):
            wait_until(lambda box=box: "advertising" in box.json("status")["radio_state"], 60, of="advertising")
            program = box.pam("alice")
            wait_until(box.programs_waiting, of="the program waits for a tap")
            seconds = seconds_until(lambda number=number: "Logged in" in alice.command("login", number).ok(60), 60)
            program.ok()
            note(f"the tap at {number} took {seconds:.1f} s")
    for box in (context.box, context.second):
        device, = [device for device in box.json("devices") if device["site"]]
        assert device["user"] == "alice", device


@scenario("Revoked once, it is refused at both within seconds, and believes the site's signature, no box's word", limit=200)
def revoked(context):
    listed, = json.loads(site_here.boxsite("phone", "list", "--json"))
    guide.type_line(guide.line("Revoke a phone or a user", "boxsite phone revoke"), {"4f3k2m9a": listed["id"] + " --yes"})
    for box in (context.box, context.second):
        wait_until(lambda box=box: not [device for device in box.json("devices") if device["site"]], of="the phone is no device")
    tap = phone(context).command("login", "004712")
    assert tap.wait(60) == 4 and "your site has revoked" in tap.err, (tap.wait(), tap.err)
    assert phone(context).command("login", "004711").wait(60) == 4


@scenario("A phone enrolled at a box has no password: the site has it, behind a PIN whose tries count at both; then its user leaves",
          limit=300)
def site_held(context):
    section = "Keep passwords at the site"
    order, answer = typing(guide.done(guide.line(section, "boxsite phone enrol")).replace("anna", "bob"), context.box)
    phone = context.box.phone("held")
    order.wait_for("boxsite-enrol:", 60)
    code = wait_until(lambda: re.search(r"(boxsite-enrol:\S+)\n", order.out), of="the whole code")[1]
    fd = site_here.programs.pipe_with(code.encode() + b"\n")
    tap = phone.command("site", "enrol", "--fd", str(fd), guide.done("boxphone site enrol 004711").split()[-1], fds=(fd,))
    digits = [wait_until(lambda each=each: re.search(r"(\d{3} \d{3})", each.out + each.err), 120, of="digits")[1] for each in (order, tap)]
    assert digits[0] == digits[1], digits
    os.write(answer, b"y\n")
    os.close(answer)
    order.ok(60)
    tap.ok(60)
    store, login = (guide.done(guide.line(section, each)).split()[1:] for each in ("boxphone credentials", "boxphone login"))
    phone.with_secrets(*store, password=PASSWORD, new_pin=PIN).ok(60)
    for number in ("004711", "004712"):
        wrong = phone.with_secrets("login", number, pin=WRONG_PIN)
        assert wrong.wait(60) != 0, wrong.out
        note("boxphone: " + wrong.err.strip().splitlines()[-1])
    for box, words in ((context.second, login), (context.box, ["login", "004711"])):
        program = box.pam("bob")
        wait_until(box.programs_waiting, of="the program waits for a tap")
        assert "Logged in" in phone.with_secrets(*words, pin=PIN).ok(60)
        program.ok()
    guide.type_line(guide.line("Revoke a phone or a user", "boxsite user revoke"), {"anna": "bob --yes"})
    assert phone.with_secrets(*login, pin=PIN).wait(60) == 4


@scenario("Local phones go on beside the site, and after the box has left it")
def beside(context):
    bob = context.box.phone("bob").enrol("bob", password=PASSWORD)
    context.box.login(bob, "bob")
    context.box.command("leave", "--yes").ok()
    wait_until(lambda: context.box.id != "004711", of="the box has its own digits again")
    wait_until(lambda: "advertising" in context.box.radio_state(), 60, of="advertising")
    # The phone knows other digits, so the user names the new ones once.
    context.box.login(bob, "bob", context.box.id)
    context.box.login(bob, "bob")


@scenario("Taken back by setup, the agent may reach no network any more", limit=200)
def taken_back(context):
    run("boxagent", "setup", "--undo", "--yes", check=False, seconds=200)
    assert not DROP_IN.exists() and not allowed(), allowed()
