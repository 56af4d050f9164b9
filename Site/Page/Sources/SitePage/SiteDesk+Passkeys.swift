import PageCore
import SiteControl

/// Requests of the page itself, without an administrator.
extension SiteDesk {
    /// Returns the administrator for whom a one-time code makes a passkey.
    func administrator(ofCode code: String) async throws(DeskFailure) -> String {
        try await ask(.passkeyOwner(code: code)).text
    }

    /// Stores a new passkey, uses the code up, and returns the owner's name.
    func addPasskey(_ made: PasskeyRegistration, code: String) async throws(DeskFailure) -> String {
        try await ask(
            .addPasskey(code: code, credential: made.credentialID, key: made.publicKey, counter: made.counter)
        ).text
    }

    /// Returns the passkey with that id. Returns nil if there is none, or if its owner is no longer an administrator.
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

    /// Records that a passkey has signed. Returns false if its counter does not rise.
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
