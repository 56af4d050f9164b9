import VaultPort

/// Decides whether a stored password may be sent. After a refusal, only the person can allow it again: each try counts
/// towards the lock of the account.
///
/// ```
/// looking ──not refused──► (true)
///    └────── refused ──► asking the person ──► (their answer)
/// ```
final class Reconsidering {
    private let box: KnownBox
    /// When the password was refused, in seconds since 1970; nil if it was never refused, or was accepted since.
    private(set) var refusedAt: Int64?

    init(_ box: KnownBox, _ context: inout ErrandContext) {
        self.box = box
        context.ask(.refusal(box.id))
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> Result<Bool, PhoneError>? {
        switch input {
        case .cancel: return .failure(.cancelled)
        case .vault(.failed(let error)): return .failure(.vault(error))
        case .vault(.refusal(let time)):
            guard let time else { return .success(true) }
            refusedAt = time
            context.emit(.askAgain(box, refusedAt: time))
            return nil
        case .again(let isWanted) where refusedAt != nil: return .success(isWanted)
        default: return nil
        }
    }
}
