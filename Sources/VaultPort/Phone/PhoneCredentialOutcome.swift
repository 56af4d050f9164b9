import Secrets

/// What opening the phone's credentials came to.
public enum PhoneCredentialOutcome: Sendable {
    case opened(HeldSecret)
    case pinNeeded
    case pinWrong(attemptsLeft: UInt8)
    /// Too many wrong PINs: the phone's credentials were destroyed, now or before.
    case wiped
    /// No credential is stored for this box.
    case noCredential
}
