import Names
import PhoneMessages
import VaultPort

/// Turns the end of a request into an outcome, and does what the phone owes it: it forgets a box that has revoked it, destroys the
/// secret of a credential that the box has wiped, and writes down that a stored password was refused.
final class Settling {
    private indirect enum Stage {
        case done(Result<RequestOutcome, PhoneError>)
        /// The vault destroys something, or writes down that it is used no more; then this is said.
        case destroying(Result<RequestOutcome, PhoneError>)
    }

    private var stage: Stage

    /// - Parameter refusal: What has to be written down of the password that is stored (`StoredPassword.refusal`).
    init(_ end: RequestEnd, refusal: Bool? = nil, _ box: KnownBox, _ context: inout ErrandContext) {
        let digits = box.digits
        if refusal == false { context.tell(.noteRefusal(box.id, isRefused: false)) }
        switch end {
        case .outcome(let outcome) where refusal == true:
            // Before anybody can tap again.
            context.ask(.noteRefusal(box.id, isRefused: true))
            stage = .destroying(.success(outcome))
        case .outcome(.refused(.protocolVersion, _)): stage = .done(.failure(.protocolVersion(boxID: digits)))
        case .outcome(.refused(let code, _)) where box.site != nil && box.mode == .phoneHeld && code.needsBoxHeld:
            stage = .done(.failure(.nonsense(boxID: digits)))
        case .outcome(.refused(.wiped, let detail)) where box.site == nil:
            // What the box may still hold must open no more, whatever becomes of its disk.
            context.ask(.destroyDeviceSecret(box.id))
            stage = .destroying(.success(.refused(.wiped, detail)))
        case .outcome(let outcome): stage = .done(.success(outcome))
        // One box's word ends its own channel: only the site can take back what is good at all of its boxes.
        case .revoked where box.site != nil: stage = .done(.failure(.notAccepted(boxID: digits)))
        case .revoked:
            // Nothing is left that a thief of the phone could use there (docs/reference/protocol.md section 12).
            context.ask(.forget(box.id))
            stage = .destroying(.failure(.revoked(boxID: digits)))
        case .nonsense: stage = .done(.failure(.nonsense(boxID: digits)))
        case .cancelled: stage = .done(.failure(.cancelled))
        case .notWithdrawn: stage = .done(.failure(.notWithdrawn(boxID: digits)))
        case .silent: stage = .done(.failure(.noAnswer(boxID: digits)))
        case .lost: stage = .done(.failure(.linkLost(boxID: digits)))
        case .closedUnanswered: stage = .done(.failure(.notAccepted(boxID: digits)))
        case .grantWanted: stage = .done(.failure(.linkLost(boxID: digits)))
        case .grantRefused(let code): stage = .done(.failure(.grantRefused(boxID: digits, code)))
        case .takenBack(let entry):
            context.ask(.stopSite(box.id, entry: entry))
            stage = .destroying(.failure(.siteStopped))
        }
    }

    /// What is settled without the vault.
    var immediate: Result<RequestOutcome, PhoneError>? {
        guard case .done(let result) = stage else { return nil }
        return result
    }

    /// What is settled, once the vault has done its part. It does so also for somebody who has given up.
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
    /// Whether only a box says this that holds the credential: none of a site does.
    fileprivate var needsBoxHeld: Bool {
        switch self {
        case .pinWrong, .wiped, .lockedOut, .noCredential, .credentialStale: true
        default: false
        }
    }
}
