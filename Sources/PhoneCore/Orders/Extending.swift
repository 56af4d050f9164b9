import PhoneMessages
import VaultPort

/// Postpones the automatic logout that the box warns of. A status request first shows whether the box supports
/// `extend`, and any warning.
final class Extending: OrderSteps {
    private indirect enum Stage {
        case introducing(Introducing)
        case asking(Asking, KnownBox)
        case settling(Settling, Asking.Answered)
    }

    private var stage: Stage

    init(_ target: BoxTarget, _ context: inout ErrandContext) {
        stage = .introducing(Introducing(to: target, &context))
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        switch stage {
        case .introducing(let introducing): introducing.deadline(context.limits)
        case .asking(let asking, _): asking.deadline
        case .settling: nil
        }
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch stage {
        case .introducing(let introducing):
            let result = introducing.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .failed(error)
            case .success(let box): return ask(box, &context)
            }
        case .asking(let asking, let box):
            let answered = asking.handle(input, &context)
            guard let answered else { return nil }
            let settling = Settling(answered.end, box, &context)
            stage = .settling(settling, answered)
            return settling.immediate.map { settled($0, answered, context) }
        case .settling(let settling, let answered):
            return settling.handle(input).map { settled($0, answered, context) }
        }
    }

    private func ask(_ box: KnownBox, _ context: inout ErrandContext) -> ErrandEnd? {
        guard context.conversation?.boxCapabilities.contains(.logoutWarnings) == true else {
            // A box that does not know this request would end the channel.
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
