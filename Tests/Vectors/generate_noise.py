#!/usr/bin/env python3
"""Writes noise-xchachapoly.txt and noise-chachapoly-generated.txt: handshakes and transport messages of both patterns with fixed
keys. PyPI's `noiseprotocol` 0.3.1 computes them. It takes key agreement and hashes from `cryptography`, and XChaCha20-Poly1305 from
`pycryptodome`. None of them is libsodium.

    python3 -m venv V && V/bin/pip install noiseprotocol==0.3.1 pycryptodome cryptography && V/bin/python generate_noise.py

The script first recomputes the published vectors in noise-chachapoly-published.txt with the same library. If one differs, the
library does not follow the specification, and the script stops.
"""
import hashlib
import pathlib
import re
import sys

from Crypto.Cipher import ChaCha20_Poly1305
from noise.backends.default.backend import DefaultNoiseBackend
from noise.connection import Keypair, NoiseConnection
from noise.functions.cipher import Cipher

HERE = pathlib.Path(__file__).parent
TAG_BYTES = 16


class XChaChaPoly(Cipher):
    """Noise's cipher functions. The nonce is 16 zero bytes ‖ counter (8 bytes, little-endian)."""

    class Primitive:
        def __init__(self, key):
            self.key = bytes(key)

        def _cipher(self, nonce, associated_data):
            cipher = ChaCha20_Poly1305.new(key=self.key, nonce=nonce)
            cipher.update(bytes(associated_data or b""))
            return cipher

        def encrypt(self, nonce, data, associated_data):
            text, tag = self._cipher(nonce, associated_data).encrypt_and_digest(bytes(data))
            return text + tag

        def decrypt(self, nonce, data, associated_data):
            data = bytes(data)
            return self._cipher(nonce, associated_data).decrypt_and_verify(data[:-TAG_BYTES], data[-TAG_BYTES:])

    @property
    def klass(self):
        return self.Primitive

    def encrypt(self, k, n, ad, plaintext):
        return self.cipher.encrypt(self._nonce(n), plaintext, ad)

    def decrypt(self, k, n, ad, ciphertext):
        return self.cipher.decrypt(self._nonce(n), ciphertext, ad)

    @staticmethod
    def _nonce(n):
        return bytes(16) + n.to_bytes(8, "little")


class Backend(DefaultNoiseBackend):
    def __init__(self):
        super().__init__()
        self.ciphers["XChaChaPoly"] = XChaChaPoly


def connection(case, initiator):
    side = NoiseConnection.from_name(case["protocol"].encode(), backend=Backend())
    if "psk" in case:
        side.set_psks(psk=case["psk"])
    side.set_prologue(case["prologue"])
    if initiator:
        side.set_as_initiator()
        side.set_keypair_from_private_bytes(Keypair.STATIC, case["initiator_static"])
        side.set_keypair_from_private_bytes(Keypair.EPHEMERAL, case["initiator_ephemeral"])
        side.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, case["responder_static_public"])
    else:
        side.set_as_responder()
        side.set_keypair_from_private_bytes(Keypair.STATIC, case["responder_static"])
        side.set_keypair_from_private_bytes(Keypair.EPHEMERAL, case["responder_ephemeral"])
    side.start_handshake()
    return side


def run(case):
    """Runs both sides of the case with the library. Returns (ciphertexts, handshake hash)."""
    phone, box = connection(case, True), connection(case, False)
    ciphertexts = []
    for number, payload in enumerate(case["payloads"]):
        sender, receiver = (phone, box) if number % 2 == 0 else (box, phone)
        if number < 2:
            message = bytes(sender.write_message(payload))
            opened = bytes(receiver.read_message(message))
        else:
            message = bytes(sender.encrypt(payload))
            opened = bytes(receiver.decrypt(message))
        assert opened == payload
        ciphertexts.append(message)
    assert phone.get_handshake_hash() == box.get_handshake_hash()
    return ciphertexts, bytes(phone.get_handshake_hash())


def read(path):
    """Reads the cases of a vector file. VectorFile.swift describes the format."""
    cases = []
    for line in path.read_text().splitlines():
        if match := re.fullmatch(r"\[(.*)\]", line):
            cases.append({"name": match[1]})
        elif match := re.fullmatch(r"(\S+) = ?(.*)", line):
            cases[-1][match[1]] = match[2]
    return cases


def check_published():
    cases = read(HERE / "noise-chachapoly-published.txt")
    for case in cases:
        fields = {k: bytes.fromhex(v) for k, v in case.items() if k not in ("name", "protocol")}
        count = sum(k.endswith("_payload") for k in fields)
        fields |= {"protocol": case["protocol"], "payloads": [fields[f"message{i}_payload"] for i in range(count)]}
        ciphertexts, handshake_hash = run(fields)
        assert handshake_hash == fields["handshake_hash"], case["name"]
        assert ciphertexts == [fields[f"message{i}_ciphertext"] for i in range(count)], case["name"]
    print(f"{len(cases)} published cases recomputed")


def secret(label):
    """Derives a fixed secret from its label, which proves that its value was not chosen."""
    return hashlib.sha256(b"boxagent noise vectors 1: " + label.encode()).digest()


def public(private):
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = X25519PrivateKey.from_private_bytes(private).public_key()
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def cases(cipher):
    payload_sets = {
        "empty payloads": [b"", b"", b"\x00ping", b"\x00pong", b"\x00", b"\x00", b"\x00" + bytes(range(256)) * 4,
                           b"\x00" + b"reply", b"\x01", b"\x01"],
        "payloads": [b"first payload", b"second", b"", b"third one", b"x" * 17, b"y" * 1000],
    }
    for pattern in ("IK", "IKpsk1"):
        for what, payloads in payload_sets.items():
            label = f"{pattern} {what}"
            case = {
                "name": f"{label}, {cipher}",
                "protocol": f"Noise_{pattern}_25519_{cipher}_SHA256",
                "prologue": b"boxlink/1 prologue of " + label.encode() if payloads[0] else b"",
                "initiator_static": secret(label + " initiator static"),
                "initiator_ephemeral": secret(label + " initiator ephemeral"),
                "responder_static": secret(label + " responder static"),
                "responder_ephemeral": secret(label + " responder ephemeral"),
                "payloads": payloads,
            }
            case["responder_static_public"] = public(case["responder_static"])
            if pattern == "IKpsk1":
                case["psk"] = secret(label + " psk")
            yield case


def write(path, cipher):
    lines = [
        f"# Noise IK and IKpsk1 with 25519, {cipher}, SHA256 and fixed keys; written by generate_noise.py, which says how.",
        "# Even messages are the initiator's, odd ones the responder's; the first two are the handshake.",
    ]
    for case in cases(cipher):
        ciphertexts, handshake_hash = run(case)
        lines += ["", f"[{case['name']}]", f"protocol = {case['protocol']}"]
        lines += [f"{key} = {value.hex()}" for key, value in case.items() if isinstance(value, bytes)]
        lines.append(f"handshake_hash = {handshake_hash.hex()}")
        for number, (payload, ciphertext) in enumerate(zip(case["payloads"], ciphertexts)):
            lines += [f"message{number}_payload = {payload.hex()}", f"message{number}_ciphertext = {ciphertext.hex()}"]
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n")


if __name__ == "__main__":
    check_published()
    write(HERE / "noise-xchachapoly.txt", "XChaChaPoly")
    write(HERE / "noise-chachapoly-generated.txt", "ChaChaPoly")
    sys.exit(0)
