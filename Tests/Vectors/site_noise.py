"""Noise IK, IKpsk1 and X (revision 34) with XChaChaPoly and given keys, for generate_site.py. All private keys are known, so one
function computes the messages of both sides. The module uses only Python's `cryptography` (OpenSSL). That library has no XChaCha20,
which is built here from its ChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2)."""
import hashlib
import hmac
import struct

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def public(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def agree(private, other):
    return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(other))


def hkdf(chaining_key, material, outputs):
    """HKDF of Noise, section 4.3."""
    key = hmac.digest(chaining_key, material, "sha256")
    made, block = [], b""
    for number in range(1, outputs + 1):
        block = hmac.digest(key, block + bytes([number]), "sha256")
        made.append(block)
    return made


def subkey(key):
    """Returns HChaCha20 of 16 zero bytes: a ChaCha20 block minus its initial state, without the eight words in the middle."""
    block = Cipher(algorithms.ChaCha20(key, bytes(16)), None).encryptor().update(bytes(64))
    start = b"expand 32-byte k" + key + bytes(16)
    words = [(after - before) & 0xFFFF_FFFF for after, before in zip(struct.unpack("<16I", block), struct.unpack("<16I", start))]
    return struct.pack("<8I", *words[:4], *words[12:])


def seal(key, counter, plaintext, associated=b""):
    """Seals with XChaCha20-Poly1305. The nonce is 16 zero bytes and the counter."""
    return ChaCha20Poly1305(subkey(key)).encrypt(bytes(4) + struct.pack("<Q", counter), plaintext, associated)


class Symmetric:
    """Noise's SymmetricState, and the token `e` of HandshakeState."""

    def __init__(self, prologue, responder, psk, pattern=b"IK"):
        self.psk, self.key = psk, None
        name = b"Noise_%s%s_25519_XChaChaPoly_SHA256" % (pattern, b"psk1" if psk else b"")
        # Section 5.2: a name of exactly 32 bytes is used unhashed.
        self.hash = self.chaining_key = name if len(name) == 32 else hashlib.sha256(name).digest()
        self.mix_hash(prologue)
        self.mix_hash(responder)

    def mix_hash(self, data):
        self.hash = hashlib.sha256(self.hash + data).digest()

    def mix_key(self, material):
        self.chaining_key, self.key = hkdf(self.chaining_key, material, 2)

    def mix_psk(self):
        if self.psk:
            self.chaining_key, mixed, self.key = hkdf(self.chaining_key, self.psk, 3)
            self.mix_hash(mixed)

    def ephemeral(self, key):
        self.mix_hash(key)
        if self.psk:
            self.mix_key(key)
        return key

    def encrypt(self, plaintext):
        """Seals with counter 0: in these patterns, no key seals twice."""
        sealed = seal(self.key, 0, plaintext, self.hash)
        self.mix_hash(sealed)
        return sealed


def one_way(prologue, initiator, responder, initiator_ephemeral, payload):
    """Returns the only message of pattern X, to a public key."""
    state = Symmetric(prologue, responder, None, b"X")
    message = state.ephemeral(public(initiator_ephemeral))
    state.mix_key(agree(initiator_ephemeral, responder))
    message += state.encrypt(public(initiator))
    state.mix_key(agree(initiator, responder))
    return message + state.encrypt(payload)


def conversation(prologue, initiator, responder, initiator_ephemeral, responder_ephemeral, psk=None):
    """Runs a handshake with these private keys and empty payloads. Returns (message 1, message 2, both sides' keys)."""
    return hashed(prologue, initiator, responder, initiator_ephemeral, responder_ephemeral, psk)[:4]


def hashed(prologue, initiator, responder, initiator_ephemeral, responder_ephemeral, psk=None):
    """Returns the result of `conversation` and the handshake hash."""
    state = Symmetric(prologue, public(responder), psk)
    message1 = state.ephemeral(public(initiator_ephemeral))
    state.mix_key(agree(initiator_ephemeral, public(responder)))
    message1 += state.encrypt(public(initiator))
    state.mix_key(agree(initiator, public(responder)))
    state.mix_psk()
    message1 += state.encrypt(b"")
    message2 = state.ephemeral(public(responder_ephemeral))
    state.mix_key(agree(initiator_ephemeral, public(responder_ephemeral)))
    state.mix_key(agree(initiator, public(responder_ephemeral)))
    message2 += state.encrypt(b"")
    return (message1, message2, *hkdf(state.chaining_key, b"", 2), state.hash)
