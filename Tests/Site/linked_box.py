"""A box that follows docs/reference/site-protocol.md. It stores the site's data, and knows when it has everything."""
from independent_site import RevocationSet
from site_box import CERTIFICATE, DOCUMENT, HEAD, REFUSED, SITE_ENTRIES, WANT_ENTRIES


class LinkedBox:
    """Takes messages over a SiteBox. `entries` and `head` are those that a box already has when it links again."""

    def __init__(self, link, entries=(), head=None):
        self.link, self.set, self.head = link, RevocationSet(), head
        if head and head.generation < link.pin.generation:
            entries, self.head = (), None
        for entry in entries:
            if entry.issuer in link.pin.issuers:
                self.set.add(entry, link.pin)
        self.certificate = self.refusal = None
        self.is_closed = False

    @property
    def pin(self):
        return self.link.pin

    @property
    def entries(self):
        return list(self.set.entries.values())

    def take(self):
        """Takes one message and returns it, or None at the end."""
        said = self.link.receive()
        if said is None:
            self.is_closed = True
            return None
        if said.kind == CERTIFICATE:
            self.certificate = said.value
        elif said.kind == SITE_ENTRIES:
            for entry in said.value:
                if entry.issuer in self.pin.issuers:
                    self.set.add(entry, self.pin)
        elif said.kind == DOCUMENT:
            self.take_document(said.value)
        elif said.kind == WANT_ENTRIES:
            self.link.upload(self.entries, self.head)
        elif said.kind == HEAD:
            self.take_head(said.value)
        elif said.kind == REFUSED:
            self.refusal = said.value
        return said

    def take_document(self, document):
        newer = self.pin.followed_by(document)
        if newer.generation > self.pin.generation:
            self.set, self.head = RevocationSet(), None
        self.link.pin = newer

    def take_head(self, head):
        head.check(self.pin)
        if self.head and (head.number, head.time) <= (self.head.number, self.head.time):
            return
        if self.set.hash(head.time, self.pin) != head.set_hash:
            self.link.differs(head.number)
            return
        is_new = not self.head or head.number > self.head.number
        self.head = head
        if is_new:
            self.link.took(head.number)

    def take_until(self, what):
        while not what():
            if self.take() is None:
                raise AssertionError("the link ended, refused with %r" % self.refusal)
        return self

    def take_until_closed(self):
        while self.take() is not None:
            pass
        return self
