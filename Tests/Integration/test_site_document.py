"""The tables of docs/reference/site-protocol.md and the vectors of Tests/Vectors/site-protocol.md, by an independent reader."""

import pathlib
import re

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from independent_site import (
    BOXES, PHONES, REVOCATIONS, Allowance, BoxTime, Certificate, Document, Grant, GrantText, Head, Newer, Refused, Revocation,
    RevocationSet, believes, check_signature, key_id, lets_in, phone_text, read_phone_text, sha256, site_id, write_text)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/site-protocol.md").read_text(encoding="utf-8")
VECTOR_PAGE = (ROOT / "Tests/Vectors/site-protocol.md").read_text(encoding="utf-8")
FILE = (ROOT / "Tests" / "Vectors" / "site.txt").read_text(encoding="utf-8")
VECTORS = {name: bytes.fromhex(value) for name, value in re.findall(
    r"^(\S.*):\n  ([0-9a-f]+)$", VECTOR_PAGE[VECTOR_PAGE.index("```hex vectors-site"):], re.MULTILINE)}
NOW, EXPIRY = 1_800_000_060, 1_802_592_000
GENERATION = (1 << 32) + 1
PARSERS = {
    "site document": Document, "box certificate": Certificate, "grant": Grant, "longest grant": Grant,
    "revocation of a phone": Revocation, "revocation of a user": Revocation, "revocation of a box": Revocation, "head": Head}
ENTRIES = [name for name, parser in PARSERS.items() if parser is Revocation]


def vector(name):
    return PARSERS[name](VECTORS[name + ", bytes"])


def number(value, count=8):
    return value.to_bytes(count, "big")


def sign(content, kind, signer, site=VECTORS["site, id"]):
    context = b"boxlink-site-%s-1" % kind
    key = Ed25519PrivateKey.from_private_bytes(VECTORS[signer + ", seed"])
    return content + key.sign(bytes([len(context)]) + context + site + content)


def document(version=4, root=1, generation=1, issuers=None, next_root="next root", signer="root", site=VECTORS["site, id"]):
    """Returns a signed document. `issuers` has (role, name, expiry)."""
    if issuers is None:
        issuers = [(BOXES, "issuer of boxes", EXPIRY), (PHONES, "issuer of phones", EXPIRY),
                   (REVOCATIONS, "issuer of revocations", EXPIRY)]
    listed = b"".join(number(role, 1) + VECTORS[name + ", public"] + number(expiry) for role, name, expiry in issuers)
    content = b"\1" + site + number((root << 32) + version) + number((root << 32) + generation)
    content += VECTORS[signer + ", public"] + sha256(VECTORS[next_root + ", public"]) + number(len(issuers), 1) + listed
    return Document(sign(content, b"document", signer, site))


def entry(kind, subject, expiry=EXPIRY, generation=GENERATION):
    content = number(1, 1) + number(kind, 1) + subject + number(expiry) + number(generation)
    return Revocation(sign(content + VECTORS["issuer of revocations, key_id"], b"revocation", "issuer of revocations"))


def head(rising=1, time=NOW, version=(1 << 32) + 3, generation=GENERATION, set_hash=VECTORS["empty set, hash"]):
    content = b"\1" + VECTORS["issuer of revocations, key_id"] + number(generation) + number(rising) + number(version)
    return Head(sign(content + set_hash + number(time), b"head", "issuer of revocations"))


def full_set(pinned):
    revoked = RevocationSet()
    for name in ENTRIES:
        revoked.add(vector(name), pinned)
    return revoked


def table(section):
    """Returns (refusal, reason) of each row in order. A row may have two refusals."""
    text = PAGE[PAGE.index("\n## %d. " % section):PAGE.index("\n## %d. " % (section + 1))]
    rows = re.findall(r"^\| .+ \| (.+) \| (\d) \|$", text, re.MULTILINE)
    return [(each, int(reason)) for refusals, reason in rows for each in refusals.split(", ")]


def check(thing, pinned):
    """Checks an object alone, by the rules of its receiver."""
    if isinstance(thing, Document):
        document(version=2).followed_by(thing)
    elif isinstance(thing, Certificate):
        believes(pinned, thing, VECTORS["site, box_key"], b"004711", vector("grant"), NOW, RevocationSet())
    elif isinstance(thing, Grant):
        lets_in(pinned, vector("box certificate"), thing, VECTORS["site, phone_key"], NOW, lambda: None, RevocationSet())
    elif isinstance(thing, Revocation):
        RevocationSet().add(thing, pinned)
    else:
        thing.check(pinned)


def test_the_page_has_the_vectors_of_the_file():
    section, found = "", {}
    for line in FILE.splitlines():
        if line.startswith("["):
            section = line[1:-1]
        elif " = " in line:
            name, value = line.split(" = ")
            found["%s, %s" % (section, name)] = bytes.fromhex(value)
    assert found == VECTORS


def test_ids_and_hashes_are_as_the_page_makes_them():
    for name, value in VECTORS.items():
        if name.endswith(", key_id"):
            assert key_id(VECTORS[name.replace("key_id", "public")]) == value
    assert site_id(VECTORS["root, public"]) == VECTORS["site, id"]
    assert [vector(name).hash for name in ("grant", "longest grant")] == [
        VECTORS["grant, hash"], VECTORS["longest grant, hash"]]
    pinned, head_time = vector("site document"), vector("head").time
    assert RevocationSet().hash(NOW, pinned) == VECTORS["empty set, hash"]
    assert full_set(pinned).hash(head_time, pinned) == VECTORS["set of the three, hash"] == vector("head").set_hash


def test_what_the_vectors_say_is_believed():
    pinned, grant = vector("site document"), vector("grant")
    pinned.check()
    for name in PARSERS:
        if name != "site document":
            check(vector(name), pinned)
    following = Document(VECTORS["site document of the next root, bytes"])
    assert pinned.followed_by(following) is following and pinned.followed_by(vector("site document")) is pinned
    assert (grant.user, grant.groups, grant.number, grant.expiry) == (b"ana", [1], 41, EXPIRY)
    assert vector("longest grant").groups == list(range(1, 9)) and len(vector("longest grant").user) == 64
    assert vector("box certificate").groups == [1, 7]


@pytest.mark.parametrize("name", PARSERS)
def test_a_thing_that_was_changed_is_refused(name):
    whole, pinned = VECTORS[name + ", bytes"], vector("site document")
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1
        with pytest.raises(Refused) as refusal:
            check(PARSERS[name](bytes(damaged)), pinned)
        assert isinstance(refusal.value, Newer) == (position == 0)
    for other in [whole[:-1], whole + b"\0", b"", whole[:1]]:
        with pytest.raises(Refused):
            PARSERS[name](other)


def test_a_key_of_small_order_signs_nothing():
    identity = b"\1" + bytes(31)
    signature = identity + bytes(32)
    # The library alone accepts this as a signature of any content.
    Ed25519PublicKey.from_public_bytes(identity).verify(signature, b"anything")
    for key in (identity, number((1 << 255) + 1, 32)[::-1], number(2**255 - 18, 32)[::-1], bytes(32)):
        with pytest.raises(Refused):
            check_signature(b"boxlink-site-head-1", bytes(16), key, b"anything" + signature)


def test_a_value_that_a_layout_does_not_name_is_refused():
    changes = {
        "site document": {1: b"\0", 17: bytes(4), 21: bytes(4), 25: number(2, 4), 29: bytes(4), 97: b"\5", 98: b"\5", 131: b"\1"},
        "box certificate": {15: b"/", 53: bytes(2), 55: b"\0\1", 59: b"\0\7", 69: bytes(2) + b"\1"},
        "grant": {57: b"\1", 58: bytes(4), 62: bytes(4), 74: bytes(2) + b"\1", 82: b"\0", 83: bytes(2), 85: b"\0", 86: b"-",
                  87: b"/", 88: b"\x7f"},
        "longest grant": {82: b"\t", 85: b"\0\1", 99: b"\x41", 103: b"\x1f"},
        "revocation of a user": {1: b"\4", 33: b"\1", 34: bytes(2) + b"\1", 42: bytes(4), 46: bytes(4)},
        "head": {9: bytes(4), 13: bytes(4), 25: bytes(4), 29: bytes(4), 65: bytes(2) + b"\1"}}
    for name, edits in changes.items():
        for position, value in edits.items():
            whole = bytearray(VECTORS[name + ", bytes"])
            whole[position:position + len(value)] = value
            with pytest.raises(Refused):
                PARSERS[name](bytes(whole))
    listed = [(BOXES, "issuer of boxes", EXPIRY), (PHONES, "issuer of phones", EXPIRY)]
    for issuers in (listed[::-1], listed[:1] + [(PHONES, "issuer of boxes", EXPIRY)], listed[:1] + [(PHONES, "root", EXPIRY)]):
        with pytest.raises(Refused):
            document(issuers=issuers)
    def crowd(count):
        many = b"".join(b"\1" + bytes([key]) * 32 + number(EXPIRY) for key in range(count))
        return VECTORS["site document, bytes"][:97] + bytes([count]) + many + bytes(64)
    assert len(Document(crowd(16)).bytes) == 818
    with pytest.raises(Refused):
        Document(crowd(17))
    # A name in another encoding than UTF-8 is valid.
    Grant(VECTORS["grant, bytes"][:86] + b"\x80\xff " + VECTORS["grant, bytes"][89:])


def test_the_pin_follows_its_root_and_then_the_next_one():
    pinned = document(version=5, generation=2)
    assert pinned.followed_by(document(version=6, generation=2)).version == (1 << 32) + 6
    # A thief of the root key may use the highest numbers. The next root still comes after them.
    highest = pinned.followed_by(document(version=0xFFFF_FFFF, generation=0xFFFF_FFFF))
    after = highest.followed_by(document(1, root=2, signer="next root", next_root="root"))
    assert after.generation > highest.generation
    refused = [
        ("older", document(4, generation=2)), ("older", document(6)), ("contradicts", document(5, generation=2, issuers=[])),
        ("another next", document(6, generation=2, next_root="issuer of servers")),
        ("root is missing", document(1, root=3, signer="next root")),
        ("other root", document(1, root=2, signer="issuer of servers")), ("another number", document(6, root=2, generation=2)),
        ("other site", document(6, root=2, signer="next root", site=bytes(16)))]
    for what, shown in refused:
        with pytest.raises(Refused, match=what):
            pinned.followed_by(shown)


def test_a_set_is_a_union_and_its_hash_depends_on_time_and_document():
    pinned, phone = vector("site document"), VECTORS["site, phone_key"]
    revoked = full_set(pinned)
    before = revoked.hash(NOW, pinned)
    revoked.add(vector("revocation of a box"), pinned)
    revoked.add(entry(1, phone, expiry=NOW), pinned)
    assert len(revoked.entries) == 4 and revoked.hash(NOW, pinned) == before != revoked.hash(NOW - 1, pinned)
    revoked.forget(NOW)
    assert len(revoked.entries) == 3
    assert revoked.hash(NOW, document(issuers=[])) == revoked.hash(EXPIRY, pinned) == VECTORS["empty set, hash"]
    for generation in (2, 1 << 33 | 1):
        with pytest.raises(Refused):
            revoked.add(entry(1, phone, generation=GENERATION + generation), pinned)
    with pytest.raises(Refused, match="full"):
        RevocationSet(largest=0).add(vector("revocation of a box"), pinned)
    user = VECTORS["site, user_id"]
    assert [entry(2, user + number(last) + bytes(8)).takes_back(vector("grant")) for last in (40, 41)] == [False, True]
    assert entry(2, user + bytes(16), generation=GENERATION + 1).takes_back(vector("grant"))


def test_heads_only_rise():
    pinned, last = vector("site document"), head(5, NOW)
    for newer in (head(6, NOW), head(5, NOW + 1)):
        newer.check(pinned, last)
    expiry = pinned.issuers[VECTORS["issuer of revocations, key_id"]][2]
    head(6, expiry - 1).check(pinned, last)
    for other in (last, head(4, NOW + 1), head(6, NOW - 1), head(6, expiry), head(6, version=(1 << 32) + 4),
                  head(6, generation=GENERATION + 1)):
        with pytest.raises(Refused):
            other.check(pinned, last)


def test_a_box_is_never_ahead_and_hours_are_spent_by_running_and_by_boots():
    time, hours = BoxTime(NOW, "one", 100), Allowance(limit=3)
    hours.fresh("one", 100)
    assert time.at(100 + 1_023) == NOW + 1_023 and time.at(100 + 2_048) == NOW + 2_046
    assert time.take(NOW + 1_446, 2_148) and not time.take(NOW + 1_445, 2_148) and time.at(2_148) == NOW + 2_046
    again = BoxTime(NOW, "one", 100, head_time=NOW + 50).restarted("two", 9)
    assert again.at(9) == NOW + 50 and again.at(109) == NOW + 100
    assert hours.is_paid("one", 3_699) and not hours.is_paid("one", 3_700) and not hours.is_paid("two", 9)
    with pytest.raises(Refused, match="not written"):
        hours.check("one", 3_700)
    hours.wrote(hours.due("one", 3_700))
    hours.check("one", 3_700)
    hours.wrote(hours.due("two", 9))
    assert hours.is_paid("two", 3_608) and hours.due("two", 3_609) is None
    with pytest.raises(Refused, match="used up"):
        hours.check("two", 3_609)


def refusals(ask, section):
    """Checks the order of refusals against the page's table: first everything is wrong, then one fault after another is fixed."""
    told, expected = [], table(section)
    for mended in range(len(expected)):
        with pytest.raises(Refused) as refusal:
            ask([wrong >= mended for wrong in range(len(expected))])
        told.append((refusal.value.what, refusal.value.reason))
    assert told == expected


def listing(role, name, unknown, other_role, over):
    """Returns a document with an issuer that has the faults whose flags are true."""
    wrong_role = PHONES if role == BOXES else BOXES
    return document(issuers=[] if unknown else [(wrong_role if other_role else role, name, NOW if over else EXPIRY)])


def damaged(parser, whole, is_damaged):
    return parser(whole[:-1] + bytes([whole[-1] ^ 1])) if is_damaged else parser(whole)


def test_a_box_looks_at_a_grant_in_the_order_of_the_page():
    content = VECTORS["grant, bytes"][:-64]
    phone, user = VECTORS["site, phone_key"], VECTORS["site, user_id"]

    def ask(bad):
        pinned = listing(PHONES, "issuer of phones", bad[1], bad[2], bad[5])
        shown = content[:74] + number(NOW if bad[6] else NOW + 1) + content[82:83] + number(9 if bad[3] else 7, 2) + content[85:]
        hours = Allowance(2 if bad[7] else 1, (1, "one", 0 if bad[7] or bad[8] else 100))
        revoked = RevocationSet()
        for is_revoked, what in ((bad[10], entry(1, phone)), (bad[11], entry(2, user + number(41) + bytes(8)))):
            if is_revoked:
                revoked.add(what, document())
        lets_in(pinned, vector("box certificate"), damaged(Grant, sign(shown, b"grant", "issuer of phones"), bad[9]),
                bytes(32) if bad[0] else phone, None if bad[4] else NOW, lambda: hours.check("one", 50), revoked)

    refusals(ask, 11)
    ask([False] * 12)


def test_a_phone_looks_at_a_certificate_in_the_order_of_the_page():
    content, box = VECTORS["box certificate, bytes"][:-64], VECTORS["site, box_key"]

    def ask(bad):
        pinned = listing(BOXES, "issuer of boxes", bad[3], bad[4], bad[5])
        shown = b"\1" + (bytes(6) if bad[0] else content[1:7]) + content[7:53] + number(9 if bad[7] else 1, 2) + bytes(14)
        shown += number(NOW if bad[6] else NOW + 1)
        revoked = RevocationSet()
        if bad[9]:
            revoked.add(vector("revocation of a box"), document())
        believes(pinned, damaged(Certificate, sign(shown, b"box", "issuer of boxes"), bad[8]),
                 bytes(32) if bad[1] else box, b"000000" if bad[2] else b"004711", vector("grant"), NOW, revoked)

    refusals(ask, 12)
    ask([False] * 10)


def test_a_phones_text_comes_out_as_it_went_in_and_a_changed_one_is_refused():
    key = VECTORS["site, phone_key"]
    text = phone_text(key)
    assert len(text) == 16 + 58 and read_phone_text(" " + text + "\n") == key
    for at in range(len(text)):
        with pytest.raises(Refused):
            read_phone_text(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:])
    for other in (text[:-1], text + "A", text.lower(), ""):
        with pytest.raises(Refused):
            read_phone_text(other)


def test_a_grants_text_has_document_and_grant_and_is_for_one_phone():
    parts = VECTORS["site document, bytes"], VECTORS["grant, bytes"]
    data = number(len(parts[0]), 2) + parts[0] + parts[1]
    text = GrantText(write_text("boxsite-grant:1/", data))
    assert (text.document.bytes, text.grant.bytes) == parts
    text.check(VECTORS["site, phone_key"])
    with pytest.raises(Refused, match="another phone"):
        text.check(VECTORS["site, box_key"])
    for other in (data[:-1], data + b"A", b"\0\0" + data[2:], data[:2]):
        with pytest.raises(Refused):
            GrantText(write_text("boxsite-grant:1/", other))
    forged = data[:-1] + bytes([data[-1] ^ 1])
    with pytest.raises(Refused, match="not signed"):
        GrantText(write_text("boxsite-grant:1/", forged)).check(VECTORS["site, phone_key"])
