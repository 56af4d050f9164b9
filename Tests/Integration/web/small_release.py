"""A release of a few small files, as Scripts/web_page.py makes one, and a host that can serve it wrongly."""

import http.server
import json
import ssl
import threading

from page_server import HEADERS

FILES = {
    "index.html": b"<!doctype html><title>boxphone</title>\n", "app.js": b"export const one = 1;\n", "style.css": b"p { color: red }\n",
    "icon.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>\n", "boxphone.wasm": b"\0asm" + bytes(range(256)) * 40,
    "texts-en.json": b"{}", "manifest.webmanifest": b"{}"}
NAME = "boxphone-0123456789abcdef"


def make_release(folder, **more):
    folder.mkdir()
    files = {**FILES, **more}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "sw.js").write_text('const FILES = %s, RELEASE = "%s";\n' % (json.dumps(dict.fromkeys(files, "sha256-")), NAME))
    return folder


class Host:
    """Serves a folder correctly, except the paths in `changes`. Each of those has a function that answers instead."""

    def __init__(self, folder, certificate=None):
        self.folder, self.changes, self.asked = folder, {}, []
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                host.asked.append(self.path)
                try:
                    host.changes.get(self.path, host.right)(self)
                except OSError:
                    pass  # the client has gone

            def version_string(self):
                return "double"

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
            self.scheme = "https"
        # The thread of an endless answer ends with the test's process.
        self.server.daemon_threads, self.server.block_on_close = True, False
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return "%s://localhost:%d/" % (self.scheme, self.server.server_address[1])

    def right(self, handler, status=None, body=None, headers=HEADERS, **more):
        """Sends the correct answer with the given changes. A header of `None` is left out, and a list gives several headers."""
        name = handler.path[1:] or "index.html"
        path = self.folder / name
        status = status or (200 if path.exists() else 404)
        body = body if body is not None else path.read_bytes() if path.exists() else b"no\n"
        handler.send_response(status)
        sent = {"Content-Type": TYPES.get(name.rpartition(".")[2], "text/plain"), "Content-Length": str(len(body)), **dict(headers)}
        sent.update({name.replace("_", "-"): value for name, value in more.items()})
        for header, value in sent.items():
            for each in value if isinstance(value, list) else [] if value is None else [value]:
                handler.send_header(header, each)
        handler.end_headers()
        handler.wfile.write(body)

    def change(self, path, **more):
        self.changes[path] = lambda handler: self.right(handler, **more)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


TYPES = {"html": "text/html; charset=utf-8", "js": "application/javascript", "css": "text/css", "svg": "image/svg+xml",
         "wasm": "application/wasm", "json": "application/json", "webmanifest": "application/manifest+json"}
