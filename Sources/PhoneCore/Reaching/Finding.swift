import Links
import VaultPort

/// Finds a known box that was given other digits. Asks each box that shows the digits that a person read. A box is
/// accepted only by a newer certificate for its pinned key.
///
/// ```
/// listening ──heard──► recognising ──known, with these digits──► (box)
///     ▲                     │ another
///     └─────────────────────┴──── time is up ──► (nil)
/// ```
final class Finding: OrderSteps {
    private indirect enum Stage {
        case listening
        case recognising(Recognising, Advertisement)
    }

    private let digits: String
    private let known: [KnownBox]
    private var search: BoxSearch
    private var stage = Stage.listening

    init(_ digits: String, among known: [KnownBox], _ context: inout ErrandContext) {
        self.digits = digits
        self.known = known
        search = BoxSearch(boxID: digits, until: context.now + context.limits.scan)
        context.listen(for: context.limits.scan)
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        guard case .recognising(let recognising, _) = stage else { return nil }
        return recognising.deadline
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        if case .cancel = input { return .failed(.cancelled) }
        switch stage {
        case .listening:
            switch input {
            case .heard(let advertisement) where search.isCandidate(advertisement):
                context.stopListening()
                stage = .recognising(Recognising(known, at: advertisement, &context), advertisement)
                return nil
            case .scanOver(let error): return PhoneError(scan: error).map { .failed($0) } ?? .found(nil)
            default: return nil
            }
        case .recognising(let recognising, let advertisement):
            let end = recognising.handle(input, &context)
            guard let end else { return nil }
            context.hangUp()
            switch end {
            case .known(let box) where box.digits.hasBytes(of: digits): return .found(box)
            case .known: search.passBy(advertisement, .identity(.otherDigits), now: context.now)
            case .other(let problem): search.passBy(advertisement, .identity(problem), now: context.now)
            case .unreachable(let error): search.passBy(advertisement, .link(error), now: context.now)
            }
            let left = search.deadline - context.now
            guard left > .zero, search.mayTryMore else { return .found(nil) }
            stage = .listening
            context.listen(for: left)
            return nil
        }
    }
}
