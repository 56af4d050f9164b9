import PhoneMessages

/// The reason why a box of the phone's site refuses its grant: the result codes that may answer hello
/// (docs/reference/protocol.md, section 12).
public enum HelloRefusal: UInt8, CaseIterable, Sendable {
    case grantWanted = 25
    case grantNotAccepted
    case siteDocumentNeeded
    case grantExpired
    case notAtThisBox
    case revokedBySite
    case boxCutOff

    /// Returns nil if the code does not concern a grant. It names all codes, so that the compiler asks about a new one.
    public init?(_ code: ResultCode) {
        switch code {
        case .grantWanted: self = .grantWanted
        case .grantNotAccepted: self = .grantNotAccepted
        case .siteDocumentNeeded: self = .siteDocumentNeeded
        case .grantExpired: self = .grantExpired
        case .notAtThisBox: self = .notAtThisBox
        case .revokedBySite: self = .revokedBySite
        case .boxCutOff: self = .boxCutOff
        case .correct, .wrongCredentials, .outcomeUnknown, .accountLocked, .accountExpired, .passwordMustChange,
            .pinWrong, .wiped, .lockedOut, .revoked, .busy, .notAllowed, .timedOut, .protocolVersion, .badRequest,
            .noCredential, .noSession, .cannotLock, .didNotLock, .credentialStale, .boxFault, .cancelled, .notDue,
            .alreadyEnrolled, .tested, .siteAway, .accountDenied, .notLetIn, .sessionFailed, .otherUserAsked,
            .promptNotServed:
            return nil
        }
    }
}
