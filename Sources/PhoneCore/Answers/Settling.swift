import Names
import PhoneMessages
import VaultPort

/// Turns the end of a request into an outcome, and updates the vault. The vault forgets a box that has revoked the
/// phone, destroys the device secret of a wiped credential, and marks a refused stored password.
final class Settling {
    private indirect enum Stage {
        case done(Result<RequestOutcome, PhoneError>)
        /// The vault runs a command. When the vault has answered, this result is reported.
        case destroying(Result<RequestOutcome, PhoneError>)
    }

    private var stage: Stage

    /// - Parameter isRefused: True if the stored password was refused.
    init(_ end: RequestEnd, isRefused: Bool = false, _ box: KnownBox, _ context: inout ErrandContext) {
        let digits = box.digits
        switch end {
        case .outcome(let outcome) where isRefused:
            // Store the mark before the person can tap again.
            context.ask(.notePassword(box.id, .refused))
            stage = .destroying(.success(outcome))
        case .outcome(.refused(.protocolVersion, _)): stage = .done(.failure(.protocolVersion(boxID: digits)))
        case .outcome(.refused(let code, _)) where box.site != nil && box.mode == .phoneHeld && code.needsBoxHeld:
            stage = .done(.failure(.nonsense(boxID: digits)))
        case .outcome(.refused(.wiped, let detail)) where box.site == nil:
            // Without the device secret, no copy of the credential on the box's disk can open again.
            context.ask(.destroyDeviceSecret(box.id))
            stage = .destroying(.success(.refused(.wiped, detail)))
        case .outcome(let outcome): stage = .done(.success(outcome))
        // A box's unsigned statement ends only that box's channel. Only the site can revoke access to all its boxes.
        case .revoked where box.site != nil: stage = .done(.failure(.notAccepted(boxID: digits)))
        case .revoked:
            // Leave nothing that a thief of the phone could use at the box (docs/reference/protocol.md section 12).
            context.ask(.forget(box.id))
            stage = .destroying(.failure(.revoked(boxID: digits)))
        case .nonsense: stage = .done(.failure(.nonsense(boxID: digits)))
        case .cancelled: stage = .done(.failure(.cancelled))
        case .notWithdrawn: stage = .done(.failure(.notWithdrawn(boxID: digits)))
        case .silent: stage = .done(.failure(.noAnswer(boxID: digits)))
        case .unsent(let error): stage = .done(.failure(.vault(error)))
        case .lost: stage = .done(.failure(.linkLost(boxID: digits)))
        case .closedUnanswered: stage = .done(.failure(.notAccepted(boxID: digits)))
        case .grantWanted: stage = .done(.failure(.linkLost(boxID: digits)))
        case .grantRefused(let code): stage = .done(.failure(.grantRefused(boxID: digits, code)))
        case .takenBack(let entry):
            context.ask(.stopSite(box.id, entry: entry))
            stage = .destroying(.failure(.siteStopped))
        }
    }

    /// The result, if the vault is not needed.
    var immediate: Result<RequestOutcome, PhoneError>? {
        guard case .done(let result) = stage else { return nil }
        return result
    }

    /// Returns the result once the vault has answered, even if the person has given up.
    func handle(_ input: Input) -> Result<RequestOutcome, PhoneError>? {
        switch (stage, input) {
        case (.done(let result), _): result
        case (.destroying, .vault(.failed(let error))): .failure(.vault(error))
        case (.destroying(let result), .vault): result
        default: nil
        }
    }
}

extension ResultCode {
    /// True for codes about a credential that the box or its site holds, not the phone.
    fileprivate var needsBoxHeld: Bool {
        switch self {
        case .pinWrong, .wiped, .lockedOut, .noCredential, .credentialStale: true
        case .correct, .wrongCredentials, .outcomeUnknown, .accountLocked, .accountExpired, .passwordMustChange,
            .revoked, .busy, .notAllowed, .timedOut, .protocolVersion, .badRequest, .noSession, .cannotLock,
            .didNotLock, .boxFault, .cancelled, .notDue, .alreadyEnrolled, .tested, .grantWanted, .grantNotAccepted,
            .siteDocumentNeeded, .grantExpired, .notAtThisBox, .revokedBySite, .boxCutOff, .siteAway, .accountDenied,
            .notLetIn, .sessionFailed, .otherUserAsked, .promptNotServed:
            false
        }
    }
}
