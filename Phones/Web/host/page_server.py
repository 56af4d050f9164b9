"""Serves one release on localhost, from memory. A request names a file of the release or gets 404, so no path leads elsewhere.

One thread serves all clients. A client's request is bounded in bytes, and its connection in seconds. If there are too many
connections, the oldest one is closed.
"""

import asyncio
import errno
import re
import signal
import socket

from release import HEADERS, types

REQUEST_BYTES = 16384
CONNECTION_SECONDS = 10
CONNECTIONS = 64
# Bytes to read from a client after its answer: an earlier close may lose the answer (RFC 9112, 9.6).
LINGERING_BYTES = 1 << 20
REQUEST_LINE = re.compile(rb"([A-Z]{1,16}) (/[!-~]*) HTTP/1\.[01]")
REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 431: "Request Header Fields Too Large"}


class PageServer:
    def __init__(self, release):
        self.release, self.connections = release, {}

    async def serve(self, port, ready):
        """Serves until SIGINT or SIGTERM. Calls `ready` with the port once it accepts connections."""
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        sockets = listening(port)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        for each in sockets:
            await asyncio.start_server(self.connected, sock=each, limit=REQUEST_BYTES)
        ready(sockets[0].getsockname()[1])
        await ended.wait()

    async def connected(self, reader, writer):
        task = asyncio.current_task()
        self.connections[task] = None
        if len(self.connections) > CONNECTIONS:
            next(iter(self.connections)).cancel()
        try:
            async with asyncio.timeout(CONNECTION_SECONDS):
                await self.exchange(reader, writer)
        except (asyncio.CancelledError, OSError, TimeoutError):
            pass  # the client gave up, was too slow, or had to make room
        finally:
            del self.connections[task]
            writer.transport.abort()

    async def exchange(self, reader, writer):
        # Keep no data here for a client that does not read: drain() must wait until the kernel has all data.
        writer.transport.set_write_buffer_limits(0)
        try:
            request = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return
        except asyncio.LimitOverrunError:
            request = None
        writer.write(self.answer(request))
        await writer.drain()
        writer.write_eof()
        read = 0
        while read < LINGERING_BYTES and (more := await reader.read(REQUEST_BYTES)):
            read += len(more)

    def answer(self, request):
        """Returns all bytes of the answer to a request, or to one that was too long (None)."""
        line = REQUEST_LINE.fullmatch(request.partition(b"\r\n")[0]) if request else None
        method, target = line.groups() if line else (b"", b"/")
        name = target.partition(b"?")[0][1:].decode() or "index.html"
        if not line:
            status = 400 if request else 431
        elif method not in (b"GET", b"HEAD"):
            status = 405
        else:
            status = 200 if name in self.release.files else 404
        body = self.release.files[name] if status == 200 else b"%d\n" % status
        own = [("Content-Type", types(name)[0] if status == 200 else "text/plain"), ("Content-Length", len(body)), ("Connection", "close")]
        own += [("Allow", "GET, HEAD")] if status == 405 else []
        head = "".join("%s: %s\r\n" % header for header in [*own, *HEADERS])
        return ("HTTP/1.1 %d %s\r\n%s\r\n" % (status, REASONS[status], head)).encode() + (b"" if method == b"HEAD" else body)


def listening(port, tries=8):
    """Returns sockets at 127.0.0.1 and, if this machine has it, ::1, with the same port. Fails if either is taken: to a
    browser both are "localhost", so another program's page there would count as this page."""
    first = bound(socket.AF_INET, "127.0.0.1", port)
    try:
        return [first, bound(socket.AF_INET6, "::1", first.getsockname()[1])]
    except OSError as error:
        if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            return [first]
        first.close()
        if port or error.errno != errno.EADDRINUSE or tries == 1:
            raise
        return listening(port, tries - 1)


def bound(family, address, port):
    made = socket.socket(family)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(CONNECTIONS)
    except OSError:
        made.close()
        raise
    return made
