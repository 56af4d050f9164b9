import PhoneCore
import PhoneKit
import PhoneMessages

extension Program {
    /// Runs an operation of the phone, and maps its error to a sentence and an exit status.
    func trying<Result>(
        _ body: (Phone) async throws(PhoneError) -> Result
    ) async throws(Complaint) -> Result {
        do throws(PhoneError) {
            let result = try await body(phone)
            await progress.end()
            return result
        } catch {
            await progress.end()
            throw Complaint(error.exitStatus, error.description)
        }
    }
}

extension PhoneError {
    var exitStatus: ExitStatus {
        switch self {
        case .noBoxes, .unknownBox, .severalBoxes, .sameDigits, .wrongMode, .numberNeeded: .usage
        case .boxNotFound, .unreachable, .linkLost: .notFound
        case .twoBoxes, .notTheBox, .notAccepted, .codeNotAccepted, .enrolmentRefused, .alreadyEnrolled, .revoked,
            .siteStopped:
            .refused
        case .grantRefused(_, let refusal): refusal.exitStatus
        case .site(let problem): problem.exitStatus
        case .enrolmentUncertain, .notWithdrawn: .outcomeUnknown
        case .enrolmentBusy: .busy
        case .noAnswer: .timedOut
        case .protocolVersion, .nonsense, .pingDiffers: .boxFault
        case .noDeviceSecret: .credentialMissing
        case .radio: .system
        case .vault: .vault
        case .cancelled: .interrupted
        }
    }
}

extension SiteProblem {
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .noSites, .unknownSite, .severalSites: .usage
        case .damaged: .vault
        default: .badInput
        }
    }
}

extension RequestOutcome {
    /// Returns the exit status, and a sentence for the user, which may be empty after success.
    func explained(boxID: String, isSiteHeld: Bool = false) -> (status: ExitStatus, sentence: String) {
        switch self {
        case .refused(.wiped, _) where isSiteHeld:
            (
                .wiped,
                "after too many wrong PINs your site has destroyed the password that it kept for you; store it "
                    + "again at any of its boxes with: boxphone credentials set NUMBER"
            )
        case .done: (.done, "")
        case .refused(let code, let detail): code.explained(detail, boxID)
        }
    }
}

extension ResultCode {
    fileprivate func explained(_ detail: ResultDetail, _ boxID: String) -> (ExitStatus, String) {
        switch self {
        case .correct: (.done, "")
        case .wrongCredentials: (.negative, "the password was not accepted")
        case .outcomeUnknown:
            (.outcomeUnknown, "the password was delivered, but the result is not known; look at the screen of the box")
        case .accountLocked: (.accountProblem, Sentences.accountLocked)
        case .accountExpired: (.accountProblem, Sentences.accountExpired)
        case .accountDenied: (.accountProblem, Sentences.accountDenied)
        case .passwordMustChange: (.accountProblem, Sentences.passwordMustChange)
        case .notLetIn: (.accountProblem, Sentences.notLetIn)
        case .sessionFailed: (.accountProblem, Sentences.sessionFailed)
        case .pinWrong: (.pinWrong, Sentences.pinWrong(left: detail.attemptsLeft.map(Int.init)))
        case .wiped:
            (
                .wiped,
                "the box has destroyed the stored password, because of too many wrong PINs or on the "
                    + "administrator's order; store it again with: boxphone credentials set"
            )
        case .lockedOut:
            (.lockedOut, "too many wrong PINs for now; try again in \(Sentences.time(detail.retryAfterSeconds ?? 0))")
        case .revoked: (.refused, PhoneError.revoked(boxID: boxID).description)
        case .busy:
            (.busy, "box \(boxID) is busy with another user, or two programs there ask at once; try again in a moment")
        case .notAllowed: (.notAllowed, "the administrator of box \(boxID) does not allow it")
        case .timedOut: (.timedOut, Sentences.nobodyAsked(boxID))
        case .otherUserAsked: (.timedOut, Sentences.otherUserAsked(boxID))
        case .promptNotServed: (.timedOut, Sentences.promptNotServed(boxID))
        case .protocolVersion: (.boxFault, PhoneError.protocolVersion(boxID: boxID).description)
        case .badRequest: (.boxFault, "box \(boxID) did not understand the request; update box and phone")
        case .noCredential:
            (.credentialMissing, "box \(boxID) has no password of yours; store it with: boxphone credentials set")
        case .noSession: (.session, "you have no session on box \(boxID) that this phone can control")
        case .cannotLock:
            (.session, "no program can lock the session on box \(boxID); to end the session, run: boxphone logout")
        case .didNotLock:
            (.session, "the session on box \(boxID) did not lock in time; to end the session, run: boxphone logout")
        case .credentialStale:
            (
                .credentialMissing,
                "box \(boxID) has an old password of yours; store it again with: boxphone credentials set"
            )
        case .boxFault:
            (.boxFault, "box \(boxID) has a fault, such as a full disk; no PIN try was used. Tell the administrator")
        case .cancelled: (.interrupted, "the login was cancelled")
        case .alreadyEnrolled: (.refused, PhoneError.alreadyEnrolled(boxID: boxID).description)
        case .tested:
            (
                .done,
                "your tap arrived. The administrator is testing the box, so the password was not checked and no one "
                    + "was logged in"
            )
        case .siteAway:
            (
                .busy,
                "box \(boxID) cannot reach your site now, which keeps your password; try again in a minute, or use "
                    + "another box. If the PIN was already sent, this try may count"
            )
        case .notDue:
            (.session, "no automatic logout of your session on box \(boxID) is due, so there is nothing to put off")
        case .grantWanted, .grantNotAccepted, .siteDocumentNeeded, .grantExpired, .notAtThisBox, .revokedBySite,
            .boxCutOff:
            (HelloRefusal(self) ?? .grantNotAccepted).explained(boxID)
        }
    }
}

extension HelloRefusal {
    /// The exit status if a box of the phone's site refuses the phone's grant.
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .notAtThisBox: .notAllowed
        case .boxCutOff: .boxFault
        case .grantWanted, .grantNotAccepted, .siteDocumentNeeded, .grantExpired, .revokedBySite: .refused
        }
    }

    fileprivate func explained(_ boxID: String) -> (ExitStatus, String) {
        (exitStatus, PhoneError.grantRefused(boxID: boxID, self).description)
    }
}

/// Sentences for a login that the account, another check or the session refused.
extension Sentences {
    fileprivate static let accountLocked = "you are not logged in: the account is locked; ask the administrator"
    fileprivate static let accountExpired = "you are not logged in: the account has expired; ask the administrator"
    fileprivate static let accountDenied =
        "the password was accepted, but the account may not log in here now; ask the administrator"
    fileprivate static let passwordMustChange =
        "you are not logged in: you must change the password; change it on the box, then run: boxphone credentials set"
    fileprivate static let notLetIn =
        "the password was accepted, but the box did not let you in. Another check may have refused, such as a "
        + "second factor; look at its screen"
    fileprivate static let sessionFailed =
        "the password was accepted, but the session did not open or ended at once; ask the administrator"
}

/// Sentences for a login that no program asked for.
extension Sentences {
    fileprivate static func nobodyAsked(_ boxID: String) -> String {
        "no login prompt asked for the password in time; open the one of box \(boxID) and try again. If it was open, the "
            + "account may be locked: ask the administrator"
    }

    fileprivate static func otherUserAsked(_ boxID: String) -> String {
        "a program on box \(boxID) asked for another user's password; enter or choose your user name there and try again"
    }

    fileprivate static func promptNotServed(_ boxID: String) -> String {
        "the login prompt that asked for the password is not one that box \(boxID) may serve; use the prompt in front of "
            + "you, or ask the administrator to read boxagentd's journal"
    }
}
