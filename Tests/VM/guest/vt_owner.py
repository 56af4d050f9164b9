"""Does to its virtual terminal what an X server does to the terminal on which startx(1) was typed. argv[1] selects "picture"
(KD_GRAPHICS) or "switching" (VT_PROCESS). SIGUSR1 restores the terminal."""

import fcntl
import os
import signal
import struct
import sys

# linux/kd.h, linux/vt.h
KDSETMODE, KD_TEXT, KD_GRAPHICS = 0x4B3A, 0, 1
VT_GETMODE, VT_SETMODE, VT_AUTO, VT_PROCESS, VT_RELDISP = 0x5601, 0x5602, 0, 1, 0x5605
MODE = struct.Struct("BBhhh")


def switching(descriptor, mode):
    fcntl.ioctl(descriptor, VT_SETMODE, MODE.pack(mode, 0, signal.SIGUSR2, signal.SIGUSR2, 0))


def picture(descriptor, is_shown):
    fcntl.ioctl(descriptor, KDSETMODE, KD_GRAPHICS if is_shown else KD_TEXT)


def main(what):
    signal.signal(signal.SIGUSR2, lambda *_: fcntl.ioctl(0, VT_RELDISP, 1))
    done = []
    signal.signal(signal.SIGUSR1, lambda *_: done.append(True))
    if what == "picture":
        picture(0, True)
    else:
        switching(0, VT_PROCESS)
    with open(f"/tmp/{what}", "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    while not done:
        signal.pause()
    switching(0, VT_AUTO)
    picture(0, False)
    os.unlink(f"/tmp/{what}")


if __name__ == "__main__":
    main(sys.argv[1])
