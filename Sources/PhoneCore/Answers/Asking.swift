import PhoneMessages
import VaultPort

/// One request that was sent on an open channel, until what came of it.
final class Asking {
    struct Answered: Sendable {
        let end: RequestEnd
        /// What the box said last of the session.
        let state: BoxState?
    }

    private let id: RequestID
    private var exchange: RequestExchange
    private var state: BoxState?

    init(_ request: consuming PhoneRequest, _ kind: RequestKind, _ context: inout ErrandContext) {
        id = context.send(request)
        exchange = RequestExchange(
            kind, isAgreed: context.conversation?.isAgreed ?? false, limits: context.limits, now: context.now)
    }

    var deadline: Duration { exchange.deadline }

    /// A person who gives up takes the password back, if no program has it yet. The answer is not waited for.
    func withdraw(_ context: inout ErrandContext) {
        if exchange.kind == .login { context.send(.cancelLogin) }
    }

    /// - Parameter isShown: Whether progress is told; a question of the phone's own is not.
    @inline(never)
    func handle(_ input: Input, isShown: Bool = true, _ context: inout ErrandContext) -> Answered? {
        let event: RequestExchange.Event
        switch input {
        case .message(let message): event = .delivery(context.sort(message, current: id))
        case .unintelligible: event = .delivery(.nonsense)
        case .channelEnded, .linkDown: event = .ended
        case .time where context.now >= exchange.deadline: event = .timer
        case .cancel:
            withdraw(&context)
            return Answered(end: .cancelled, state: state)
        default: return nil
        }
        for action in exchange.handle(event, now: context.now) {
            switch action {
            case .report(let progress): if isShown { context.show(.request(progress)) }
            case .state(let told): state = told
            case .finish(let end): return Answered(end: end, state: state)
            }
        }
        return nil
    }
}
