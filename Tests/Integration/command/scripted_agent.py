"""An agent that plays a script: what it is asked must be what the script says, and it answers with its lines.

Written against Sources/AgentProtocol with another CBOR library, so that the encoding is checked as well.
"""

import socket
import threading

import cbor2

DONE, FAILURE, STATUS, IDENTITY, CODE, CONTACT, DIGITS, ENROLLED, DEVICE, AUDIT, FINDING, STAGE = range(1, 13)
LOST = 13
NOT_PERMITTED, NOT_FOUND, INVALID, BUSY, TIMED_OUT, FAULT, DECLINED = range(1, 8)
LIMIT_SECONDS = 60


class ScriptedAgent:
    """`script` is a list of ("expect", message) and ("reply", message), ("raw", bytes), ("close",), ("silence",),
    ("wait",): until `go_on` is set."""

    def __init__(self, directory, script):
        self.path = str(directory / "control.sock")
        self.error, self.script = None, script
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.settimeout(LIMIT_SECONDS)
        self.listener.bind(self.path)
        self.listener.listen(4)
        self.released, self.go_on = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, value, trace):
        self.released.set()
        self.thread.join()
        self.listener.close()
        if kind is None and self.error is not None:
            raise self.error

    def _run(self):
        try:
            connection, _ = self.listener.accept()
        except OSError as error:
            self.error = AssertionError("nobody connected: %s" % error)
            return
        with connection:
            connection.settimeout(LIMIT_SECONDS)
            try:
                self._play(connection)
            except (AssertionError, OSError) as error:
                self.error = error if isinstance(error, AssertionError) else AssertionError(str(error))

    def _play(self, connection):
        for step in self.script:
            if step[0] == "expect":
                received = connection.recv(8192)
                assert received, "the command hung up; expected %r" % (step[1],)
                assert cbor2.loads(received) == step[1]
                assert cbor2.dumps(step[1], canonical=True) == received
            elif step[0] == "reply":
                connection.send(cbor2.dumps(step[1], canonical=True))
            elif step[0] == "raw":
                connection.send(step[1])
            elif step[0] == "silence":
                self.released.wait(LIMIT_SECONDS)
            elif step[0] == "wait":
                assert self.go_on.wait(LIMIT_SECONDS)
            elif step[0] == "close":
                return
        # The command hangs up when it is done.
        assert connection.recv(8192) == b"", "the command asked for more than the script has"
