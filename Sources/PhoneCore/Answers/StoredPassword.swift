import PhoneMessages

/// The use that a request makes of a box's stored password, which the phone, the box or the site keeps.
enum StoredPassword: Sendable {
    /// The request does not use the stored password, or sends another one that the person has just entered.
    case untouched
    case isSent(wasRefused: Bool)
    case isReplaced

    /// Returns the mark to store: true if the password was refused, false if an earlier refusal is over, nil if nothing
    /// changes.
    ///
    /// - Parameter isAccepted: True if the box reported an accepted password, even if the login failed later.
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
    /// The password was not checked, or the box does not say.
    case unknown
}

extension ResultCode {
    /// The verdict on the sent password in a login's result (docs/reference/protocol.md, section 12).
    fileprivate var passwordVerdict: PasswordVerdict {
        switch self {
        case .correct, .passwordMustChange, .accountDenied, .notLetIn, .sessionFailed: .accepted
        case .wrongCredentials: .refused
        // A locked or expired account says nothing about its password.
        case .outcomeUnknown, .accountLocked, .accountExpired, .tested: .unknown
        // No program received the password.
        case .pinWrong, .wiped, .lockedOut, .revoked, .busy, .notAllowed, .timedOut, .protocolVersion, .badRequest,
            .noCredential, .noSession, .cannotLock, .didNotLock, .credentialStale, .boxFault, .cancelled, .notDue,
            .alreadyEnrolled, .grantWanted, .grantNotAccepted, .siteDocumentNeeded, .grantExpired, .notAtThisBox,
            .revokedBySite, .boxCutOff, .siteAway, .otherUserAsked, .promptNotServed:
            .unknown
        }
    }
}
