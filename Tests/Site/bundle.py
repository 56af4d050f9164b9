"""Reads a bundle by docs/reference/site-protocol.md, without our code."""
from independent_site import Certificate, Document, Head, Revocation

FIRST_LINE = b"boxsite-bundle/1\n"
CERTIFICATE, ENTRIES, HEAD, DOCUMENT = 1, 2, 3, 4


class Bundle:
    def __init__(self, data):
        assert data.startswith(FIRST_LINE)
        self.messages, rest = [], data[len(FIRST_LINE):]
        while rest:
            length = int.from_bytes(rest[:2], "big")
            assert 0 < length <= 8_192 and len(rest) >= 2 + length
            self.messages.append(rest[2:2 + length])
            rest = rest[2 + length:]
        kinds = [message[0] for message in self.messages]
        assert kinds[0] == DOCUMENT and kinds[-1] == HEAD
        assert set(kinds[1:-1]) <= {CERTIFICATE, ENTRIES}
        self.document = Document(self.messages[0][1:])
        self.head = Head(self.messages[-1][1:])
        self.certificates = [Certificate(message[1:]) for message in self.messages if message[0] == CERTIFICATE]
        self.entries = [Revocation(message[place:place + 122]) for message in self.messages if message[0] == ENTRIES
                        for place in range(1, len(message), 122)]


def write(messages):
    return FIRST_LINE + b"".join(len(message).to_bytes(2, "big") + message for message in messages)
