"""The session leader of a test's terminal. It reads lines and repeats them, as the user of argv[1]. argv[2] selects the other
processes at the terminal. The program starts as the user who runs the tests, so that root can use the terminal too, as with sudo(8)
and su(1)."""

import ctypes
import fcntl
import os
import signal
import socket
import sys
import termios

user, company = int(sys.argv[1]), sys.argv[2]


def become(number):
    if os.getuid() != number:
        os.setgroups([])
        os.setresgid(number, number, number)
        os.setresuid(number, number, number)
    # After setresuid(2), a process is not dumpable. A shell of login(1) is dumpable, so this process must be, except if it hides.
    ctypes.CDLL(None).prctl(4, 0 if company == "hides" else 1, 0, 0, 0)


def to_front():
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpgrp())
    signal.signal(signal.SIGTTOU, before)


def read_lines(name):
    print(f"{name} is {os.getpid()}", flush=True)
    while True:
        try:
            line = os.read(0, 4096)
        except OSError:
            signal.pause()
        if not line:
            os._exit(0)
        print(f"{name} read {line.decode().strip()}", flush=True)


def child(work):
    """Starts a job in its own process group."""
    process = os.fork()
    if process == 0:
        os.setpgid(0, 0)
        work()
        os._exit(0)
    return process


def in_front(name, number):
    def work():
        become(number)
        to_front()
        read_lines(name)
    return work


def waits_for_another():
    """Acts as root's shell with su(1) in the foreground. When su(1) stops, the shell takes the terminal back."""
    to_front()
    inner = child(in_front("inner", user))
    while True:
        if os.WIFSTOPPED(os.waitpid(inner, os.WUNTRACED)[1]):
            to_front()
            read_lines("root")


def comes_and_goes():
    """Moves to the foreground at SIGUSR1, and back at SIGUSR2."""
    leader = os.getppid()
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, lambda *_: os.tcsetpgrp(0, os.getpgrp()))
    signal.signal(signal.SIGUSR2, lambda *_: os.tcsetpgrp(0, os.getpgid(leader)))
    print(f"root is {os.getpid()}", flush=True)
    while True:
        signal.pause()


def served():
    """Acts as tmux(1): passes the terminal to a server that is not attached to it, and the server reads."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        os.setsid()
        become(user)
        _, descriptors, _, _ = socket.recv_fds(theirs, 1, 1)
        os.dup2(descriptors[0], 0)
        read_lines("server")
    socket.send_fds(ours, [b"x"], [0])
    signal.pause()


fcntl.ioctl(0, termios.TIOCSCTTY, 0)
if company == "root in front":
    child(in_front("root", 0))
elif company == "root behind":
    child(lambda: print(f"root is {os.getpid()}", flush=True) or signal.pause())
elif company == "root between":
    child(waits_for_another)
elif company == "root comes":
    child(comes_and_goes)
elif company == "hides":
    child(in_front("hidden", user))
elif company == "server":
    child(lambda: become(user) or to_front() or served())
elif company == "login":
    # Acts as login(1): root stays at the terminal until the shell ends.
    os.waitpid(child(in_front("shell", user)), 0)
    os._exit(0)
become(user)
if company in ("nobody else", "root behind", "root comes"):
    read_lines("leader")
while True:
    signal.pause()
