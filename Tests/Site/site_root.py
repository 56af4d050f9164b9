"""The machine with the root's keys, away from every server. An administrator carries texts (docs/reference/site-protocol.md, 3)."""
import itertools
import subprocess

from box import BIN
from independent_site import Document, need, read_text, sha256, write_text

DOCUMENT_TEXT, ISSUERS_TEXT = "boxsite-document:1/", "boxsite-issuers:1/"
ROLES = {1: "boxes", 2: "phones", 3: "revocations", 4: "servers"}


def _checked(context, data):
    return data + sha256(context + data)[:4]


def _unchecked(context, data):
    need(len(data) > 4 and _checked(context, data[:-4]) == data, "a damaged text")
    return data[:-4]


def document_text(document):
    return write_text(DOCUMENT_TEXT, _checked(b"boxlink-site-document-text-1", document))


def read_document_text(text):
    return Document(_unchecked(b"boxlink-site-document-text-1", read_text(DOCUMENT_TEXT, text)))


class Request:
    """A server's request to the root: (role, key, expiry) of each issuer to list."""

    def __init__(self, site, issuers):
        self.site, self.issuers = site, sorted(issuers)

    @staticmethod
    def read(text):
        data = _unchecked(b"boxlink-site-issuers-1", read_text(ISSUERS_TEXT, text))
        parts = [data[17 + 41 * index:17 + 41 * (index + 1)] for index in range(data[16])]
        need(len(data) == 17 + 41 * len(parts), "another length")
        return Request(data[:16], [(part[0], part[1:33], int.from_bytes(part[33:], "big")) for part in parts])

    @property
    def text(self):
        parts = b"".join(bytes([role]) + key + expiry.to_bytes(8, "big") for role, key, expiry in self.issuers)
        return write_text(ISSUERS_TEXT, _checked(b"boxlink-site-issuers-1", self.site + bytes([len(self.issuers)]) + parts))


class Root:
    """`boxsite root` on a machine that has neither a server nor a database."""

    def __init__(self, site):
        self.site, self.directory = site, site.root
        self.key, self.next_key = site.root / "root.key", site.root / "next-root.key"
        self._numbers = itertools.count()

    def file(self, text):
        path = self.directory / ("text%d" % next(self._numbers))
        path.write_text(text)
        return path

    def present(self, server=None):
        return (server or self.site.server).ok("document", "show")

    def command(self, *words):
        return subprocess.run([BIN / "boxsite", "root", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={"PATH": "/nowhere"}, cwd="/", timeout=30, check=False)

    def _document(self, words):
        done = self.command(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    def sign(self, *words, request=None, document=None, key=None):
        """Returns the text of the next document."""
        files = [self.file(request)] if request else []
        return self._document(["sign", "--root-key", key or self.key, "--document", self.file(document or self.present()),
                               *words, "--yes", *files])[0]

    def succeed(self, *words, request=None, document=None):
        """Returns the text of the next root's first document. From then on, the next root is the root."""
        files = [self.file(request)] if request else []
        new = self.directory / ("next-root-%d.key" % next(self._numbers))
        text = self._document(["succeed", "--next-root-key", self.next_key, "--new-next-root", new, "--document",
                               self.file(document or self.present()), *words, "--yes", *files])[0]
        self.key, self.next_key = self.next_key, new
        return text

    def publish(self, text, server=None):
        return (server or self.site.server).ok("document", "publish", self.file(text))

    def refused(self, text, server=None):
        """Returns the reason why the document is not published."""
        done = (server or self.site.server).command("document", "publish", self.file(text))
        assert done.returncode == 65, (done.returncode, done.stderr)
        return done.stderr


def issuer_ids(document):
    """Returns all key IDs that a document lists, as users type them."""
    return [key_id.hex() for key_id in document.issuers]


def drop_all(document):
    return list(itertools.chain.from_iterable(("--drop", each) for each in issuer_ids(document)))
