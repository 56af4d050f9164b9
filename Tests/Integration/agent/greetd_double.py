"""A fake greetd that plays a script, after greetd-ipc(7): JSON with its length in front, in native byte order."""

import json
import socket
import struct
import threading

LIMIT_SECONDS = 30
SUCCESS = {"type": "success"}
REFUSED = {"type": "error", "error_type": "auth_error", "description": "pam_authenticate: AUTH_ERR"}


def message(kind, text):
    return {"type": "auth_message", "auth_message_type": kind, "auth_message": text}


class GreetdDouble:
    """`script` is a list of (expected request, answer). An answer of bytes is sent as it is, and None closes the connection."""

    def __init__(self, directory, script):
        self.path = str(directory / "greetd.sock")
        self.script, self.error = script, None
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.settimeout(LIMIT_SECONDS)
        self.listener.bind(self.path)
        self.listener.listen(1)
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, value, trace):
        self.thread.join()
        self.listener.close()
        if kind is None and self.error is not None:
            raise self.error

    def _run(self):
        try:
            connection, _ = self.listener.accept()
            with connection:
                connection.settimeout(LIMIT_SECONDS)
                for wanted, answer in self.script:
                    asked = self._receive(connection)
                    assert asked == wanted, (asked, wanted)
                    if answer is None:
                        return
                    data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                    # Sends byte by byte, because a stream may be split anywhere.
                    for byte in struct.pack("=I", len(data)) + (data if len(data) < 1000 else b""):
                        connection.sendall(bytes([byte]))
                assert connection.recv(1) == b"", "more was asked than the script has"
        except (AssertionError, OSError) as error:
            self.error = error if isinstance(error, AssertionError) else AssertionError(str(error))

    def _receive(self, connection):
        def exactly(count):
            data = b""
            while len(data) < count:
                part = connection.recv(count - len(data))
                assert part, "the greeter hung up in the middle of a message"
                data += part
            return data
        length, = struct.unpack("=I", exactly(4))
        assert length < 16384
        return json.loads(exactly(length))
