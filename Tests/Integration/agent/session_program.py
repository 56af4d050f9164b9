"""A program that logs a user in or unlocks a screen, with ctypes on libpam. It closes its session when its standard input ends.

    session_program.py SERVICE USER TTY [SESSION]

The environment variable PROGRAM selects whose calls it makes, by that program's source: `login` without it. PROGRAMS lists them.
"""
import ctypes
import os
import sys

TTY = 3
ESTABLISH, REINITIALIZE, REFRESH = 2, 8, 16
OPEN = "open"
# What follows pam_authenticate and pam_acct_mgmt: the flags of pam_setcred, and OPEN. Then the argument of pam_end after a refusal:
# STATUS is PAM's own, NEVER means that pam_end is not called.
STATUS, NEVER = "status", "never"
PROGRAMS = {
    # util-linux, login-utils/login.c
    "login": ((ESTABLISH, OPEN, REINITIALIZE), STATUS),
    # greetd, greetd/src/session/worker.rs
    "greetd": ((ESTABLISH, OPEN), NEVER),
    # LightDM, src/session-child.c
    "lightdm": ((ESTABLISH, OPEN), 0),
    "lightdm-unlock": ((REINITIALIZE,), 0),
    # GDM, daemon/gdm-session-worker.c
    "gdm": ((ESTABLISH, OPEN), STATUS),
    "gdm-unlock": ((REINITIALIZE,), STATUS),
    # SDDM, src/helper/HelperApp.cpp and backend/PamBackend.cpp
    "sddm": ((ESTABLISH, OPEN), STATUS),
    "sddm-unlock": ((), STATUS),
    # A screen locker that heeds pam_setcred, as none of the above does when it unlocks.
    "locker": ((REFRESH,), STATUS),
}
HEEDLESS = ("lightdm-unlock", "gdm-unlock")
# None instead of libpam's name, so that symbols of the preloaded wrapper come first.
pam = ctypes.CDLL(None)


class Conversation(ctypes.Structure):
    _fields_ = [("function", ctypes.c_void_p), ("data", ctypes.c_void_p)]


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
def nobody_types(count, messages, responses, data):
    return 19  # PAM_CONV_ERR


program = os.environ.get("PROGRAM", "login")
calls, end = PROGRAMS[program]


def must(name, status):
    if status != 0:
        print(f"{name}: {status}", flush=True)
        if end != NEVER:
            pam.pam_end(handle, status if end == STATUS else end)
        sys.exit(1)


service, user, terminal = (word.encode() for word in sys.argv[1:4])
conversation = Conversation(ctypes.cast(nobody_types, ctypes.c_void_p), None)
handle = ctypes.c_void_p()
must("start", pam.pam_start(service, user, ctypes.byref(conversation), ctypes.byref(handle)))
must("tty", pam.pam_set_item(handle, TTY, terminal))
if len(sys.argv) > 4:
    must("environment", pam.pam_putenv(handle, b"XDG_SESSION_ID=" + sys.argv[4].encode()))
must("authenticate", pam.pam_authenticate(handle, 0))
must("account", pam.pam_acct_mgmt(handle, 0))
for call in calls:
    if call == OPEN:
        must("open", pam.pam_open_session(handle, 0))
    else:
        status = pam.pam_setcred(handle, call)
        must("credentials", 0 if program in HEEDLESS else status)
if OPEN in calls:
    print("session is open", flush=True)
    sys.stdin.read()
    pam.pam_close_session(handle, 0)
pam.pam_end(handle, 0)
print("session is closed", flush=True)
