"""A site as docs/site-guide.md sets it up, in one guest: PostgreSQL, boxsited in its unit, and two boxes on controllers of their
own. A phone that was added once logs in at both; revoked once, it is refused at both."""

import site_here
from machine import note, run, seconds_until, wait_until
from scenario import scenario

CONTROLLERS = 3


def allowed():
    return run("systemctl", "show", "-p", "IPAddressAllow", "--value", "boxagentd").stdout.split()


@scenario("From the packages to a server that signs, by the commands of the guide", limit=300)
def founded(context):
    note("the server signed after %.0f s" % seconds_until(lambda: site_here.found() or True, 300))


@scenario("The shipped unit forbids the network; setup allows the site's server, and the box joins", limit=200)
def joined(context):
    code = site_here.boxsite("box", "add", "refused")
    refused = context.box.command("join", stdin=site_here.programs.pipe_with(code.encode()))
    assert refused.wait(120) != 0 and "boxagent setup --site-server" in refused.err, refused.err
    site_here.boxsite("box", "remove", "refused", "--yes")
    run("boxagent", "setup", "--yes", "--site-server", site_here.ADDRESS, check=False, seconds=200)
    assert allowed() == [site_here.ADDRESS + "/32"], allowed()
    wait_until(lambda: "advertising" in context.box.radio_state(), 60, of="advertising")
    assert "this box is number 004711 there" in site_here.join(context.box, "ward3-1", "004711")
    context.second = site_here.SecondBox("hci2").start()
    assert "this box is number 004712 there" in site_here.join(context.second, "ward3-2", "004712")
