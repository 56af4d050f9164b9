"""A program like login(1), with ctypes on libpam: it authenticates, opens a session, and closes it when its standard input ends.

    session_program.py SERVICE USER TTY [SESSION]

The environment variable END selects the argument of pam_end after PAM has refused. Unset means PAM's status, as in login(1); `0` is
LightDM's choice; `none` means that pam_end is never called, as in greetd's worker. UNLOCK makes this program a screen locker, which
refreshes the credentials and opens no session.
"""
import ctypes
import os
import sys

TTY = 3
# None instead of libpam's name, so that symbols of the preloaded wrapper come first.
pam = ctypes.CDLL(None)


class Conversation(ctypes.Structure):
    _fields_ = [("function", ctypes.c_void_p), ("data", ctypes.c_void_p)]


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
def nobody_types(count, messages, responses, data):
    return 19  # PAM_CONV_ERR


def must(name, status):
    if status != 0:
        print(f"{name}: {status}", flush=True)
        end = os.environ.get("END", str(status))
        if end != "none":
            pam.pam_end(handle, int(end))
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
if "UNLOCK" in os.environ:
    must("credentials", pam.pam_setcred(handle, 16))
    sys.exit(pam.pam_end(handle, 0))
must("credentials", pam.pam_setcred(handle, 2))
must("open", pam.pam_open_session(handle, 0))
print("session is open", flush=True)
sys.stdin.read()
pam.pam_close_session(handle, 0)
pam.pam_end(handle, 0)
print("session is closed", flush=True)
