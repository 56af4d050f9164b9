"""Compares a host's answers with a release, byte by byte and header by header. Trusts, follows and keeps nothing that
the host sends. The release limits the bytes read, and a timer that no library call can outlast limits the time."""

import http.client
import secrets
import signal
import ssl
import time

from release import HEADERS, types

FILE_SECONDS, ALL_SECONDS = 30, 300
SHOWN_CHARACTERS = 160
# Even with the right bytes, these headers make a browser go elsewhere, load something else, or delete the page's data.
UNWANTED = ["Refresh", "Link", "Speculation-Rules", "Clear-Site-Data", "Content-Encoding"]


class NotReached(Exception):
    """The host gave no complete answer, so its files are not known."""


class Late(Exception):
    """The time is up. Not an OSError, on which http.client would try the next address of the host."""


def late(*_):
    raise Late


class Lines:
    """An answer for http.client, without carriage returns inside a line. Such a return ends a header for http.client,
    but not for a browser. So http.client could see a header that a browser does not."""

    def __init__(self, file):
        self.file = file

    def readline(self, limit):
        line = self.file.readline(limit)
        if b"\r" in line.removesuffix(b"\n")[:-1]:
            raise http.client.HTTPException("a carriage return within a line")
        return line

    def __getattr__(self, name):
        return getattr(self.file, name)


class Answer(http.client.HTTPResponse):
    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.fp = Lines(self.fp)


def shown(text):
    """Returns a host's text, escaped for a terminal."""
    return text[:SHOWN_CHARACTERS].encode("unicode_escape").decode()


def reason(error):
    if isinstance(error, ssl.SSLCertVerificationError):
        return "its certificate is not accepted: %s" % shown(error.verify_message)
    return shown(error.strerror or str(error))


class Comparison:
    def __init__(self, url, release):
        self.url, self.release = url, release
        self.differences, self.compared = [], 0
        self.tls = ssl.create_default_context() if url.scheme == "https" else None

    def run(self, progress):
        """Raises NotReached if not everything could be compared. Earlier differences are kept."""
        files = self.release.files
        absent = "absent-%s.js" % secrets.token_hex(8)
        plan = [("/", "", files["index.html"])] + [(name, name, data) for name, data in sorted(files.items())] + [(absent, absent, None)]
        signal.signal(signal.SIGALRM, late)
        end = time.monotonic() + ALL_SECONDS
        try:
            for number, (name, path, expected) in enumerate(plan):
                progress(number, len(plan), name)
                found = self.timed(max(0.001, min(FILE_SECONDS, end - time.monotonic())), name, path, expected)
                self.differences += [{"name": name, "kind": kind, "what": what} for kind, what in found]
                self.compared += 1
        except Late:
            raise NotReached("%s: no complete answer in time" % name) from None

    def timed(self, seconds, name, path, expected):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return list(self.compare(name, path, expected))
        except OSError as error:
            raise NotReached("%s: %s" % (name, reason(error))) from None
        except (http.client.HTTPException, ValueError) as error:
            return [("answer", "the answer is not valid HTTP: %s" % shown(repr(error)))]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def compare(self, name, path, expected):
        """Yields (kind, what) of each difference. Without `expected`, the host must answer 404 with all the headers."""
        answer, body = self.fetch(path, 0 if expected is None else len(expected) + 1)
        if 300 <= answer.status < 400:
            yield "redirect", "redirects to %s" % shown(answer.headers.get("Location", "nowhere"))
            return
        if answer.status != (404 if expected is None else 200):
            yield "status", "status %d instead of %d" % (answer.status, 404 if expected is None else 200)
            return
        if expected is not None and body != expected:
            yield "bytes", "the bytes differ: %s" % difference(body, expected)
        for header, value in HEADERS:
            sent = answer.headers.get_all(header, [])
            if sent != [value]:
                yield "header", "%s is %s" % (header, shown(", ".join(sent)) if sent else "absent")
        for header in UNWANTED:
            if header in answer.headers:
                yield "header", "%s is sent: %s" % (header, shown(answer.headers[header]))
        if expected is not None:
            yield from content_type(answer.headers.get_all("Content-Type", []), types(name if path else "index.html"))

    def fetch(self, path, limit):
        kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        connection = kind(self.url.hostname, self.url.port, timeout=FILE_SECONDS, **({"context": self.tls} if self.tls else {}))
        connection.response_class = Answer
        try:
            connection.request("GET", self.url.path + path, headers={"Accept-Encoding": "identity", "Connection": "close"})
            answer = connection.getresponse()
            return answer, answer.read(limit)
        finally:
            connection.close()


def difference(body, expected):
    if len(body) > len(expected):
        return "more than %d" % len(expected)
    if len(body) < len(expected):
        return "%d instead of %d" % (len(body), len(expected))
    return "from byte %d on" % next(place for place, (a, b) in enumerate(zip(body, expected)) if a != b)


def content_type(sent, wanted):
    """Yields a difference of type or character set, because a browser would then read the bytes differently."""
    kind, _, parameter = (sent[0] if len(sent) == 1 else "").lower().replace(" ", "").partition(";")
    if kind not in wanted or parameter not in ("", "charset=utf-8", 'charset="utf-8"'):
        yield "header", "Content-Type is %s instead of %s" % (shown(", ".join(sent)) or "absent", wanted[0])
