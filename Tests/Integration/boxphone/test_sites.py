"""A phone is enrolled at a site by two texts, which are made here from docs/reference/site-protocol.md alone."""

import base64
import hashlib
import json
import struct
import time

import pytest
from nacl.signing import SigningKey

from boxphone_program import ended, shown

DAY = 86_400


class Site:
    """A site by sections 1, 3 and 6 of the page, and by "Handing over a grant"."""

    def __init__(self):
        self.root, self.phones = SigningKey.generate(), SigningKey.generate()
        self.id = hashlib.sha256(bytes(self.root.verify_key)).digest()[:16]

    def sign(self, key, context, content):
        return content + key.sign(bytes([len(context)]) + context + self.id + content).signature

    def document(self, version=1):
        listed = b"\x02" + bytes(self.phones.verify_key) + struct.pack(">Q", int(time.time()) + 400 * DAY)
        return self.sign(
            self.root, b"boxlink-site-document-1",
            b"\x01" + self.id + struct.pack(">IIII", 1, version, 1, 1) + bytes(self.root.verify_key) + bytes(32) + b"\x01" + listed)

    def grant(self, phone_key, user=b"ana", groups=(1, 7), expiry=None, by=None):
        issuer = by or self.phones
        return self.sign(
            issuer, b"boxlink-site-grant-1",
            b"\x01" + hashlib.sha256(bytes(issuer.verify_key)).digest()[:8] + phone_key + bytes(range(16)) + b"\x00"
            + struct.pack(">IIQQ", 1, 1, 41, expiry or int(time.time()) + 30 * DAY)
            + bytes([len(groups)]) + b"".join(struct.pack(">H", group) for group in groups) + bytes([len(user)]) + user)

    def text(self, *arguments, document=None, **facts):
        document = document or self.document()
        content = struct.pack(">H", len(document)) + document + self.grant(*arguments, **facts)
        return "boxsite-grant:1/" + base64.b32encode(content).decode().rstrip("=")


def read_key(text):
    assert text.startswith("boxsite-phone:1/") and text.endswith("\n")
    characters = text[len("boxsite-phone:1/"):].strip()
    content = base64.b32decode(characters + "=" * (-len(characters) % 8))
    assert hashlib.sha256(b"boxlink-site-phone-1" + content[:32]).digest()[:4] == content[32:]
    return content[:32]


@pytest.fixture
def site():
    return Site()


@pytest.fixture
def key(phone):
    done = phone.run("site", "key")
    assert done.returncode == 0 and "administrator" in done.stderr
    return read_key(done.stdout)


def add(phone, tmp_path, text):
    (tmp_path / "grant.txt").write_text(text + "\n")
    return phone.run("site", "add", str(tmp_path / "grant.txt"))


def listed(phone):
    done = phone.run("site", "list", "--json")
    assert done.returncode == 0
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_key_is_made_once(phone, key):
    assert read_key(phone.run("site", "key").stdout) == key


def test_a_grant_makes_the_phone_one_of_the_site(phone, site, key, tmp_path):
    done = add(phone, tmp_path, site.text(key))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"This phone belongs to site {site.id.hex()[:12]}, for ana."
    assert "groups 1, 7" in done.stdout
    known = listed(phone)
    assert [entry["site"] for entry in known] == [site.id.hex()]
    assert known[0]["groups"] == [1, 7] and known[0]["user"] == "ana" and known[0]["stopped_until"] is None
    assert known[0]["enrolled"] == []
    assert read_key(known[0]["key"] + "\n") == key
    assert read_key(phone.run("site", "key").stdout) == key
    assert read_key(phone.run("site", "key", "--new").stdout) != key


def test_a_grant_is_renewed_by_the_next_one(phone, site, key, tmp_path):
    add(phone, tmp_path, site.text(key))
    expiry = int(time.time()) + 60 * DAY
    assert add(phone, tmp_path, site.text(key, expiry=expiry, document=site.document(2))).returncode == 0
    assert [entry["until"] for entry in listed(phone)] == [expiry]


def test_what_the_site_has_not_signed_for_this_phone_is_not_taken(phone, site, key, tmp_path):
    wrong = {
        "another phone": site.text(bytes(32)),
        "does not list": site.text(key, by=SigningKey.generate()),
        "has expired": site.text(key, expiry=int(time.time()) - 1),
        "begins with": "boxlink:2/AAAA",
        "missing or changed": site.text(key)[:-8],
        "not signed by its root": site.text(key, document=site.document()[:-1] + b"\xff"),
    }
    for words, text in wrong.items():
        done = add(phone, tmp_path, text)
        assert (done.returncode, words in done.stderr) == (65, True), (words, done.stderr)
    assert listed(phone) == []


def test_the_password_is_the_sites_and_needs_no_box(phone, site, key, tmp_path):
    add(phone, tmp_path, site.text(key))
    done = phone.run("credentials", "set", password=b"correct horse")
    assert done.returncode == 0 and site.id.hex()[:12] in done.stdout
    assert listed(phone)[0]["password_on_phone"] is True
    stored = b"".join(path.read_bytes() for path in phone.vault.iterdir())
    assert b"correct horse" not in stored


def test_a_box_of_the_site_is_named_by_its_number(phone, site, key, tmp_path):
    add(phone, tmp_path, site.text(key))
    done = phone.run("login")
    assert done.returncode == 64 and "number" in done.stderr
    assert "six digits" in phone.run("boxes").stderr


def test_a_site_is_forgotten_for_good_and_only_where_somebody_says_yes(phone, site, key, tmp_path):
    text = site.text(key)
    add(phone, tmp_path, text)
    assert phone.run("site", "forget").returncode == 64
    assert phone.run("site", "forget", "ffff", "--yes").returncode == 1
    assert len(listed(phone)) == 1
    done = phone.run("site", "forget", site.id.hex()[:4], "--yes")
    assert done.returncode == 0 and site.id.hex() in done.stderr
    assert listed(phone) == []
    assert add(phone, tmp_path, text).returncode == 65


def test_on_a_terminal_the_grant_is_asked_for(phone, site, key):
    child = phone.terminal("site", "add")
    shown(child, "boxsite-grant")
    child.sendline(site.text(key))
    child.expect("This phone belongs to site")
    assert ended(child)[1] == 0
