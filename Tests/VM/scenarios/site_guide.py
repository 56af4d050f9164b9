"""What docs/site-guide.md has an administrator do at the server behind the first day, typed line by line in one guest."""

import json
import re

import guide
import site_here
from machine import Failed, note, run, seconds_until, wait_until
from scenario import scenario

CONTROLLERS = 1


def numbers():
    """Names of the boxes that the site has."""
    return [box["name"] for box in json.loads(site_here.boxsite("box", "list", "--json"))]


def signing():
    wait_until(lambda: site_here.signs(guide.type_line("boxsite status", status=None)), 60, of="the server signs")


@scenario("From the packages to a server that signs", limit=300)
def founded(context):
    note("the server signed after %.0f s" % seconds_until(lambda: site_here.found() or True, 300))


@scenario("Two administrators: root adds the first alone, and from then on two decide", limit=120)
def administrators(context):
    for name in ("anna", "bert"):
        run("useradd", "--create-home", name)
    section = "Who may administer"
    guide.type_line(guide.line(section, "boxsite admin add anna"))
    guide.type_line(guide.line(section, "adduser anna"))
    said = guide.type_line(guide.line(section, "boxsite admin add bert"), status=None)
    waiting = json.loads(site_here.boxsite("proposal", "list", "--json"))
    if len(waiting) != 1:
        raise Failed("one proposal waits for anna: %s, %s" % (said, waiting))
    approve = guide.line(section, "boxsite approve").replace("4f3k2m9a", waiting[0]["id"])
    guide.type_line("runuser -u anna -- boxsite proposal list")
    # Nobody is at a terminal to be asked.
    guide.type_line("runuser -u anna -- %s --yes" % approve)
    listed = guide.type_line(guide.line(section, "boxsite admin list"))
    assert re.search("^anna .*administrator", listed, re.M) and re.search("^bert .*ward", listed, re.M), listed


@scenario("A backup is restored: what was done since is gone, and the server signs again", limit=200)
def restored(context):
    dump = "runuser -u postgres -- pg_dump -Fc boxsite > boxsite.dump"
    assert "`%s`" % dump in guide.GUIDE.read_text(), "the guide makes its backups in another way"
    site_here.boxsite("box", "add", "before")
    guide.type_line(dump)
    site_here.boxsite("box", "add", "behind")
    assert sorted(numbers()) == ["before", "behind"]
    for each in guide.lines("Backup and restore"):
        # The key files are where they were.
        if not each.startswith("install "):
            guide.type_line(each)
    signing()
    assert numbers() == ["before"], numbers()


@scenario("New issuers, from a stick with the root's key to servers that sign by them", limit=200)
def issuers(context):
    site_here.put_stick("one")
    before = guide.type_line("boxsite status", status=None)
    for each in guide.lines("Replace the issuers each year"):
        # This is the only server, and nobody is at its terminal to be asked.
        if each.startswith("install -o boxsite"):
            continue
        signs = {"boxsite root sign": "boxsite root sign --yes"} if "boxsite root sign" in each else {}
        guide.type_line(each, signs, status=None if each == "boxsite status" else 0)
    signing()
    after = guide.type_line("boxsite status", status=None)
    line = re.compile("^site document .*$", re.M)
    assert line.search(before).group() != line.search(after).group(), (before, after)
