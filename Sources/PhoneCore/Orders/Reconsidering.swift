import PhoneMessages
import VaultPort

/// Decides whether a stored password may be sent. After a refusal or several unknown outcomes, only the person can allow
/// it: each try counts towards the lock of the account.
///
/// ```
/// looking ── no doubt ──► (nil)
///    └────── doubt ─────► asking the person ──► (nil, or the doubt: not allowed)
/// ```
final class Reconsidering {
    private let box: KnownBox
    private var doubt: PasswordDoubt?

    init(_ box: KnownBox, _ context: inout ErrandContext) {
        self.box = box
        context.ask(.passwordHistory(box.id))
    }

    /// True if the person was asked.
    var isAsked: Bool { doubt != nil }

    /// Returns nil inside the result if the password may be sent.
    func handle(_ input: Input, _ context: inout ErrandContext) -> Result<PasswordDoubt?, PhoneError>? {
        switch input {
        case .cancel: return .failure(.cancelled)
        case .vault(.failed(let error)): return .failure(.vault(error))
        case .vault(.passwordHistory(let history)):
            doubt = PasswordDoubt(history)
            guard let doubt else { return .success(nil) }
            context.emit(.askAgain(box, doubt))
            return nil
        case .again(let isWanted) where isAsked: return .success(isWanted ? nil : doubt)
        default: return nil
        }
    }
}
