"""A software authenticator and the browser in front of it (https://www.w3.org/TR/webauthn-2/). A test can falsify every field."""
import base64
import hashlib
import json
import os

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ATTESTED = 1, 4, 64


def text(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class SoftPasskey:
    def __init__(self, origin, key=None):
        self.origin, self.host = origin, origin.split("//")[1].split(":")[0]
        self.key = key or ec.generate_private_key(ec.SECP256R1())
        self.id, self.counter = os.urandom(32), 0

    def client(self, kind, challenge, origin=None):
        return json.dumps({"type": "webauthn." + kind, "challenge": challenge, "origin": origin or self.origin,
                           "crossOrigin": False}, separators=(",", ":")).encode()

    def data(self, host, flags, attested=b""):
        return (hashlib.sha256((host or self.host).encode()).digest() + bytes([flags]) + self.counter.to_bytes(4, "big")
                + attested)

    def make(self, challenge, origin=None, host=None, flags=PRESENT | VERIFIED, kind="create", algorithm=-7):
        """Returns the fields of the form that registers the passkey."""
        numbers = self.key.public_key().public_numbers()
        cose = cbor2.dumps({1: 2, 3: algorithm, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")},
                           canonical=True)
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cose
        attestation = cbor2.dumps(
            {"fmt": "none", "attStmt": {}, "authData": self.data(host, flags | ATTESTED, attested)}, canonical=True)
        return {"client": text(self.client(kind, challenge, origin)), "attestation": text(attestation)}

    def sign(self, challenge, origin=None, host=None, flags=PRESENT | VERIFIED, kind="get", counter=None, key=None):
        """Returns the fields of the form that signs in."""
        self.counter = self.counter + 1 if counter is None else counter
        client, data = self.client(kind, challenge, origin), self.data(host, flags)
        signature = (key or self.key).sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return {"credential": text(self.id), "client": text(client), "authenticator": text(data), "signature": text(signature)}
