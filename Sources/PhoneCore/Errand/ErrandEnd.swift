import PhoneMessages
import Secrets
import VaultPort

/// The result of an operation, one case for each kind of order.
public indirect enum ErrandEnd: Sendable {
    case answered(RequestAnswer)
    case loggedIn(LoginOutcome)
    /// The phone-held credential is open.
    case opened(HeldSecret)
    case enrolled(KnownBox)
    /// The watch has ended.
    case watched
    case pinged(PingReport)
    /// Samples in dBm; nil if the radio cannot measure.
    case measured([Int]?)
    case seen([SeenBox])
    /// The box that was meant; nil if no box that answered is known to the phone.
    case found(KnownBox?)
    /// A site has enrolled the phone. Document and grant are not verified yet.
    case granted(document: [UInt8], grant: [UInt8])
    /// This phone belongs to the site, and the site's data is stored.
    case joined(KnownSite)
    case failed(PhoneError)
}

/// The result of a request, and the resulting state as far as the box reported it.
public struct RequestAnswer: Sendable, Equatable {
    public let outcome: RequestOutcome
    public let state: BoxState?
    /// The logout warning that still stands.
    public let warning: LogoutWarning?
}

/// The result of a login.
public enum LoginOutcome: Sendable, Equatable {
    case answered(RequestOutcome)
    /// The phone's own PIN was wrong, and the person did not enter another.
    case phonePINWrong(triesLeft: Int)
    /// After the last wrong PIN, the phone destroyed the passwords that it held.
    case phoneWiped
    /// No password is stored for this box. The person must enter one.
    case noCredential
    /// The person gave no PIN.
    case gaveUp
    /// The person declined to send the stored password again.
    case notSentAgain(PasswordDoubt)
}
