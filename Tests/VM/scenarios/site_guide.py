"""The tasks of docs/how-to/run-a-site.md for the server after the first day, typed line by line in one guest."""

import json
import re
import shutil
import time

import guide
import second_database_here
import second_server_here
import site_here
from machine import Failed, journal, note, run, seconds_until, wait_until
from scenario import scenario

CONTROLLERS = 1
KEYS = ("issuers.key", "issuers-2.key", "site.secret")


def numbers():
    """Returns the names of the site's boxes."""
    return [box["name"] for box in json.loads(site_here.boxsite("box", "list", "--json"))]


def copy_keys(*names):
    """Copies files from the server's directory to the directory that the guide reads them from."""
    for name in names:
        shutil.copy("/var/lib/boxsite/" + name, guide.HOME)


def signing():
    wait_until(lambda: site_here.signs(guide.type_line("boxsite status", status=None)), 60, of="the server signs")


@scenario("From the packages to a server that signs", limit=300)
def founded(context):
    note("the server signed after %.0f s" % seconds_until(lambda: site_here.found() or True, 300))


@scenario("Two administrators: root adds the first alone, and from then on two decide", limit=120)
def administrators(context):
    for name in ("anna", "bert"):
        run("useradd", "--create-home", name)
    section = "Add administrators"
    guide.type_line(guide.line(section, "boxsite admin add anna"))
    guide.type_line(guide.line(section, "adduser anna"))
    said = guide.type_line(guide.line(section, "boxsite admin add bert"), status=None)
    waiting = json.loads(site_here.boxsite("proposal", "list", "--json"))
    if len(waiting) != 1:
        raise Failed("one proposal waits for anna: %s, %s" % (said, waiting))
    guide.type_line(guide.line(section, "boxsite proposal list"), {"boxsite": "runuser -u anna -- boxsite"})
    # A test cannot confirm at a terminal.
    guide.type_line(guide.line(section, "boxsite approve"),
                    {"boxsite": "runuser -u anna -- boxsite", "4f3k2m9a": waiting[0]["id"] + " --yes"})
    listed = guide.type_line(guide.line(section, "boxsite admin list"))
    assert re.search("^anna .*administrator", listed, re.M) and re.search("^bert .*ward", listed, re.M), listed


@scenario("New issuers, from a stick with the root's key to servers that sign by them", limit=200)
def issuers(context):
    site_here.put_stick("one")
    before = guide.type_line("boxsite status", status=None)
    for each in guide.lines("Replace the issuers each year"):
        # The keys are copied to where the other servers would get them. A test cannot confirm at a terminal.
        if each.startswith("install -o boxsite"):
            copy_keys("issuers-2.key")
        signs = {"boxsite root sign": "boxsite root sign --yes"} if "boxsite root sign" in each else {}
        guide.type_line(each, signs, status=None if each == "boxsite status" else 0)
    signing()
    after = guide.type_line("boxsite status", status=None)
    line = re.compile("^site document .*$", re.M)
    assert line.search(before).group() != line.search(after).group(), (before, after)


@scenario("A backup is restored: what was done since is gone, and the server signs again", limit=200)
def restored(context):
    dump = "runuser -u postgres -- pg_dump -Fc boxsite > boxsite.dump"
    assert "`%s`" % dump in guide.GUIDE.read_text(), "the guide makes its backups in another way"
    site_here.boxsite("box", "add", "before")
    guide.type_line(dump)
    site_here.boxsite("box", "add", "behind")
    assert sorted(numbers()) == ["before", "behind"]
    copy_keys(*KEYS)
    for each in guide.lines("Back up and restore"):
        guide.type_line(each)
    signing()
    assert numbers() == ["before"], numbers()


@scenario("The root signs the site's key, from a stick that says of no file who may read it", limit=120)
def site_key(context):
    site_here.put_stick("one")
    for each in guide.lines("Sign the site's key"):
        guide.type_line(each)
    signing()


@scenario("Many boxes with one code: a box waits until it is approved; a suspended box goes on, a removed one is gone", limit=200)
def boxes(context):
    # This test uses no radio. A box outside its systemd unit may use the network.
    context.box.halt()
    box = site_here.SecondBox("hci0").start()
    make, approve = guide.lines("Join many boxes with one code")
    end = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * 86_400))
    guide.type_line(make, {"2027-01-31": end})
    waits = box.command("join", "--code-file", str(guide.HOME / "ward3.code"))
    assert waits.wait(120) == 75, waits.err
    fingerprint = re.search(r"\b[0-9a-z]{26}\b", waits.err)[0]
    assert fingerprint in site_here.boxsite("box", "list")
    guide.type_line(approve, {"5f60w936fm343d54p89gv0z3f4": fingerprint})
    box.command("join", "--code-file", str(guide.HOME / "ward3.code")).ok(120)
    wait_until(lambda: box.json("site")["linked_server"], 60, of="the box is linked")
    # Suspends the box as a server does that has seen its key at two addresses alternately (tested in Tests/Site/test_links.py).
    run("runuser", "-u", "boxsite", "--", "psql", "-c", "UPDATE boxes SET state = 'suspended' WHERE state = 'joined'")
    guide.type_line(guide.lines("Unsuspend a copied box")[0], {"004711": box.id})
    assert [each["state"] for each in json.loads(site_here.boxsite("box", "list", "--json")) if each["number"] == box.id] == ["joined"]
    guide.type_line(guide.line("Join a box", "(umask"))
    guide.type_line(guide.lines("Remove a box")[0], {"ward3-1": "ward3-1 --yes"})
    assert "ward3-1" not in numbers() or "removed" in str(site_here.boxsite("box", "list"))


@scenario("Who did what is listed, exported and checked, on the server and without one", limit=120)
def audit(context):
    for each in guide.lines("Read the audit log"):
        said = guide.type_line(each)
        if "--whom bert" in each:
            assert "bert" in said, said
    # The reason for which the previous scenario removed the box.
    export, said = guide.HOME / "site-audit.txt", "stolen%20from%20ward%203"
    assert said in export.read_text(), export.read_text()
    export.write_text(export.read_text().replace(said, "stolen%20from%20ward%204"))
    guide.type_line(guide.lines("Read the audit log")[-1], status=1)


@scenario("A second server comes to the database over the network, encrypted, by a password, and to none of another name", limit=300)
def second_server(context):
    second_server_here.set_up()
    second_server_here.start()
    ours = wait_until(second_server_here.status, 120, of="the second server signs")
    assert ours["site"] == site_here.status()["site"], ours
    assert second_server_here.encrypted() >= 1
    # PostgreSQL now shows another machine's certificate, which is valid by itself.
    run("systemctl", "stop", second_server_here.UNIT)
    second_server_here.certify("two.example.org")
    run("systemctl", "restart", "postgresql", seconds=60)
    second_server_here.start()
    wait_until(lambda: "one.example.org" in journal("-u", second_server_here.UNIT, "-n", "3"), 120, of="the server says what is wrong")
    assert not second_server_here.status() and second_server_here.encrypted() == 0
    run("systemctl", "stop", second_server_here.UNIT)


@scenario("A second PostgreSQL has each change, and takes over; the first becomes its standby, and takes over again", limit=400)
def second_database(context):
    database = second_database_here
    second_server_here.certify(second_server_here.NAME)
    run("systemctl", "restart", "postgresql", seconds=60)
    database.prepare()
    database.use_both()
    database.copy("one", "two")
    second_server_here.start()
    ours = wait_until(second_server_here.status, 120, of="the second server signs")
    assert ours["standby"] == "named", ours
    site_here.boxsite("box", "add", "kept", *AT_SECOND)
    taken_over("two", "one")
    database.copy("two", "one")
    wait_until(lambda: standby_state() == "named", 120, of="the new standby is found")
    site_here.boxsite("box", "add", "kept-again", *AT_SECOND)
    # The copy has the setting of the database that it is from. Without the guide's RESET it would wait for itself.
    taken_over("one", "two")
    assert "kept-again" in site_here.boxsite("box", "list", *AT_SECOND)
    run("systemctl", "stop", second_server_here.UNIT)
    database.accept_loss()
    second_server_here.start()
    wait_until(second_server_here.status, 120, of="the second server signs")
    site_here.boxsite("box", "add", "may-be-lost", *AT_SECOND)
    run("systemctl", "stop", second_server_here.UNIT)


AT_SECOND = ("--socket", second_server_here.RUN + "/control.sock")


def standby_state():
    return (second_server_here.status() or {}).get("standby")


def taken_over(standby, lost):
    """Loses the primary's machine. The standby takes over with each change, and without a standby of its own nothing is changed."""
    second_database_here.promote(standby, lost)
    seconds = seconds_until(lambda: standby_state() == "missing", 120, of="the standby is found")
    note("the server had the other PostgreSQL %.0f s after it was promoted" % seconds)
    assert "kept" in site_here.boxsite("box", "list", *AT_SECOND)
    site_here.boxsite("box", "add", "not-kept", *AT_SECOND, status=70)
