"""A phone's side of a credential that its site holds, written from docs/reference/site-protocol.md, section 19, alone."""

import os
import struct

from independent_phone import Handshake, KeyPair
from independent_site import need

DONE, OPENED, PIN_WRONG, WIPED, LOCKED_OUT, NO_CREDENTIAL, REFUSED, NOT_NOW = range(8)
TRIES, OPEN, STORE, CHANGE_PIN = 1, 2, 3, 4
LONGEST = 511


class HeldAnswer:
    """The answer to a request."""

    def __init__(self, content):
        need(len(content) >= 5, "an answer that is too short")
        (self.number, self.kind), fields = struct.unpack(">IB", content[:5]), content[5:]
        need(self.kind <= NOT_NOW, "an unknown answer")
        self.left = self.seconds = self.credential = None
        lengths = {DONE: 1, OPENED: 514, PIN_WRONG: 1, LOCKED_OUT: 4}
        need(len(fields) == lengths.get(self.kind, 0), "an answer of another length")
        if self.kind in (DONE, OPENED, PIN_WRONG):
            self.left, fields = fields[0], fields[1:]
            need(1 <= self.left <= 10, "a number of tries that there is not")
        if self.kind == OPENED:
            self.credential = unpad(fields)
        if self.kind == LOCKED_OUT:
            self.seconds = struct.unpack(">I", fields)[0]
            need(self.seconds > 0, "no time")

    def __repr__(self):
        return "HeldAnswer(%d, kind %d, left %r, seconds %r)" % (self.number, self.kind, self.left, self.seconds)


def pad(credential):
    need(1 <= len(credential) <= LONGEST and b"\0" not in credential, "no credential")
    return struct.pack(">H", len(credential)) + credential + bytes(LONGEST - len(credential))


def unpad(content):
    length = struct.unpack(">H", content[:2])[0]
    need(1 <= length <= LONGEST and not any(content[2 + length:]), "no credential")
    return content[2:2 + length]


def prologue(site, box_key, channel):
    return b"boxlink-site-held/1" + site + box_key + channel


class HeldPhone:
    """A phone's key and a rising counter. Tests pass PIN keys directly, because a site cannot tell how a phone derives them."""

    def __init__(self, document, site_key, key=None):
        self.document, self.site_key, self.key = document, site_key, key or KeyPair.new()
        self.counter = 0

    def seal(self, box_key, channel, kind, *fields, counter=None):
        """Seals a message for the site. The message is valid only for this box and channel."""
        if counter is None:
            self.counter += 1
            counter = self.counter
        content = struct.pack(">BBQ", 1, kind, counter) + b"".join(fields)
        bound = prologue(self.document.site, box_key, channel)
        return Handshake(bound, self.key, self.site_key, pattern=b"X").message1(content)

    def open(self, box_key, channel, pin_key, **how):
        return self.seal(box_key, channel, OPEN, pin_key, **how)

    def store(self, box_key, channel, pin_key, credential, **how):
        return self.seal(box_key, channel, STORE, pin_key, pad(credential), **how)

    def change(self, box_key, channel, old, new, **how):
        return self.seal(box_key, channel, CHANGE_PIN, old, new, **how)

    def tries(self, box_key, channel, **how):
        return self.seal(box_key, channel, TRIES, **how)


def new_channel():
    """Returns 32 unique bytes, like the hash of a channel between a phone and a box."""
    return os.urandom(32)
