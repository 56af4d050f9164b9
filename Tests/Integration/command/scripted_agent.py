"""An agent that plays a script: it expects the requests of the script and sends its replies. It is written against
Sources/ControlProtocol with another CBOR library, so that the encoding is checked as well."""

import socket
import threading

import cbor2

VERSION = 2
LIMIT_SECONDS = 60


def message(kind, /, **fields):
    """Returns a message of this type. `pin_attempts_left` becomes the field "pin-attempts-left", and None omits a field."""
    named = {name.replace("_", "-"): value for name, value in fields.items() if value is not None}
    return {"type": kind, "version": VERSION, **named}


def done(text=""):
    return message("done", text=text)


def failure(kind, what, cure):
    return message("failure", kind=kind, what=what, cure=cure)


def audit(after, limit):
    return message("audit", after=after, limit=limit)


class ScriptedAgent:
    """`script` is a list of ("expect", message), ("reply", message), ("raw", bytes), ("close",), ("silence",) and ("wait",), which
    waits until `go_on` is set. Requests for account names may come at any time. The answer is the name that `accounts` maps to, or
    else the same name. If `refusal` is set, it answers every request for an account name."""

    def __init__(self, directory, script, accounts=None, refusal=None):
        self.accounts, self.refusal, self.accounts_asked = accounts or {}, refusal, []
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

    def _receive(self, connection):
        """Returns the next request of the script. Answers requests for account names on the way."""
        while received := connection.recv(8192):
            asked = cbor2.loads(received)
            if asked["type"] != "account":
                return received
            assert cbor2.dumps(asked, canonical=True) == received
            self.accounts_asked.append(asked["user"])
            name = self.accounts.get(asked["user"], asked["user"])
            replies = [self.refusal] if self.refusal else [message("account", user=name, answered=True), done()]
            for reply in replies:
                connection.send(cbor2.dumps(reply, canonical=True))
        return b""

    def _play(self, connection):
        for step in self.script:
            if step[0] == "expect":
                received = self._receive(connection)
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
        # The command disconnects when it is done.
        assert self._receive(connection) == b"", "the command asked for more than the script has"
