"""The drills of docs/how-to/site-emergencies.md for losses without a thief: a server, its keys, the database."""
import os
import shutil

import pytest

from independent_phone import KeyPair
from independent_site import Refused
from site_box import CERTIFICATE, REFUSED, REMOVED, JoinCode
from test_drills import NUMBER, add, box, drop_all, has_followed, info, linked, present, root  # noqa: F401
from test_one_enrolment import give, log_in, new_phone, phone_id, refused
from test_one_enrolment import add as add_phone
from test_site_held import store
from test_site_held import log_in as log_in_with_pin

# A box that lost its link waits up to 30 s before it tries again.
RETURN_SECONDS = 60


def burn(site):
    """Destroys the server's machine with all its data."""
    site.server.kill()
    shutil.rmtree(site.server.directory)


def replace(site, **files):
    """Starts another machine at the address that boxes know, with these key files."""
    port = site.server.port
    site.servers.clear()
    server = site.make_server()
    server.port = port
    for name, content in files.items():
        path = server.state / name.replace("_", ".")
        path.write_bytes(content)
        path.chmod(0o600)
    site.write_configs()
    return server.start()


def is_back(box):  # noqa: F811
    box.wait_until(lambda: info(box)["linked_server"] is not None, timeout=RETURN_SECONDS)


def held_phone(site, box):  # noqa: F811
    phone = box.phone("held")
    add_phone(site, phone, "--site-held")
    store(phone, NUMBER)
    return phone


def test_drill_lost_server(site, box):  # noqa: F811
    phone, held = new_phone(box, site, "alice"), held_phone(site, box)
    log_in(box, phone, NUMBER)
    code = site.server.ok("box", "add", "later")
    kept = {name.replace(".", "_"): (site.server.state / name).read_bytes() for name in ("issuers.key", "site.secret")}
    key = (site.server.state / "server.key").read_bytes()
    burn(site)
    box.wait_until(lambda: info(box)["linked_server"] is None)
    # The box works alone, but a password that the site holds is not available.
    log_in(box, phone, NUMBER)
    replace(site, **kept)
    is_back(box)
    assert (site.server.state / "server.key").read_bytes() != key
    assert site.server.command("status").returncode == 0
    log_in(box, phone, NUMBER)
    log_in_with_pin(box, held, NUMBER)
    site.join(JoinCode(code.strip()), KeyPair.new()).expect(CERTIFICATE)
    site.server.ok("phone", "revoke", phone_id(site, phone), "--yes")
    box.wait_until(lambda: info(box)["head_number"] == 1)
    assert refused(box, phone, NUMBER)


def test_drill_lost_server_whose_keys_nobody_has(site, root, box):  # noqa: F811
    phone, held = new_phone(box, site, "alice"), held_phone(site, box)
    gone = add(site, "bert").grant
    site.server.ok("user", "revoke", "bert", "--yes")
    burn(site)
    # Random keys, which the guide makes with head(1).
    server = replace(site, issuers_key=os.urandom(128), site_secret=os.urandom(32))
    server.wait_until(lambda: "lists no key of this server" in (server.status()["doubt"] or ""))
    request = server.ok("issuers", "new")
    root.publish(root.sign(*drop_all(present(site)), request=request))
    assert server.sign_site_key(root.key).returncode == 0
    server.stop()
    server.start()
    assert server.command("status").returncode == 0
    is_back(box)
    has_followed(site, box)
    # The user gives each phone a new grant. The box needs nothing, and revocations stay valid.
    give(phone, server.ok("phone", "grant", phone_id(site, phone)))
    log_in(box, phone, NUMBER)
    with pytest.raises(Refused, match="user revoked"):
        linked(site, "new").set.check(gone)
    # The site-held password is lost with the secret, so it is stored again.
    add_phone(site, held, "--site-held")
    store(held, NUMBER)
    log_in_with_pin(box, held, NUMBER)


def test_drill_lost_database(site, root, box):  # noqa: F811
    phone, lost = new_phone(box, site, "alice"), new_phone(box, site, "lost")
    removed = linked(site, "ward2")
    backup = site.database.dump()
    site.server.ok("phone", "revoke", phone_id(site, lost), "--yes")
    site.server.remove("ward2")
    text = root.sign(request=site.server.ok("issuers", "new"))
    root.publish(text)
    late = new_phone(box, site, "late")
    log_in(box, late, NUMBER)
    box.wait_until(lambda: info(box)["head_number"] == 2)
    site.database.kill()
    site.server.wait_until(lambda: site.server.status()["doubt"])
    # Boxes continue, and a revoked phone stays refused.
    log_in(box, phone, NUMBER)
    assert refused(box, lost, NUMBER)
    site.database.start()
    site.restore(backup)
    assert site.server.status()["entries"] == 0
    is_back(box)
    said = site.server.command("status")
    assert said.returncode == 2 and "to do: a box has site document 1.2" in said.stdout, said.stdout
    root.publish(text)
    assert site.server.command("status").returncode == 0
    site.server.wait_until(lambda: site.server.status()["entries"] == 2)
    assert refused(box, lost, NUMBER)
    has_followed(site, box)
    # The guide says that two steps must be repeated: removing the box, and adding the phone.
    assert site.server.boxes()["ward2"]["state"] == "joined"
    assert site.link(removed.link).expect(REFUSED) == REMOVED
    site.server.remove("ward2")
    assert "ward2" not in site.server.boxes()
    add_phone(site, late)
    log_in(box, late, NUMBER)
    log_in(box, phone, NUMBER)
    assert site.server.command("status").returncode == 0
