import Secrets

/// The result of opening a credential on the phone.
public enum PhoneCredentialOutcome: Sendable {
    case opened(HeldSecret)
    case pinNeeded
    case pinWrong(attemptsLeft: UInt8)
    /// Too many wrong PINs: the phone's credentials were destroyed, now or earlier.
    case wiped
    /// No credential is stored for this box.
    case noCredential
}
