"""Listens on a socket as another user than the test. Prints "ready", then the number of received bytes for each connection."""

import socket
import sys

listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(sys.argv[1])
listener.listen()
print("ready", flush=True)
while True:
    connection, _ = listener.accept()
    print("connection", flush=True)
    data = connection.recv(8192)
    print("received", len(data), flush=True)
    if data:
        connection.send(bytes.fromhex(sys.argv[2]))
        while connection.recv(8192):
            pass
    connection.close()
