"""A greetd that plays a script, from greetd-ipc(7): JSON behind its length, in the machine's order of bytes."""

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
    """`script` is a list of (what must be asked, what is answered); bytes are sent as they are, None hangs up."""

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
                    # In pieces, as a stream may bring it.
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
