/// How a request ended. docs/reference/protocol.md says for each what a phone does next.
public enum ResultCode: UInt8, CaseIterable, Sendable {
    /// A login has opened a session, or a program that opens none went on. For other requests: done.
    case correct = 0
    /// The program asked again, or gave up, and no check had accepted the credential.
    case wrongCredentials = 1
    /// Delivered, without a sign of the result. A phone must not take it for wrong.
    case outcomeUnknown = 2
    case accountLocked = 3
    case accountExpired = 4
    case passwordMustChange = 5
    /// Carries the attempts left, at least one.
    case pinWrong = 6
    /// The last wrong PIN: what the box held is destroyed.
    case wiped = 7
    /// Carries the seconds after which the next try is taken.
    case lockedOut = 8
    case revoked = 9
    /// Two programs wait for one tap, or another request of this kind runs.
    case busy = 10
    /// The policy, or the administrator, says no.
    case notAllowed = 11
    case timedOut = 12
    /// No version in common.
    case protocolVersion = 13
    /// Unknown, out of its place or malformed.
    case badRequest = 14
    /// The box holds no credential of this phone.
    case noCredential = 15
    case noSession = 16
    /// The session has nothing that could lock its screen, or what there is cannot do it now.
    case cannotLock = 17
    /// The session was told to lock, and did not within the time.
    case didNotLock = 18
    /// The password changed since the box was given it. The box tried nothing.
    case credentialStale = 19
    /// The box failed (disk full, out of memory). No attempt was spent.
    case boxFault = 20
    case cancelled = 21
    /// Nothing of this phone's ends soon, so nothing was put off. Answers `PhoneRequest.extend` only.
    case notDue = 22
    /// The phone's key is known to the box already. Answers `PhoneRequest.enrol` only.
    case alreadyEnrolled = 23
    /// The administrator was trying the box: the credential arrived, was let go of, and nobody was logged in. Answers
    /// `PhoneRequest.login` only.
    case tested = 24
    // Answers to a hello with a grant: what a box of the phone's site says instead. The channel ends with it.
    /// The box does not have the grant whose hash was shown: show it whole.
    case grantWanted = 25
    /// Nothing helps: the grant is of another phone or site, or was made up; or the box's administrator has revoked the phone.
    case grantNotAccepted = 26
    /// Phone and box have different documents of their site.
    case siteDocumentNeeded = 27
    case grantExpired = 28
    /// The grant is for other boxes than this one.
    case notAtThisBox = 29
    /// The site has taken the grant back. `BoxMessage.siteEntry` has said so before, signed by the site.
    case revokedBySite = 30
    /// The box has been without its site for too long.
    case boxCutOff = 31
    /// The box has no link to its site just now, or the site did not answer: what the site holds cannot be had here. A try that was on
    /// its way may be spent.
    case siteAway = 32
    // Ends of a login or an elevation whose password was accepted, as `accountLocked`, `accountExpired` and `passwordMustChange` are.
    /// The account may not be used here now.
    case accountDenied = 33
    /// The program did not go on, and did not say why: a second factor, perhaps, or another check.
    case notLetIn = 34
    /// The session did not open, or ended at once.
    case sessionFailed = 35
    // Ends of a login that nobody took in time.
    /// A program asked meanwhile, for another user.
    case otherUserAsked = 36
    /// A program asked meanwhile that is not at a place that the box serves.
    case promptNotServed = 37
}

/// What some codes say besides.
public struct ResultDetail: Equatable, Sendable {
    /// PIN attempts left, 0…`PINRules.attempts`; at least 1 with `pinWrong`.
    public var attemptsLeft: UInt8?
    /// Seconds until the next try is taken, at most `MessageLimits.durationSeconds`; at least 1 with `lockedOut`.
    public var retryAfterSeconds: UInt32?

    public init(attemptsLeft: UInt8? = nil, retryAfterSeconds: UInt32? = nil) {
        self.attemptsLeft = attemptsLeft
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// No detail.
    public static let none = ResultDetail()

    /// Whether one more wrong PIN destroys the credential. To be said before the PIN is asked for.
    public var isLastAttempt: Bool { attemptsLeft == 1 }

    /// Whether the details that `code` cannot do without are there, and all are within their bounds.
    func fits(_ code: ResultCode) -> Bool {
        guard attemptsLeft ?? 0 <= PINRules.attempts else { return false }
        guard retryAfterSeconds ?? 0 <= MessageLimits.durationSeconds else { return false }
        switch code {
        case .pinWrong: return attemptsLeft ?? 0 >= 1
        case .lockedOut: return retryAfterSeconds ?? 0 >= 1
        default: return true
        }
    }
}
