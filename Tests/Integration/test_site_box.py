"""The independent box end of a link (site_box.py), against Tests/Vectors/site-protocol.md and a mirror of a server's end."""

import contextlib
import socket
import struct
import threading
import time

import independent_phone
import pytest
import site_box
from independent_phone import Cipher, KeyPair, agree, hkdf
from independent_site import SERVERS, Document, Newer, Refused, Revocation
from site_box import Ended, Greeting, JoinCode, Said, SiteBox
from test_site_document import EXPIRY, NOW, VECTORS, document, number, sign

CODE = "join code, in ASCII"
ENTRIES = [VECTORS["revocation of %s, bytes" % name] for name in ("a phone", "a user", "a box")]
ANSWERS = {"a link": "head", "joining": "certificate"}


def key(name):
    return KeyPair(VECTORS["keys of a link, " + name])


def code():
    return JoinCode(VECTORS[CODE + ", bytes"].decode())


def pin():
    return Document(VECTORS["site document, bytes"])


class Mirror:
    """A server's end, on one end of a socket pair. It greets, shakes hands, and records the box's messages."""

    def __init__(self, connection, greeting=VECTORS["greeting, bytes"], secret=VECTORS[CODE + ", secret"], static=None):
        self.connection, self.greeting, self.secret = connection, greeting, secret
        self.static = static or key("server_private")
        self.frames = []

    def send(self, message):
        self.connection.sendall(struct.pack(">H", len(message)) + message)

    def receive(self):
        head = self.connection.recv(2, socket.MSG_WAITALL)
        if len(head) < 2:
            raise EOFError
        frame = self.connection.recv(struct.unpack(">H", head)[0], socket.MSG_WAITALL)
        self.frames.append(frame)
        return frame

    def shake(self, ephemeral=None):
        """Greets and runs the handshake. Returns the box's static public key."""
        self.send(self.greeting)
        first = self.receive()
        code_id, message1 = (first[1:9], first[9:]) if first[0] == 2 else (b"", first[1:])
        psk = self.secret if first[0] == 2 else None
        mine = ephemeral or KeyPair.new()
        # Uses the initiator's own state machine, and swaps both sides' keys in the key agreements.
        state = independent_phone.Handshake(site_box.prologue(self.greeting, code_id), None, self.static.public, psk, mine)
        theirs = state._mix_ephemeral(message1[:32])
        state._mix_key(agree(self.static.private, theirs))
        box = state.cipher.open(message1[32:80], state.hash)
        state._mix_hash(message1[32:80])
        state._mix_key(agree(self.static.private, box))
        if psk:
            state.chaining_key, mixed, secret = hkdf(state.chaining_key, psk, 3)
            state._mix_hash(mixed)
            state.cipher = Cipher(secret)
        state.cipher.open(message1[80:], state.hash)
        state._mix_hash(message1[80:])
        message2 = state._mix_ephemeral(mine.public)
        state._mix_key(agree(mine.private, theirs))
        state._mix_key(agree(mine.private, box))
        self.send(message2 + state._encrypt(b""))
        from_box, from_site = hkdf(state.chaining_key, b"", 2)
        self.opening, self.sealing = Cipher(from_box), Cipher(from_site)
        return box

    def say(self, message, kind=0):
        self.send(self.sealing.seal(bytes([kind]) + message))

    def hear(self):
        return self.opening.open(self.receive())


@contextlib.contextmanager
def mirrored(play, **options):
    """Yields a connected socket and its Mirror, which `play` runs in a thread. Raises the thread's exception at the end."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(10)
    mirror, raised = Mirror(theirs, **options), []

    def run():
        try:
            play(mirror)
        except (EOFError, OSError, independent_phone.Refused, AssertionError) as error:
            raised.append(error)
        finally:
            theirs.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        with ours:
            yield ours, mirror
    finally:
        thread.join()
    if raised and isinstance(raised[0], AssertionError):
        raise raised[0]


def greeting(shown=None, certificate=VECTORS["server certificate, bytes"]):
    return b"\1" + certificate + (shown.bytes if shown else VECTORS["site document, bytes"])


def certificate(signer="issuer of servers", expiry=EXPIRY, site=VECTORS["site, id"]):
    content = b"\1" + VECTORS[signer + ", key_id"] + VECTORS["site, server_key"] + number(expiry)
    return sign(content, b"server", signer, site)


def test_the_messages_are_those_of_the_page():
    assert VECTORS["prologue of a link, bytes"] == site_box.prologue(VECTORS["greeting, bytes"])
    assert VECTORS["prologue of joining, bytes"] == site_box.prologue(VECTORS["greeting, bytes"], VECTORS[CODE + ", code_id"])
    said = {
        "hello": site_box.hello(pin(), 42, 1_800_000_000, b"boxagentd 2.0.0"),
        "entries": site_box.entries([Revocation(entry) for entry in ENTRIES]),
        "end of entries": bytes([site_box.END_OF_ENTRIES]), "differs": site_box.differs(43), "took": site_box.took(43),
        "leaving": bytes([site_box.LEAVING])}
    for name, message in said.items():
        assert message == VECTORS["to a site: %s, bytes" % name]
    contents = {
        "certificate": "box certificate", "head": "head", "document": "site document of the next root"}
    for name, content in contents.items():
        assert site_box.read_message(VECTORS["from a site: %s, bytes" % name]).value.bytes == VECTORS[content + ", bytes"]
    entries = site_box.read_message(VECTORS["from a site: entries, bytes"])
    assert [entry.bytes for entry in entries.value] == ENTRIES[:1]
    assert site_box.read_message(VECTORS["from a site: want entries, bytes"]) == Said(site_box.WANT_ENTRIES, None)
    refused = site_box.read_message(VECTORS["from a site: refused, its code was used, bytes"])
    assert refused == Said(site_box.REFUSED, site_box.CODE_USED)


@pytest.mark.parametrize("name", [name for name in VECTORS if name.startswith("from a site")])
def test_a_message_that_is_cut_or_too_long_is_refused(name):
    for message in (VECTORS[name][:-1], VECTORS[name] + b"\0", b"", b"\0", b"\7", b"\2", b"\2" + ENTRIES[0] * 65, b"\6\0", b"\6\x09"):
        with pytest.raises(Refused):
            site_box.read_message(message)


def test_the_join_code_says_what_the_page_says():
    assert (code().root, code().code_id, code().secret) == (
        VECTORS["root, public"], VECTORS[CODE + ", code_id"], VECTORS[CODE + ", secret"])
    assert code().servers == [("192.0.2.10", 4711), ("2001:db8::10", 4711)]
    text = VECTORS[CODE + ", bytes"].decode()
    assert JoinCode("\n " + text + "\r\n").servers == code().servers
    for other in (text[:-1], text + "A", text.lower(), text.replace("boxsite:1", "boxsite:2"), text[:40] + " " + text[40:], "",
                  text[:10]):
        with pytest.raises(Refused):
            JoinCode(other)
    for other in ("192.0.2.10", "192.0.2.10:0", "192.0.2.10:65536", "192.0.2.10:047", "::1:47", "host:47", "192.0.2.10:47 "):
        with pytest.raises(Refused):
            site_box.address(other)


@pytest.mark.parametrize("name", ANSWERS)
def test_both_sides_send_what_the_vectors_have(name):
    """Keys and ephemerals of both sides are those of the page, so each byte on the wire is known."""
    def play(mirror):
        assert mirror.shake(key("server_ephemeral")) == VECTORS["site, box_key"]
        assert mirror.hear() == b"\0" + VECTORS["to a site: hello, bytes"]
        mirror.say(VECTORS["from a site: %s, bytes" % ANSWERS[name]])
        assert mirror.hear() == b"\1"

    with mirrored(play) as (connection, mirror):
        box = SiteBox(key("box_private"), None if name == "joining" else pin(), code(), now=NOW)
        box.attach(connection)
        (box.join if name == "joining" else box.link)(key("box_ephemeral"))
        box.hello(42, 1_800_000_000, b"boxagentd 2.0.0")
        said = box.receive()
        assert bytes([said.kind]) + said.value.bytes == VECTORS["from a site: %s, bytes" % ANSWERS[name]]
        box.close()
    assert mirror.frames == [VECTORS["%s, %s" % (name, field)] for field in ("first_message", "from_box", "close")]


def test_a_box_uploads_what_it_is_asked_for():
    entries = [Revocation(entry) for entry in ENTRIES] * 30

    def play(mirror):
        mirror.shake()
        mirror.hear()
        mirror.say(bytes([site_box.WANT_ENTRIES]))
        heard = [mirror.hear() for _ in range(3)]
        assert [len(message) for message in heard] == [2 + 64 * 122, 2 + 26 * 122, 2]
        mirror.say(VECTORS["from a site: head, bytes"])
        assert mirror.hear() == b"\0" + site_box.took(43)
        assert mirror.hear() == b"\0\6"
        mirror.say(b"", kind=1)

    with mirrored(play) as (connection, _), SiteBox(KeyPair.new(), pin(), now=NOW) as box:
        box.attach(connection)
        box.link()
        box.hello()
        assert box.expect(site_box.WANT_ENTRIES) is None
        box.upload(entries)
        box.took(box.expect(site_box.HEAD).number)
        box.leave()
        assert box.receive() is None
        with pytest.raises(Ended):
            box.receive()


def test_whoever_is_not_the_sites_server_is_left():
    short = document(issuers=[(SERVERS, "issuer of servers", NOW)])
    shown = {
        "unknown issuer": greeting(certificate=certificate("root")),
        "wrong role": greeting(certificate=certificate("issuer of boxes")),
        "not signed": greeting(certificate=certificate(site=bytes(16))),
        "expired": greeting(certificate=certificate(expiry=NOW)),
        "issuer expired": greeting(short)}
    for what, bytes_ in shown.items():
        with mirrored(lambda mirror: mirror.shake(), greeting=bytes_) as (connection, mirror):
            box = SiteBox(KeyPair.new(), pin(), now=NOW)
            with pytest.raises(Refused, match="^%s$" % what):
                box.attach(connection)
        assert mirror.frames == []
    # A box that does not know the time does not check the expiry.
    with mirrored(lambda mirror: mirror.shake(), greeting=shown["expired"]) as (connection, _):
        SiteBox(KeyPair.new(), pin()).attach(connection)
    # An impostor sends a copied greeting, but has another key.
    with mirrored(lambda mirror: mirror.shake(), static=KeyPair.new()) as (connection, mirror):
        box = SiteBox(KeyPair.new(), pin(), now=NOW)
        box.attach(connection)
        with pytest.raises(Refused):
            box.link()


def test_a_newer_document_counts_before_the_certificate_and_an_older_one_not_at_all():
    newer = document(issuers=[(SERVERS, "issuer of phones", EXPIRY)])
    with mirrored(lambda mirror: mirror.shake(), greeting=greeting(newer, certificate("issuer of phones"))) as (connection, _):
        box = SiteBox(KeyPair.new(), pin(), now=NOW)
        box.attach(connection)
        assert box.pin.bytes == newer.bytes
    for shown in (document(version=2), document(version=3, issuers=[]), document(root=3, signer="next root")):
        with mirrored(lambda mirror: mirror.shake(), greeting=greeting(shown)) as (connection, _):
            box = SiteBox(KeyPair.new(), pin(), now=NOW)
            box.attach(connection)
            assert box.pin.bytes == pin().bytes
    joining = SiteBox(KeyPair.new(), code=code())
    stranger = document(signer="next root", root=2, version=1)
    with mirrored(lambda mirror: mirror.shake(), greeting=greeting(stranger)) as (connection, _):
        with pytest.raises(Refused, match="other root"):
            joining.attach(connection)
    assert joining.pin is None


def test_another_secret_joins_nothing():
    with mirrored(lambda mirror: mirror.shake(), secret=bytes(32)) as (connection, _):
        box = SiteBox(KeyPair.new(), code=code())
        box.attach(connection)
        with pytest.raises(Ended):
            box.join()


def test_frames_and_messages_that_are_none_end_the_link():
    for opening in (b"\0\0", b"\4\1", b"\xff\xff"):
        with mirrored(lambda mirror: mirror.connection.sendall(opening)) as (connection, _):
            with pytest.raises(Refused, match="length"):
                SiteBox(KeyPair.new(), pin()).attach(connection)
    with pytest.raises(Newer):
        Greeting(b"\2" + greeting()[1:])

    def play(mirror):
        mirror.shake()
        mirror.connection.sendall(b"\0\x11" + bytes(17))

    with mirrored(play) as (connection, _):
        box = SiteBox(KeyPair.new(), pin(), now=NOW)
        box.attach(connection)
        box.link()
        with pytest.raises(Refused, match="decrypt"):
            box.receive()


def test_a_silent_server_is_left_in_time():
    begin = time.monotonic()
    with mirrored(lambda mirror: mirror.connection.recv(1)) as (connection, _):
        with pytest.raises(Ended, match="silent"):
            SiteBox(KeyPair.new(), pin(), handshake=0.05).attach(connection)

    def play(mirror):
        mirror.shake()
        mirror.connection.recv(1)

    with mirrored(play) as (connection, _):
        box = SiteBox(KeyPair.new(), pin(), now=NOW, silence=0.05)
        box.attach(connection)
        box.link()
        with pytest.raises(Ended, match="silent"):
            box.receive()
    assert time.monotonic() - begin < 10
