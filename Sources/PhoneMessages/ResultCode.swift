/// The result of a request. docs/reference/protocol.md says what a phone does after each code.
public enum ResultCode: UInt8, CaseIterable, Sendable {
    /// The request succeeded. For a login: a session opened, or a program without sessions continued.
    case correct = 0
    /// The program asked again or gave up before any check accepted the credential.
    case wrongCredentials = 1
    /// The credential was delivered, and no sign of the result came. A phone must not call the credential wrong.
    case outcomeUnknown = 2
    case accountLocked = 3
    case accountExpired = 4
    case passwordMustChange = 5
    /// Carries the attempts left, at least one.
    case pinWrong = 6
    /// The last wrong PIN destroyed the box-held credential.
    case wiped = 7
    /// Carries the seconds until the box accepts the next try.
    case lockedOut = 8
    case revoked = 9
    /// Two programs wait for one tap, or another request of this kind runs.
    case busy = 10
    /// The policy or the administrator forbids the request.
    case notAllowed = 11
    case timedOut = 12
    /// The sides have no version in common.
    case protocolVersion = 13
    /// The request is unknown, malformed or out of sequence.
    case badRequest = 14
    /// The box holds no credential of this phone.
    case noCredential = 15
    case noSession = 16
    /// The session has no screen locker, or the locker cannot act now.
    case cannotLock = 17
    /// The session was told to lock and did not within the time.
    case didNotLock = 18
    /// The password changed since it was stored on the box. The box tried nothing.
    case credentialStale = 19
    /// The box failed (disk full, out of memory). No attempt was spent.
    case boxFault = 20
    case cancelled = 21
    /// No session of this phone ends soon, so nothing was postponed. Answers `PhoneRequest.extend` only.
    case notDue = 22
    /// The box knows the phone's key already. Answers `PhoneRequest.enrol` only.
    case alreadyEnrolled = 23
    /// The administrator was testing the box, so the box discarded the credential. Answers a login only.
    case tested = 24
    // The codes 25 to 31 answer a hello with a grant, from a box of the phone's site. The channel then ends.
    /// The box lacks the grant with this hash. Show the whole grant.
    case grantWanted = 25
    /// Final: the grant is for another phone or site or is forged, or the box's administrator has revoked the phone.
    case grantNotAccepted = 26
    /// Phone and box have different documents of their site.
    case siteDocumentNeeded = 27
    case grantExpired = 28
    /// The grant is for other boxes.
    case notAtThisBox = 29
    /// The site has revoked the grant. The signed `BoxMessage.siteEntry` comes before this code.
    case revokedBySite = 30
    /// The box has been without its site for too long.
    case boxCutOff = 31
    /// The box has no link to its site, or the site did not answer, so the site-held credential is not available. A try
    /// under way may be spent.
    case siteAway = 32
    // The codes 33 to 35 follow an accepted password. The codes 3 to 5 can, too.
    /// The account may not be used here now.
    case accountDenied = 33
    /// The program did not continue and gave no reason: perhaps a second factor or another check.
    case notLetIn = 34
    /// The session did not open, or ended at once.
    case sessionFailed = 35
    // The codes 36 and 37 end a login that no program took in time.
    /// Meanwhile, a program asked for another user.
    case otherUserAsked = 36
    /// Meanwhile, a program asked, but not at a seat or terminal that the box serves.
    case promptNotServed = 37
}

/// Additional data of some codes.
public struct ResultDetail: Equatable, Sendable {
    /// PIN attempts left, 0…`PINRules.attempts`; at least 1 with `pinWrong`.
    public var attemptsLeft: UInt8?
    /// Seconds until the next try is accepted, at most `MessageLimits.durationSeconds`; at least 1 with `lockedOut`.
    public var retryAfterSeconds: UInt32?

    public init(attemptsLeft: UInt8? = nil, retryAfterSeconds: UInt32? = nil) {
        self.attemptsLeft = attemptsLeft
        self.retryAfterSeconds = retryAfterSeconds
    }

    public static let none = ResultDetail()

    /// True if one more wrong PIN destroys the credential. Warn before asking for the PIN.
    public var isLastAttempt: Bool { attemptsLeft == 1 }

    /// Returns whether the details that `code` requires are present, and all are within their bounds.
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
