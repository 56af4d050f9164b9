"""A phone's own authenticator, over the DevTools protocol: passkeys with the extension `prf`, after user verification.

https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/
"""

OPTIONS = {"protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
           "isUserVerified": True, "hasPrf": True, "automaticPresenceSimulation": True}


class Authenticator:
    def __init__(self, browser, **options):
        self.browser = browser
        browser.call("WebAuthn.enable")
        self.id = browser.call("WebAuthn.addVirtualAuthenticator", options={**OPTIONS, **options})["authenticatorId"]

    @property
    def passkeys(self):
        return self.browser.call("WebAuthn.getCredentials", authenticatorId=self.id)["credentials"]

    def knows_the_person(self, does):
        self.browser.call("WebAuthn.setUserVerified", authenticatorId=self.id, isUserVerified=does)

    def cancel_once(self):
        """Cancels the next passkey request. After a failed verification instead, this authenticator would fail all later ones."""
        self.present(False)
        self.browser.evaluate("""(() => { const { get } = CredentialsContainer.prototype, gone = new AbortController();
            CredentialsContainer.prototype.get = function (options) { CredentialsContainer.prototype.get = get;
                setTimeout(() => gone.abort(), 100); return get.call(this, { ...options, signal: gone.signal }); }; })()""")

    def present(self, is_present=True):
        self.browser.call("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=self.id, enabled=is_present)

    def remove(self):
        self.browser.call("WebAuthn.removeVirtualAuthenticator", authenticatorId=self.id)


def count_touches(web):
    """Counts from here on how often the page requests a passkey. The results stay unchanged."""
    web.js("""(() => {
        const { create, get } = CredentialsContainer.prototype;
        window.touches = [];
        CredentialsContainer.prototype.create = function (...all) { touches.push("create"); return create.apply(this, all); };
        CredentialsContainer.prototype.get = function (...all) { touches.push("get"); return get.apply(this, all); };
    })()""")


def set_up(web):
    """Sets up a passkey: from "Add a box" until the page asks for the code."""
    web.tap("Add a box")
    web.sees("Recommended: a passkey")
    web.tap("Set up a passkey")
    web.sees("Use it once more")
    web.tap("Check the passkey")
    web.sees("Scan or paste")
