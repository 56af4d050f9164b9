import VaultPort

/// Whether what is stored for a box may be sent. A password that was refused once is sent again only at the person's word: each
/// try counts towards the lock of an account.
///
/// ```
/// looking ──not refused──► (true)
///    └────── refused ──► asking the person ──► (what they say)
/// ```
final class Reconsidering {
    private let box: KnownBox
    /// When it was refused, in seconds since 1970; nil: it was not, or has been accepted since.
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
