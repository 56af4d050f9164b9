"""Revocations of phones by an administrator who needs the approval of a second one."""
import json

from independent_phone import KeyPair
from independent_site import phone_text


def add_phone(page, user):
    key = KeyPair.new()
    page.server.ok("phone", "add", user, phone_text(key.public))
    return next(each["id"] for each in json.loads(page.server.ok("phone", "list", "--json")) if each["key"] == key.public.hex())


def state(page, id):
    return next(each["state"] for each in json.loads(page.server.ok("phone", "list", "--json")) if each["id"] == id)


def after_twenty(page, name):
    """Records that this administrator has revoked twenty phones within this hour."""
    page.site.database.sql("INSERT INTO revocation_tallies SELECT id, now(), 20 FROM administrators WHERE name = '%s'" % name)


def revoke(visitor, id, reason="lost on the bus"):
    path = "/phone/revoke?id=" + id
    return visitor.submit(visitor.get(path), "/phone/revoke", id=id, reason=reason)


def waiting(page, order):
    """Returns the only proposal whose order contains that text."""
    found, = [each for each in json.loads(page.server.ok("proposal", "list", "--json")) if order in each["order"]]
    return found
