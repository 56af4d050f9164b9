"""Phones that are to be taken back, by somebody who needs a second administrator for it."""
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
    """That administrator has taken back twenty within this hour."""
    page.site.database.sql("INSERT INTO revocation_tallies SELECT id, now(), 20 FROM administrators WHERE name = '%s'" % name)


def revoke(visitor, id, reason="lost on the bus"):
    path = "/phone/revoke?id=" + id
    return visitor.submit(visitor.get(path), "/phone/revoke", id=id, reason=reason)


def waiting(page, order):
    """The one proposal whose order names that."""
    found, = [each for each in json.loads(page.server.ok("proposal", "list", "--json")) if order in each["order"]]
    return found
