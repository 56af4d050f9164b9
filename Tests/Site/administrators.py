"""Administrators as other users of this machine, and the site page: processes with other user IDs at the control socket."""
import json
import os
import pwd
import socket

import cbor2

from box import PATIENCE

# Accounts that every Debian has and that are not used for logins.
ACCOUNTS = ["games", "man", "lp", "news"]
PAGE = "proxy"


def open_socket(server):
    """Lets other users of this machine reach the socket, as groups do on a real server."""
    for path in (server.directory.parent, server.directory, server.run):
        path.chmod(0o755)
    (server.run / "control.sock").chmod(0o666)


class Asker:
    """A local user who asks as `account`. The server decides what is allowed."""

    def __init__(self, server, account):
        self.server, self.account = server, account

    def ask(self, type, name=None, /, **fields):
        """Returns all replies to one request. `name` is the administrator for whom the asker claims to act."""
        message = {"version": 2, "type": type, **({"as": name} if name is not None else {}),
                   **{key.replace("_", "-"): value for key, value in fields.items() if value is not None}}
        return self.send(cbor2.dumps(message, canonical=True))

    def send(self, *messages):
        """Sends these messages on one connection, from a process that has only the account's user ID. Returns the replies."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(reader)
                account = pwd.getpwnam(self.account)
                os.setgroups([])
                os.setgid(account.pw_gid)
                os.setuid(account.pw_uid)
                replies = converse(self.server.run / "control.sock", messages)
                with os.fdopen(writer, "wb") as file:
                    file.write(json.dumps(replies, default=lambda it: it.hex()).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            said = file.read()
        os.waitpid(child, 0)
        return json.loads(said or b"null")

    def ok(self, type, name=None, /, **fields):
        """Returns the items of the answer."""
        replies = self.ask(type, name, **fields)
        assert replies and replies[-1]["type"] == "done", replies
        return replies[:-1]

    def done(self, type, name=None, /, **fields):
        """Returns the message of success. The order must not wait for a second administrator."""
        reply, = self.ask(type, name, **fields)
        assert reply["type"] == "done", reply
        return reply["text"]

    def proposed(self, type, name=None, /, **fields):
        """Returns the ID of the proposal that the order became."""
        proposal, done = self.ask(type, name, **fields)
        assert (proposal["type"], done["type"]) == ("proposal", "done"), (proposal, done)
        return proposal["id"]

    def refused(self, type, name=None, /, *, kind="not-permitted", **fields):
        reply, = self.ask(type, name, **fields)
        assert (reply["type"], reply["kind"]) == ("failure", kind), reply
        return reply["what"]


class Acting:
    """An administrator who has signed in on the page."""

    def __init__(self, page, name):
        self.page, self.name = page, name

    def __getattr__(self, verb):
        def call(type, /, **fields):
            return getattr(self.page, verb)(type, self.name, **fields)
        return call


def converse(path, messages):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as link:
        link.settimeout(PATIENCE)
        link.connect(str(path))
        replies = []
        for message in messages:
            link.send(message)
            while True:
                said = link.recv(16_384)
                if not said:
                    return replies
                replies.append(cbor2.loads(said))
                if replies[-1]["type"] in ("done", "failure"):
                    break
        return replies
