import PhoneMessages
import VaultPort

/// The use that a request makes of a box's stored password, which the phone, the box or the site keeps.
enum StoredPassword: Sendable {
    /// The request does not use the stored password, or sends another one that the person has just entered.
    case untouched
    /// - Parameter isAsked: True if the person has allowed this send.
    case isSent(isAsked: Bool)
    case isReplaced

    /// The note to store before the request leaves; nil if the request does not send the stored password.
    var noteBefore: PasswordNote? {
        guard case .isSent(let isAsked) = self else { return nil }
        return isAsked ? .sentAgain : .sent
    }

    /// Returns the note to store after the request; nil if nothing is known that changes one.
    func noteAfter(_ end: RequestEnd) -> PasswordNote? {
        switch self {
        case .untouched: return nil
        case .isReplaced:
            guard case .outcome(.done) = end else { return nil }
            return .accepted
        case .isSent: return end.noteOnPassword
        }
    }
}

extension RequestEnd {
    /// The note on the sent password that follows from a request's end; nil if its outcome is not known.
    fileprivate var noteOnPassword: PasswordNote? {
        switch self {
        case .outcome(.done): .accepted
        case .outcome(.refused(let code, _)): code.noteOnPassword
        // The box did not process the request, or has cancelled it.
        case .grantWanted, .grantRefused, .cancelled: .notJudged
        // A program may have the password, and may have refused it.
        case .silent, .lost, .closedUnanswered, .nonsense, .revoked, .notWithdrawn, .takenBack, .unsent: nil
        }
    }
}

extension LoginProgress {
    /// True once the password was accepted, even if the login fails later.
    var isAccepted: Bool {
        switch self {
        case .passwordAccepted, .passwordMustChange: true
        case .waitingForPrompt, .delivered: false
        }
    }
}

extension ResultCode {
    /// The note on the sent password that follows from a login's result (docs/reference/protocol.md, section 12).
    fileprivate var noteOnPassword: PasswordNote? {
        switch self {
        case .correct, .passwordMustChange, .accountDenied, .notLetIn, .sessionFailed: .accepted
        case .wrongCredentials: .refused
        // A program had the password, and the box does not know the result.
        case .outcomeUnknown: nil
        // A locked or expired account says nothing about its password.
        case .accountLocked, .accountExpired, .tested: .notJudged
        // No program received the password.
        case .pinWrong, .wiped, .lockedOut, .revoked, .busy, .notAllowed, .timedOut, .protocolVersion, .badRequest,
            .noCredential, .noSession, .cannotLock, .didNotLock, .credentialStale, .boxFault, .cancelled, .notDue,
            .alreadyEnrolled, .grantWanted, .grantNotAccepted, .siteDocumentNeeded, .grantExpired, .notAtThisBox,
            .revokedBySite, .boxCutOff, .siteAway, .otherUserAsked, .promptNotServed:
            .notJudged
        }
    }
}
