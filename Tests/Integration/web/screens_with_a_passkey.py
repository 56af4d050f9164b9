"""Goes through the screens of a phone with a passkey, and those of a session that ends soon, for tests that inspect them."""

from authenticator import Authenticator
from test_sessions import Login

# A session of one minute, so that its warning appears at once.
SHORT = {"auto_logout.longest_seconds": "60", "auto_logout.extension_seconds": "3600", "auto_logout.extension_limit": "1"}
COMMANDS = {"sessions.%s_command" % name: '["/bin/true"]' for name in ("lock", "unlock", "logout")}


def screens_with_a_passkey(web):
    """Yields the name of each screen while it is shown."""
    box = web.box(**SHORT, **COMMANDS)
    web.launch()
    authenticator = Authenticator(web.browser)
    web.tap("Add a box")
    web.sees("Recommended: a passkey")
    yield "passkey"
    web.tap("Set up a passkey")
    web.sees("Use it once more")
    web.tap("Check the passkey")
    web.sees("Scan or paste")
    web.enrol(box)
    yield "store-passkey"
    web.store(box)
    web.tap("To the boxes")
    web.sees("Your boxes")
    login = Login(box, "alice")
    box.wait_until(box.programs_waiting)
    web.tap("Log in at box " + box.id)
    web.sees("Stay logged in")
    yield "warning"
    web.tap("Automatic logout")
    web.sees("After how long")
    yield "away"
    login.close()
    web.tap("To the boxes")
    web.sees("Your boxes")
    authenticator.cancel_once()
    web.tap("Log in at box " + box.id)
    web.sees("The passkey was not used")
    yield "passkey-not-given"
