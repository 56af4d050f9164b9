"""Runs a program on a virtual terminal, as getty does: `on_console.py [--attach] ttyN COMMAND...`.

The terminal comes to the front and is the program's controlling one, by which the agent knows that somebody may stand before
it. Standard input and output stay what they were, unless --attach has them be the terminal."""

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
# Even from a program that has not given it back yet: 1 is root's to say (ioctl_tty(2)).
signal.signal(signal.SIGHUP, signal.SIG_IGN)
fcntl.ioctl(descriptor, termios.TIOCSCTTY, 1)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
for number in (0, 1, 2) if attach else ():
    os.dup2(descriptor, number)
# It stays open: a terminal that nobody holds open is nobody's controlling terminal (tty_release() in Linux).
os.set_inheritable(descriptor, True)
os.execvp(command[0], command)
