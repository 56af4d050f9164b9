#!/usr/bin/env python3
"""Writes blake2b-256-keyed.txt: BLAKE2b with a key and a 32-byte digest (RFC 7693), computed by Python's hashlib. Its
implementation is from the authors of BLAKE2, not from libsodium.

    python3 generate_blake2b.py
"""
import hashlib
import pathlib

CASES = [(16, 0), (32, 0), (32, 1), (32, 127), (32, 128), (32, 129), (32, 1000), (64, 300)]


def main():
    lines = ["# BLAKE2b-256 with a key (RFC 7693); written by generate_blake2b.py, which says how."]
    for key_bytes, message_bytes in CASES:
        key = hashlib.sha512(b"boxagent blake2b key %d" % message_bytes).digest()[:key_bytes]
        message = bytes(index * 7 % 256 for index in range(message_bytes))
        digest = hashlib.blake2b(message, key=key, digest_size=32).digest()
        lines += ["", f"[key of {key_bytes}, message of {message_bytes} bytes]", f"key = {key.hex()}",
                  f"message = {message.hex()}".rstrip(), f"digest = {digest.hex()}"]
    (pathlib.Path(__file__).parent / "blake2b-256-keyed.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
