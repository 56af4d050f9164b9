import PageCore
import SiteControl

/// What the page asks for itself.
extension SiteDesk {
    /// Whose passkey a one-time code is for.
    func administrator(ofCode code: String) async throws(DeskFailure) -> String {
        try await ask(.passkeyOwner(code: code)).text
    }

    /// Keeps a new passkey, and uses the code up; whose it is.
    func addPasskey(_ made: PasskeyRegistration, code: String) async throws(DeskFailure) -> String {
        try await ask(
            .addPasskey(code: code, credential: made.credentialID, key: made.publicKey, counter: made.counter)
        ).text
    }

    /// The passkey with that id; nil: there is none, or its administrator is none any more.
    func passkey(_ credential: [UInt8]) async throws(DeskFailure) -> PasskeyListing? {
        do throws(DeskFailure) {
            guard case .passkey(let passkey)? = try await ask(.passkey(credential: credential)).replies.first else {
                throw Self.unexpected
            }
            return passkey
        } catch {
            guard error.kind == .refused(.notFound) else { throw error }
            return nil
        }
    }

    /// Writes down that a passkey has signed; false: its counter does not rise.
    func usePasskey(_ credential: [UInt8], counter: UInt32) async throws(DeskFailure) -> Bool {
        do throws(DeskFailure) {
            try await ask(.usePasskey(credential: credential, counter: counter))
            return true
        } catch {
            guard error.kind == .refused(.declined) else { throw error }
            return false
        }
    }
}
