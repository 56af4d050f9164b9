import PhoneMessages
import VaultPort

/// One request on an open channel, from sending to its result.
final class Asking {
    struct Answered: Sendable {
        let end: RequestEnd
        /// The last session state that the box reported.
        let state: BoxState?
        /// Whether to mark the stored password as refused; nil leaves the mark (`StoredPassword.refusal`).
        let refusal: Bool?
    }

    private let id: RequestID
    private var exchange: RequestExchange
    private let password: StoredPassword
    private var state: BoxState?
    /// The stage of a login that the box reported last.
    private var progress: LoginProgress?

    init(
        _ request: consuming PhoneRequest, _ kind: RequestKind, password: StoredPassword = .untouched,
        _ context: inout ErrandContext
    ) {
        self.password = password
        id = context.send(request)
        exchange = RequestExchange(
            kind, isAgreed: context.conversation?.isAgreed ?? false, limits: context.limits, now: context.now)
    }

    var deadline: Duration { exchange.deadline }

    /// Asks the box to cancel a login, which works until a program has the password.
    func withdraw(_ context: inout ErrandContext) {
        if exchange.kind == .login { context.send(.cancelLogin) }
    }

    /// - Parameter isShown: True to show progress; false for a request that the phone makes by itself.
    @inline(never)
    func handle(_ input: Input, isShown: Bool = true, _ context: inout ErrandContext) -> Answered? {
        let event: RequestExchange.Event
        switch input {
        case .message(let message): event = .delivery(context.sort(message, current: id))
        case .unintelligible: event = .delivery(.nonsense)
        case .channelEnded, .linkDown: event = .ended
        case .time where context.now >= exchange.deadline: event = .timer
        case .cancel where exchange.kind == .login:
            // A login cannot be cancelled once a program has its password, so wait for the box's reply.
            if exchange.withdraw(now: context.now) { withdraw(&context) }
            return nil
        case .cancel: return answered(.cancelled)
        default: return nil
        }
        for action in exchange.handle(event, now: context.now) {
            switch action {
            case .report(let progress):
                self.progress = progress
                if isShown { context.show(.request(progress)) }
            case .state(let told): state = told
            case .finish(let end): return answered(end)
            }
        }
        return nil
    }

    private func answered(_ end: RequestEnd) -> Answered {
        let isAccepted = progress == .passwordAccepted || progress == .passwordMustChange
        return Answered(end: end, state: state, refusal: password.refusal(end, isAccepted: isAccepted))
    }
}
