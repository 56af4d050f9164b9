#!/usr/bin/env python3
"""Writes argon2id-generated.txt: Argon2id version 1.3 (RFC 9106) with one lane and neither secret nor associated data. PyPI's
`argon2-cffi` 25.1.0 computes them. It is the reference implementation of the algorithm's authors, not libsodium.

    python3 -m venv V && V/bin/pip install argon2-cffi==25.1.0 && V/bin/python generate_argon2id.py
"""
import hashlib
import pathlib

from argon2.low_level import Type, hash_secret_raw

CASES = [
    # memory in KiB, passes, password
    (64, 3, b"password"),
    (64, 3, b""),
    (64, 1, b"\x01" * 32),
    (8, 4, b"smallest memory"),
    (1024, 2, "naïve PIN 1234".encode()),
    (4096, 3, bytes(range(128))),
    (32 * 1024, 3, b"1234"),
    (64 * 1024, 3, "ключ-2468".encode()),
]


def main():
    lines = ["# Argon2id 1.3, one lane, no secret, no associated data; written by generate_argon2id.py, which says how."]
    for number, (memory, passes, password) in enumerate(CASES):
        salt = hashlib.sha256(b"boxagent argon2id vectors 1: %d" % number).digest()[:16]
        result = hash_secret_raw(password, salt, passes, memory, 1, 32, Type.ID, 19)
        lines += ["", f"[{memory} KiB, {passes} passes, password of {len(password)} bytes]", f"memory_kib = {memory}",
                  f"passes = {passes}", f"password = {password.hex()}".rstrip(), f"salt = {salt.hex()}",
                  f"hash = {result.hex()}"]
    (pathlib.Path(__file__).parent / "argon2id-generated.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
