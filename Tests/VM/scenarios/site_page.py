"""A site with two boxes whose administrator uses its page. apt installs the Debian packages. boxsite-page runs in its shipped unit
behind nginx, set up by the lines of docs/how-to/run-a-site.md. A phone is enrolled once on the page and later revoked there."""

import json
import pathlib
import re

import console
import greeter
import guide
import sessions
import site_here
import site_page_here as page
from installed import PASSWORD
from machine import Failed, journal, note, run, seconds_until, unit_pid, wait_until
from package import apt, use_repository
from scenario import scenario

BROWSER = True
INSTALLED = False
# The guest has Debian's Bluetooth settings until the package installs the recommended ones.
STOCK = True
CONTROLLERS = 3
CONTROL, HTTP = "/run/boxsite/control.sock", "/run/boxsite-page/http.sock"
AWAY = "The server (boxsited) does not answer"
# The score of `systemd-analyze security` for the unit when it first ran, out of 10. Lower is better.
EXPOSURE = 1.2


@scenario("Installed by apt alone, a server signs by the lines of the guide", limit=600)
def founded(context):
    # Removes the image's dpkg exclusions, which apply to all its other packages.
    pathlib.Path("/etc/dpkg/dpkg.cfg.d/99mmdebstrap").unlink(missing_ok=True)
    for emptied in ("/var/lib/apt/lists/partial", "/var/cache/apt/archives/partial"):
        pathlib.Path(emptied).mkdir(parents=True, exist_ok=True)
    use_repository("new")
    apt("install", "boxagent", "boxphone", "boxsite")
    install, = guide.lines("Install the server")
    guide.type_line(install, page.APT, seconds=400)
    context.bluetoothd.configure(stock=False, att_mtu=517)
    context.bluetoothd.restart()
    context.box.write_config()
    context.box.restart()
    note("the server signed after %.0f s" % seconds_until(lambda: site_here.found() or True, 400))


@scenario("By the lines of the guide the page runs in its shipped unit, behind nginx, and asks for no more than the unit allows", limit=600)
def runs(context):
    context.first = page.set_up()
    # The page runs as shipped.
    wait_until(lambda: page.get("/sign-in")[0] == 200, 60, of="the page is served")
    about = run("systemd-analyze", "security", "--no-pager", page.UNIT, check=False, seconds=120).stdout.splitlines()[-1]
    note("systemd-analyze security: " + re.sub(r"[^ -~]", "", about).strip())
    if float(re.search(r"(\d+\.\d+)", about)[1]) > EXPOSURE:
        raise Failed("the unit was at %.1f: %s" % (EXPOSURE, about))
    process = page.process()
    assert process["Seccomp"] == "2" and process["NoNewPrivs"] == "1", process
    assert {int(process[name], 16) for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")} == {0}, process
    # In this guest, a forbidden system call kills the program …
    forbidden = run("systemd-run", "--quiet", "--wait", "-p", "SystemCallFilter=~mkdir mkdirat", "-p", "SystemCallErrorNumber=kill",
                    "mkdir", "/run/forbidden", check=False)
    assert forbidden.returncode != 0, forbidden
    # … and from here on, it kills the page, too.
    page.kill_what_is_forbidden()
    wait_until(lambda: page.get("/sign-in")[0] == 200, 60, of="the page is served")
    context.process = unit_pid(page.UNIT)


@scenario("The first administrator comes by her link, makes a passkey and signs in", limit=400)
def signed_in(context):
    add, link = context.first
    guide.type_line(add)
    guide.type_line(link)
    context.anna = page.Administrator()
    context.anna.sign_in((guide.HOME / "anna.link").read_text().strip())
    # The link is used up, and no log has the part after its #.
    code = (guide.HOME / "anna.link").read_text().strip().split("#")[1]
    logs = journal() + "".join(path.read_text(errors="replace") for path in pathlib.Path("/var/log/nginx").glob("*.log"))
    assert code not in logs


@scenario("Two boxes join, and a phone is enrolled on the page at one of them, over BlueZ", limit=400)
def enrolled(context):
    run("boxagent", "setup", "--yes", "--site-server", site_here.ADDRESS, check=False, seconds=300)
    wait_until(lambda: "advertising" in context.box.radio_state(), 60, of="advertising")
    site_here.join_by_guide(context.box)
    context.second = site_here.SecondBox("hci2").start()
    assert "this box has number 004712 there" in site_here.join(context.second, "ward3-2", "004712")
    context.anna.open("/boxes", "ward3-2")
    code = context.anna.begin_enrolment("alice", "7")
    context.alice = context.box.phone("alice")
    reader = site_here.programs.pipe_with(code.encode() + b"\n")
    guide.done(guide.line("Enrol at a box", "boxphone site enrol 004711"))
    tap = context.alice.command("site", "enrol", "--fd", str(reader), "004711", fds=(reader,))
    tap.wait_for("Six digits", 120)
    shown = "".join(re.search(r"(\d{3}) (\d{3})", tap.out + tap.err).groups())
    assert context.anna.digits() == shown, (context.anna.shown, tap.out)
    assert json.loads(site_here.boxsite("phone", "list", "--json")) == []
    context.anna.tap("Same digits: enrol")
    context.anna.sees("The phone is enrolled")
    tap.ok(60)
    context.alice.with_secrets("credentials", "set", password=PASSWORD).ok()


def at_second(context):
    program = context.second.pam("alice")
    context.second.waiting()
    assert "Logged in" in context.alice.command("login", "004712").ok(60)
    program.ok()


@scenario("One enrolment, two boxes: alice's shell is on the console of one, and her password is right at the other", limit=400)
def both(context):
    console.bring_to_front("tty1")
    greeter.greet_on("tty1")
    text = console.wait_for("tty1", greeter.TAP_LINE)
    assert re.search(greeter.TAP_LINE, text)[1] == "004711", text
    wait_until(lambda: "advertising" in context.box.radio_state(), 60, of="advertising")
    assert "Logged in" in context.alice.command("login", "004711").ok(60)
    wait_until(lambda: console.user_on("tty1") == "alice", 60, of="alice's session")
    context.session = wait_until(lambda: (one := sessions.session_on(context, "tty1")) and one["can_lock"] and one, 60, of="its locker")
    at_second(context)


@scenario("Revoked on the page, the phone is refused at both boxes, its session is locked, and the record names the administrator",
          limit=400)
def revoked(context):
    listed, = json.loads(site_here.boxsite("phone", "list", "--json"))
    context.anna.revoke(listed["id"][:8], "lost on the bus")
    seconds = seconds_until(lambda: sessions.hint(context.session["id"]) == "yes", 60, of="the session is locked")
    note("the session was locked %.1f s after the page said so" % seconds)
    console.wait_for("tty1", sessions.LOCKED)
    # The box remembers the owner of the locked session.
    wait_until(lambda: [device["state"] for device in context.box.json("devices") if device["site"]] == ["revoked"], of="it is revoked")
    assert sessions.session_on(context, "tty1")["state"] == "locked"
    wait_until(lambda: not [device for device in context.second.json("devices") if device["site"]], of="the phone is no device")
    for number in ("004712", "004711"):
        tap = context.alice.command("login", number)
        assert tap.wait(60) == 4 and "your site has revoked" in tap.err, (number, tap.err)
    said = guide.type_line(guide.line("Read the audit log", "boxsite audit list --who anna"))
    assert re.search(r" phone revoke +anna +administrator \d+, page +alice .* lost on the bus", said), said
    for each in ("boxsite audit list --since", "boxsite audit check", "boxsite audit export", "boxsite audit check --file"):
        guide.type_line(next(line for line in guide.lines("Read the audit log") if line.startswith(each)))


@scenario("Others of this machine reach neither of the page's sockets, nor speak for an administrator", limit=300)
def others(context):
    run("useradd", "--create-home", "carl")
    run("adduser", "carl", "boxsite")
    # A user without rights reaches neither socket.
    for path, kind in ((HTTP, "SOCK_STREAM"), (CONTROL, "SOCK_SEQPACKET")):
        assert page.tries("bob", path, kind) == "Permission denied", path
    # nginx reaches only the page, and the page listens on no port.
    assert page.tries("www-data", HTTP, "SOCK_STREAM") == "connected"
    assert page.tries("www-data", CONTROL, "SOCK_SEQPACKET") == "Permission denied"
    assert "boxsite-page" not in run("ss", "--listening", "--tcp", "--udp", "--processes").stdout
    # A member of the group without a row in the site's list may do nothing, under any name.
    assert page.tries("carl", HTTP, "SOCK_STREAM") == "Permission denied"
    for name in ("anna", "carl"):
        refused = page.tries("carl", CONTROL, "SOCK_SEQPACKET", "status", name)
        assert refused.startswith("failure not-permitted"), refused
    # Only the unit, not /etc/group, gives the page's user access.
    assert page.tries("boxsite-page", CONTROL, "SOCK_SEQPACKET") == "Permission denied"
    # Two attempts over HTTPS: a forged header and another host name.
    assert page.get("/boxes", X_Remote_User="anna")[:2] == (303, "/sign-in")
    assert page.get("/boxes", host="evil.example.org")[0] == 421
    process = "/proc/%d/" % unit_pid(page.UNIT)
    for file in ("mem", "environ", "maps"):
        assert run("runuser", "-u", "bob", "--", "cat", process + file, check=False).returncode != 0, file


@scenario("boxsited is killed under the page: it says so, and comes back by itself with whoever is signed in", limit=300)
def restarted(context):
    anna = context.anna
    anna.open("/boxes", "ward3-1")
    run("systemctl", "stop", "boxsited", seconds=60)
    anna.sees(AWAY, 60)
    anna.open("/people", AWAY)
    run("systemctl", "start", "boxsited", seconds=60)
    wait_until(lambda: site_here.signs(site_here.look()), 60, of="the server signs")
    anna.open("/people", "alice")
    server = unit_pid("boxsited")
    run("systemctl", "kill", "--signal=KILL", "--kill-who=main", "boxsited")
    wait_until(lambda: unit_pid("boxsited") not in (0, server) and site_here.signs(site_here.look()), 60, of="the server signs again")
    anna.open("/people", "alice")


@scenario("Through all of that the page ran in one process, which asked for nothing that its unit forbids and complained of nothing")
def quiet(context):
    shown = page.properties("ActiveState", "NRestarts", "Result", "SystemCallErrorNumber")
    assert (shown["ActiveState"], shown["NRestarts"], shown["Result"]) == ("active", "0", "success"), shown
    assert unit_pid(page.UNIT) == context.process, "another process serves"
    said = journal("-u", page.UNIT, "-p", "warning")
    assert [line for line in said.splitlines() if not line.startswith("-- ")] == [], said
    note("memory %s kB, %d threads" % (page.process()["VmRSS"].split()[0], int(page.process()["Threads"])))
    context.anna.tap("Sign out")
    context.anna.sign_in_again()
    context.anna.stop()
