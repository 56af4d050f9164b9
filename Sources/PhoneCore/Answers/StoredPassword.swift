import PhoneMessages

/// The use that a request makes of the stored password of a box, kept by the phone, the box or the site.
enum StoredPassword: Sendable {
    /// Nothing; or another password is sent, which the person has just entered.
    case untouched
    case isSent(wasRefused: Bool)
    case isReplaced

    /// The mark to store: true if the password was refused, false if an earlier refusal is over, nil if nothing changes.
    ///
    /// - Parameter isAccepted: The box has said so on the way, whatever came after.
    func refusal(_ end: RequestEnd, isAccepted: Bool) -> Bool? {
        switch (self, end) {
        case (.untouched, _): nil
        case (.isReplaced, .outcome(.done)): false
        case (.isReplaced, _): nil
        case (.isSent(let wasRefused), _) where isAccepted: wasRefused ? false : nil
        case (.isSent(let wasRefused), .outcome(.done)): wasRefused ? false : nil
        case (.isSent(let wasRefused), .outcome(.refused(let code, _))):
            switch code.passwordVerdict {
            case .refused: true
            case .accepted: wasRefused ? false : nil
            case .unknown: nil
            }
        case (.isSent, _): nil
        }
    }
}

private enum PasswordVerdict {
    case accepted
    case refused
    /// Nobody has judged the password, or the box does not say.
    case unknown
}

extension ResultCode {
    /// What a login's result says of the password that was sent (docs/reference/protocol.md, section 12).
    fileprivate var passwordVerdict: PasswordVerdict {
        switch self {
        case .correct, .passwordMustChange, .accountDenied, .notLetIn, .sessionFailed: .accepted
        case .wrongCredentials: .refused
        // The account may be locked or expired whatever the password is.
        case .outcomeUnknown, .accountLocked, .accountExpired, .tested: .unknown
        // No program was given the password.
        case .pinWrong, .wiped, .lockedOut, .revoked, .busy, .notAllowed, .timedOut, .protocolVersion, .badRequest,
            .noCredential, .noSession, .cannotLock, .didNotLock, .credentialStale, .boxFault, .cancelled, .notDue,
            .alreadyEnrolled, .grantWanted, .grantNotAccepted, .siteDocumentNeeded, .grantExpired, .notAtThisBox,
            .revokedBySite, .boxCutOff, .siteAway, .otherUserAsked, .promptNotServed:
            .unknown
        }
    }
}
