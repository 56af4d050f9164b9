import Secrets

/// What a try of a PIN came to.
public enum CredentialOutcome: Sendable {
    case opened(HeldSecret)
    /// The PIN is right, but the password has been changed since it was stored.
    case stale
    case pinWrong(attemptsLeft: UInt8)
    /// The credential was destroyed: now, or before.
    case wiped
    case lockedOut(seconds: UInt32)
    case noCredential
}

/// What is known of a stored credential without its PIN.
public struct CredentialState: Equatable, Sendable {
    public let attemptsLeft: UInt8
    public let stale: Bool

    public init(attemptsLeft: UInt8, stale: Bool) {
        self.attemptsLeft = attemptsLeft
        self.stale = stale
    }
}
