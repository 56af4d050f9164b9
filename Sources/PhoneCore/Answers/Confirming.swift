import PhoneMessages
import VaultPort

/// Confirms an enrolment whose answer was lost. A box that answers on an ordinary channel has enrolled this phone. The
/// phone asks again for the answer and stores it.
///
/// ```
/// asking ──enrolled──► confirming ──► (done)
///    ├──── revoked ──► forgetting ──► (revoked)
///    └──── anything else ───────────► (done): nothing changes
/// ```
final class Confirming {
    private indirect enum Stage {
        case asking(EnrolmentExchange, RequestID)
        case confirming
        case forgetting
    }

    private let box: KnownBox
    private var stage: Stage

    /// Returns nil if the enrolment is confirmed already, or the box has not answered hello.
    init?(_ box: KnownBox, _ context: inout ErrandContext) {
        guard !box.confirmed, let conversation = context.conversation, conversation.isAgreed else { return nil }
        self.box = box
        let id = context.send(.enrolment)
        stage = .asking(EnrolmentExchange(limits: context.limits, asksAgain: true, now: context.now), id)
    }

    var deadline: Duration? {
        guard case .asking(let exchange, _) = stage else { return nil }
        return exchange.deadline
    }

    func handle(_ input: Input, _ context: inout ErrandContext) -> Result<Void, PhoneError>? {
        switch stage {
        case .asking(let exchange, let id):
            if case .cancel = input { return .failure(.cancelled) }
            guard let event = EnrolmentExchange.Event(input, id, exchange.deadline, &context) else { return nil }
            let actions = exchange.handle(event, now: context.now)
            for case .finish(let end) in actions { return finish(end, &context) }
            return nil
        case .confirming:
            switch input {
            case .vault(.failed(let error)): return .failure(.vault(error))
            case .vault: return .success(())
            default: return nil
            }
        case .forgetting:
            switch input {
            case .vault(.failed(let error)): return .failure(.vault(error))
            case .vault: return .failure(.revoked(boxID: box.digits))
            default: return nil
            }
        }
    }

    private func finish(
        _ end: EnrolmentEnd, _ context: inout ErrandContext
    ) -> Result<Void, PhoneError>? {
        switch end {
        case .enrolled(let result):
            context.ask(
                .confirmEnrolment(box.id, user: result.user, mode: result.credentialMode))
            stage = .confirming
            return nil
        case .refused(.revoked, _):
            context.ask(.forget(box.id))
            stage = .forgetting
            return nil
        case .refused, .nonsense, .granted, .uncertain, .cancelled: return .success(())
        }
    }
}

extension EnrolmentExchange.Event {
    /// Returns nil if the input does not concern an enrolment.
    init?(_ input: Input, _ id: RequestID, _ deadline: Duration, _ context: inout ErrandContext) {
        switch input {
        case .message(let message): self = .delivery(context.sort(message, current: id))
        case .unintelligible: self = .delivery(.nonsense)
        case .channelEnded, .linkDown: self = .ended
        case .time where context.now >= deadline: self = .timer
        default: return nil
        }
    }
}
