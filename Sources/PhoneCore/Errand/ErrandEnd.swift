import PhoneMessages
import Secrets
import VaultPort

/// What came of an errand, one case for each kind of order.
public indirect enum ErrandEnd: Sendable {
    case answered(RequestAnswer)
    case loggedIn(LoginOutcome)
    /// The credential that the phone keeps is open.
    case opened(HeldSecret)
    case enrolled(KnownBox)
    /// Nobody watches any more.
    case watched
    case pinged(PingReport)
    /// Samples in dBm; nil: the radio cannot measure.
    case measured([Int]?)
    case seen([SeenBox])
    /// The box that was meant; nil: none of those that were asked is one that the phone knows.
    case found(KnownBox?)
    /// A site has enrolled the phone: what it gave, which nobody has looked at.
    case granted(document: [UInt8], grant: [UInt8])
    /// This phone is of the site, and what it gave is kept.
    case joined(KnownSite)
    case failed(PhoneError)
}

/// What came of a request, and what holds afterwards, as far as the box said so on the way.
public struct RequestAnswer: Sendable, Equatable {
    public let outcome: RequestOutcome
    public let state: BoxState?
    /// What the box warns of still.
    public let warning: LogoutWarning?
}

/// What came of a login.
public enum LoginOutcome: Sendable, Equatable {
    case answered(RequestOutcome)
    /// This phone's own PIN was wrong, and nobody tried another.
    case phonePINWrong(triesLeft: Int)
    /// The last wrong PIN: the passwords that this phone held are destroyed.
    case phoneWiped
    /// Nothing is stored for this box; a password has to be given.
    case noCredential
    /// Nobody gave a PIN.
    case gaveUp
    /// What is stored was refused at that time, in seconds since 1970, and nobody wants to send it again.
    case notSentAgain(refusedAt: Int64)
}
