"""Runs a program on a virtual terminal, as getty does: `on_console.py [--attach] ttyN COMMAND...`. The terminal moves to the
foreground and becomes the program's controlling terminal. From that, the agent knows that a user may stand in front of the
terminal. Standard input and output stay unchanged, unless --attach redirects them to the terminal."""

import fcntl
import os
import signal
import sys
import termios

import console

words = sys.argv[1:]
attach = words[0] == "--attach"
terminal, command = words[attach], words[attach + 1:]
if os.getpid() != os.getsid(0):
    os.setsid()
console.bring_to_front(terminal)
descriptor = os.open(f"/dev/{terminal}", os.O_RDWR | os.O_NOCTTY)
# Takes the terminal even from a program that still has it. Only root may pass 1 (ioctl_tty(2)).
signal.signal(signal.SIGHUP, signal.SIG_IGN)
fcntl.ioctl(descriptor, termios.TIOCSCTTY, 1)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
for number in (0, 1, 2) if attach else ():
    os.dup2(descriptor, number)
# The descriptor stays open. A terminal without open descriptors is not a controlling terminal (tty_release() in Linux).
os.set_inheritable(descriptor, True)
os.execvp(command[0], command)
