import PhoneCore
import PhoneKit
import PhoneMessages

extension Program {
    /// Runs something of the phone's, and turns its error into a sentence and an exit status.
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
        case .notTheBox, .notAccepted, .codeNotAccepted, .enrolmentRefused, .alreadyEnrolled, .revoked, .siteStopped:
            .refused
        case .grantRefused(_, let code): code.grantRefusalStatus
        case .site(let problem): problem.exitStatus
        case .enrolmentUncertain: .outcomeUnknown
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
    /// The exit status, and what a person should know and do; nothing to say when it is done.
    func explained(boxID: String, isSiteHeld: Bool = false) -> (status: ExitStatus, sentence: String) {
        switch self {
        case .refused(.wiped, _) where isSiteHeld:
            (
                .wiped,
                "your site has destroyed the password that it kept for you, after too many wrong PINs; store it again at any of its "
                    + "boxes: boxphone credentials set NUMBER"
            )
        case .done: (.done, "")
        case .accountProblem(let problem): (.accountProblem, problem.sentence)
        case .refused(let code, let detail): code.explained(detail, boxID)
        }
    }
}

extension AccountProblem {
    fileprivate var sentence: String {
        switch self {
        case .expired: "the password is right, but the account has expired: ask the administrator"
        case .locked: "the password is right, but the account is locked: ask the administrator"
        case .mustChangePassword:
            "the password is right, but it has to be changed now: do it on the box, then run boxphone credentials set"
        case .denied: "the password is right, but the account may not log in here now: ask the administrator"
        }
    }
}

extension ResultCode {
    fileprivate func explained(_ detail: ResultDetail, _ boxID: String) -> (ExitStatus, String) {
        switch self {
        case .correct: (.done, "")
        case .wrongCredentials: (.negative, "the box says that the password is wrong; enter it again")
        case .outcomeUnknown:
            (
                .outcomeUnknown,
                "the password was handed over, but the box could not see what came of it; look at its screen"
            )
        case .accountLocked: (.accountProblem, AccountProblem.locked.sentence)
        case .accountExpired: (.accountProblem, AccountProblem.expired.sentence)
        case .passwordMustChange: (.accountProblem, AccountProblem.mustChangePassword.sentence)
        case .pinWrong: (.pinWrong, Sentences.pinWrong(left: detail.attemptsLeft.map(Int.init)))
        case .wiped:
            (
                .wiped,
                "the box has destroyed the stored password, after too many wrong PINs or at the administrator's order; store it again: "
                    + "boxphone credentials set"
            )
        case .lockedOut:
            (.lockedOut, "too many wrong PINs for now; try again in \(Sentences.time(detail.retryAfterSeconds ?? 0))")
        case .revoked: (.refused, PhoneError.revoked(boxID: boxID).description)
        case .busy:
            (.busy, "box \(boxID) is serving somebody else, or two programs there ask at once; try again in a moment")
        case .notAllowed: (.notAllowed, "the administrator of box \(boxID) does not allow it")
        case .timedOut:
            (.timedOut, "nobody asked for the password in time; open the login prompt of box \(boxID) and try again")
        case .protocolVersion: (.boxFault, PhoneError.protocolVersion(boxID: boxID).description)
        case .badRequest: (.boxFault, "box \(boxID) did not understand; update box and phone")
        case .noCredential:
            (.credentialMissing, "box \(boxID) holds no password of yours; run: boxphone credentials set")
        case .noSession: (.session, "you have no session on box \(boxID)")
        case .cannotLock:
            (.session, "the session on box \(boxID) cannot be locked as it is; boxphone logout ends it")
        case .didNotLock: (.session, "the session on box \(boxID) did not lock in time; boxphone logout ends it")
        case .credentialStale:
            (
                .credentialMissing,
                "your password has changed since box \(boxID) was given it; run: boxphone credentials set"
            )
        case .boxFault:
            (.boxFault, "box \(boxID) has a fault (a full disk, perhaps); no try was spent: tell the administrator")
        case .cancelled: (.interrupted, "the login was withdrawn")
        case .alreadyEnrolled: (.refused, PhoneError.alreadyEnrolled(boxID: boxID).description)
        case .tested:
            (
                .done,
                "your tap arrived; the administrator is trying the box, so the password was not checked and nobody "
                    + "was logged in"
            )
        case .siteAway:
            (
                .busy,
                "box \(boxID) does not reach your site just now, which keeps your password; try again in a minute, or use another "
                    + "box. If the PIN was on its way already, that try may count"
            )
        case .notDue: (.session, "nothing ends your session on box \(boxID) soon, so there is nothing to put off")
        case .grantWanted, .grantNotAccepted, .siteDocumentNeeded, .grantExpired, .notAtThisBox, .revokedBySite,
            .boxCutOff:
            (grantRefusalStatus, PhoneError.grantRefused(boxID: boxID, self).description)
        }
    }

    /// How boxphone ends where a box of the phone's site does not take its grant.
    fileprivate var grantRefusalStatus: ExitStatus {
        switch self {
        case .notAtThisBox: .notAllowed
        case .boxCutOff: .boxFault
        default: .refused
        }
    }
}
