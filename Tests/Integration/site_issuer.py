"""Signs with a site's own keys, as the site's administrator does (docs/reference/site-protocol.md, sections 1, 6 and 7)."""
import os
import struct

from independent_site import Document, Grant, Revocation, key_id
from nacl import bindings

PHONE, USER = 1, 2
ROLES = ["boxes", "phones", "revocations", "servers"]


def sign_document(document, root, issuers):
    """Signs the document's next version with the same root. `issuers` has (role, public key). All get the expiry of the current
    document's first issuer."""
    public, secret = bindings.crypto_sign_seed_keypair(root)
    assert public == document.root
    expiry = next(iter(document.issuers.values()))[2]
    listed = b"".join(bytes([role]) + key + struct.pack(">Q", expiry) for role, key in sorted(issuers))
    content = (b"\x01" + document.site + struct.pack(">QQ", document.version + 1, document.generation) + public
               + document.next_root_hash + bytes([len(issuers)]) + listed)
    context = b"boxlink-site-document-1"
    signed = bindings.crypto_sign(bytes([len(context)]) + context + document.site + content, secret)
    return Document(content + signed[:64])


def replace_issuer(site, role):
    """Replaces the key of this role, as the root keeper does while no server runs."""
    database = site.database
    document = Document(bytes.fromhex(database.sql(
        "SELECT encode(bytes, 'hex') FROM site_documents ORDER BY version DESC LIMIT 1").strip()))
    seeds = bytearray((site.server.state / "issuers.key").read_bytes())
    place = ROLES.index(role)
    seeds[32 * place:32 * place + 32] = os.urandom(32)
    issuers = [(index + 1, bindings.crypto_sign_seed_keypair(bytes(seeds[32 * index:32 * index + 32]))[0]) for index in range(4)]
    newer = sign_document(document, (site.root / "root.key").read_bytes(), issuers)
    (site.server.state / "issuers.key").write_bytes(bytes(seeds))
    database.sql("UPDATE site_state SET changes = changes + 1, document = %d; INSERT INTO site_documents SELECT %d, '\\x%s', changes FROM site_state"
                   % (newer.version, newer.version, newer.bytes.hex()))


class Issuers:
    """The seeds of `issuers.key`, concatenated."""

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
