"""A site as docs/site-guide.md sets it up, in one guest: PostgreSQL, boxsited in its unit, and two boxes on controllers of their
own. A phone that was added once logs in at both; revoked once, it is refused at both."""

import json
import pathlib

import guide
import site_here
from installed import PASSWORD
from machine import note, run, seconds_until, wait_until
from scenario import scenario

CONTROLLERS = 3
DROP_IN = pathlib.Path("/etc/systemd/system/boxagentd.service.d/site.conf")


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
    # Named anew, those alone are allowed.
    for servers in (["192.0.2.11", "2001:db8::10"], [site_here.ADDRESS]):
        words = [word for server in servers for word in ("--site-server", server)]
        said = run("boxagent", "setup", "--yes", *words, check=False, seconds=200).stdout
        assert str(DROP_IN) in said and len(allowed()) == len(servers), (said, allowed())
    assert allowed() == [site_here.ADDRESS + "/32"], allowed()
    families = run("systemctl", "show", "-p", "RestrictAddressFamilies", "--value", "boxagentd").stdout.split()
    assert sorted(families) == ["AF_BLUETOOTH", "AF_INET", "AF_INET6", "AF_UNIX"], families
    wait_until(lambda: "advertising" in context.box.radio_state(), 60, of="advertising")
    make, join, forget, look = (guide.line("A box joins", each) for each in ("(umask", "boxagent join", "rm /root", "boxagent site"))
    guide.type_line(make, {"--group 7": "--group 7 --number 004711"})
    assert "this box is number 004711 there" in guide.type_line(join, seconds=200)
    guide.type_line(forget)
    wait_until(lambda: context.box.json("site")["linked_server"], 60, of="the box is linked")
    assert site_here.ADDRESS in guide.type_line(look)
    context.second = site_here.SecondBox("hci2").start()
    assert "this box is number 004712 there" in site_here.join(context.second, "ward3-2", "004712")


def phone(context):
    """Alice's phone, which was never at any box: its key to the administrator, what comes back to the phone, by the guide's lines."""
    if not hasattr(context, "alice"):
        context.alice = context.box.phone("alice")
        (guide.HOME / "alice.phone").write_text(context.alice.command("site", "key").ok())
        guide.type_line(guide.line("Without a box", "boxsite phone add"), {"anna": "alice"})
        said = context.alice.command("site", "add", str(guide.HOME / "alice.grant")).ok()
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
    guide.type_line(guide.line("Revoke a phone", "boxsite phone revoke"), {"4f3k2m9a": listed["id"] + " --yes"})
    for box in (context.box, context.second):
        wait_until(lambda box=box: not [device for device in box.json("devices") if device["site"]], of="the phone is no device")
    tap = phone(context).command("login", "004712")
    assert tap.wait(60) == 4 and "your site has taken back" in tap.err, (tap.wait(), tap.err)
    assert phone(context).command("login", "004711").wait(60) == 4


@scenario("Local phones go on beside the site, and after the box has left it")
def beside(context):
    bob = context.box.phone("bob").enrol("bob", password=PASSWORD)
    context.box.login(bob, "bob")
    context.box.command("leave", "--yes").ok()
    wait_until(lambda: context.box.id != "004711", of="the box has its own digits again")
    wait_until(lambda: "advertising" in context.box.radio_state(), 60, of="advertising")
    # Other digits than those that the phone knows: the person names them once.
    context.box.login(bob, "bob", context.box.id)
    context.box.login(bob, "bob")


@scenario("Taken back by setup, the agent may reach no network any more", limit=200)
def taken_back(context):
    run("boxagent", "setup", "--undo", "--yes", check=False, seconds=200)
    assert not DROP_IN.exists() and not allowed(), allowed()
