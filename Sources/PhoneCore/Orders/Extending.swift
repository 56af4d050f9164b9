import PhoneMessages
import VaultPort

/// Puts off the automatic logout that the box warns of. By its answer to a status the box has said whether it knows this
/// request, and what it warns of.
struct Extending: Sendable {
    private indirect enum Stage: Sendable {
        case introducing(Introducing)
        case asking(Asking, KnownBox)
        case settling(Settling, Asking.Answered)
    }

    private var stage: Stage

    init(_ target: BoxTarget, _ context: inout ErrandContext) {
        stage = .introducing(Introducing(to: target, &context))
    }

    func deadline(_ limits: PhoneLimits) -> Duration? {
        switch stage {
        case .introducing(let introducing): introducing.deadline(limits)
        case .asking(let asking, _): asking.deadline
        case .settling: nil
        }
    }

    mutating func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch stage {
        case .introducing(var introducing):
            let result = introducing.handle(input, &context)
            stage = .introducing(introducing)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success(let box): return ask(box, &context)
            }
        case .asking(var asking, let box):
            let answered = asking.handle(input, &context)
            stage = .asking(asking, box)
            guard let answered else { return nil }
            let settling = Settling(answered.end, box, &context)
            stage = .settling(settling, answered)
            return settling.immediate.map { settled($0, answered, context) }
        case .settling(let settling, let answered):
            return settling.handle(input).map { settled($0, answered, context) }
        }
    }

    private mutating func ask(_ box: KnownBox, _ context: inout ErrandContext) -> ErrandEnd? {
        guard context.conversation?.boxCapabilities.contains(.logoutWarnings) == true else {
            // It would end the channel of whoever asks.
            return .answered(RequestAnswer(outcome: .refused(.badRequest, .none), state: nil, warning: nil))
        }
        stage = .asking(Asking(.extend, .simple, &context), box)
        return nil
    }

    private func settled(
        _ result: Result<RequestOutcome, PhoneError>, _ answered: Asking.Answered, _ context: ErrandContext
    ) -> ErrandEnd {
        switch result {
        case .failure(let error): .failed(error)
        case .success(let outcome):
            .answered(
                RequestAnswer(outcome: outcome, state: answered.state, warning: context.conversation?.warning))
        }
    }
}
