import Secrets

/// The result of a PIN try.
public enum CredentialOutcome: Sendable {
    case opened(HeldSecret)
    /// The PIN is right, but the password has changed since it was stored.
    case stale
    case pinWrong(attemptsLeft: UInt8)
    /// The credential was destroyed, now or earlier.
    case wiped
    case lockedOut(seconds: UInt32)
    case noCredential
}

/// The facts about a stored credential that need no PIN.
public struct CredentialState: Equatable, Sendable {
    public let attemptsLeft: UInt8
    public let stale: Bool

    public init(attemptsLeft: UInt8, stale: Bool) {
        self.attemptsLeft = attemptsLeft
        self.stale = stale
    }
}
