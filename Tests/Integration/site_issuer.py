"""Signs what a site signs, by its own keys (docs/site-protocol.md, sections 1, 6 and 7): for tests that play the site's administrator."""
import struct

from independent_site import Document, Grant, Revocation, key_id
from nacl import bindings

PHONE, USER = 1, 2
ROLES = ["boxes", "phones", "revocations", "servers"]


class Issuers:
    """The seeds of `issuers.key`, one behind the other."""

    def __init__(self, seeds, document: Document):
        self.seeds = {role: seeds[32 * index:32 * index + 32] for index, role in enumerate(ROLES)}
        self.document = document

    def sign(self, role, context, content):
        public, secret = bindings.crypto_sign_seed_keypair(self.seeds[role])
        signed = bytes([len(context)]) + context + self.document.site + content
        return bindings.crypto_sign(signed, secret)[:64], key_id(public)

    def _issuer(self, role):
        return key_id(bindings.crypto_sign_seed_keypair(self.seeds[role])[0])

    def grant(self, key, user, user_id, expiry, number=0, groups=(1,), mode=0, role="phones"):
        content = (b"\x01" + self._issuer(role) + key + user_id + bytes([mode])
                   + struct.pack(">QQQB", self.document.generation, number, expiry, len(groups))
                   + b"".join(struct.pack(">H", group) for group in groups) + bytes([len(user)]) + user)
        return Grant(content + self.sign(role, b"boxlink-site-grant-1", content)[0])

    def revocation(self, kind, subject, expiry):
        content = (b"\x01" + bytes([kind]) + subject + struct.pack(">QQ", expiry, self.document.generation)
                   + self._issuer("revocations"))
        return Revocation(content + self.sign("revocations", b"boxlink-site-revocation-1", content)[0])
