"""An agent for tests of the PAM module. It speaks the protocol of Sources/PAMProtocol with another CBOR library, and follows the
test's script."""

import os
import socket
import threading

import cbor2

EVENTS = {
    2: "verdictReached", 3: "accountEntered", 4: "credentialsEntered", 5: "notAccepted",
    6: "passwordExpired", 7: "sessionOpened", 8: "sessionClosed", 9: "ended", 10: "passwordChanged",
    11: "credentialsRefreshed", 12: "passwordTyped",
}
MESSAGE_BYTES = 8192


def waiting(box=b"1234"):
    return cbor2.dumps([1, box], canonical=True)


def asking(box=b"1234"):
    return cbor2.dumps([5, box], canonical=True)


def credential(user, token):
    return cbor2.dumps([2, user, token], canonical=True)


def unavailable(reason=0):
    return cbor2.dumps([3, reason], canonical=True)


def noted():
    return cbor2.dumps([4], canonical=True)


class Connection:
    """One connection of the module. `heard` records its requests and events by name, then "eof"."""

    def __init__(self, agent, descriptor):
        self.agent, self.socket, self.heard = agent, descriptor, []

    def receive(self):
        """Returns the next message, decoded, or None at the end."""
        try:
            data = self.socket.recv(MESSAGE_BYTES + 1)
        except OSError:
            data = b""
        if not data:
            if self.heard[-1:] != ["eof"]:
                self.heard.append("eof")
            return None
        message = cbor2.loads(data)
        # The module's encoding must be deterministic.
        assert cbor2.dumps(message, canonical=True) == data
        if message[0] == 1:
            assert message[1] == 1, "version of the protocol"
            self.heard.append("authenticate")
        else:
            name = EVENTS[message[0]]
            self.heard.append((name, *message[1:]) if len(message) > 1 else name)
        return message

    def send(self, data):
        """Sends data. Returns false if the module has disconnected."""
        try:
            self.socket.send(data)
            return True
        except OSError:
            return False

    def listen_to_the_end(self):
        while self.receive() is not None:
            pass

    def wait_for_hang_up(self, seconds):
        """Waits at most `seconds` without sending. Returns whether the module has disconnected."""
        self.socket.settimeout(seconds)
        try:
            return self.socket.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True


class Agent:
    """Listens at `path`, and runs `script(connection)` for each connection in its own thread."""

    def __init__(self, path, script, backlog=64):
        self.path, self.script = str(path), script
        self.connections, self.threads, self.failures = [], [], []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.path)
        self.listener.listen(backlog)
        self.acceptor = threading.Thread(target=self._accept, daemon=True)
        self.acceptor.start()

    def _accept(self):
        while True:
            try:
                descriptor, _ = self.listener.accept()
            except OSError:
                return
            connection = Connection(self, descriptor)
            self.connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _serve(self, connection):
        try:
            self.script(connection)
        except Exception as problem:  # `stop` raises it where the test sees it
            self.failures.append(problem)
        finally:
            connection.socket.close()

    def stop(self):
        """Waits for the scripts to end. All programs must have ended before."""
        if self.acceptor.is_alive():
            try:
                self.listener.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.acceptor.join(5)
        self.listener.close()
        for thread in self.threads:
            thread.join(10)
            assert not thread.is_alive(), "a script of the fake agent hangs"
        if os.path.exists(self.path):
            os.unlink(self.path)
        if self.failures:
            raise self.failures[0]

    @property
    def heard(self):
        """Returns what the connections heard, in order of connection. If there is only one, returns its list."""
        lists = [connection.heard for connection in self.connections]
        return lists[0] if len(lists) == 1 else lists


def delivering(token, user=b"anna"):
    """A script with a tap that already waits."""
    def script(connection):
        connection.receive()
        connection.send(credential(user, token))
        connection.listen_to_the_end()
    return script


def refusing(reason=0):
    """A script without a tap."""
    def script(connection):
        connection.receive()
        connection.send(unavailable(reason))
        connection.listen_to_the_end()
    return script
