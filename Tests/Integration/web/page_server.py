"""Serves dist/web as docs/web-phone.md wants it: static files, and the headers of Phones/Web/headers.txt. On localhost."""

import functools
import http.server
import pathlib
import threading

HEADERS = pathlib.Path(__file__).resolve().parents[3] / "Phones/Web/headers.txt"
TYPES = {".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json", ".webmanifest": "application/manifest+json"}


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def end_headers(self):
        for line in HEADERS.read_text().splitlines():
            self.send_header(*line.split(": ", 1))
        super().end_headers()

    def log_message(self, *_):
        pass


class PageServer:
    def __init__(self, folder, port=0):
        handler = functools.partial(Handler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return "http://localhost:%d/" % self.port

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
