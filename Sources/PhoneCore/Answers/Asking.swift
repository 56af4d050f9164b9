import PhoneMessages
import VaultPort

/// One request on an open channel, from sending to its result.
///
/// ```
/// noting, if the stored password is sent ──► asked ──► (Answered)
/// ```
final class Asking {
    final class Answered: Sendable {
        let end: RequestEnd
        /// The last session state that the box reported.
        let state: BoxState?
        /// True if the stored password was refused, which `Settling` notes.
        let isRefused: Bool

        init(end: RequestEnd, state: BoxState?, isRefused: Bool) {
            self.end = end
            self.state = state
            self.isRefused = isRefused
        }
    }

    private let password: StoredPassword
    /// The row of the password.
    private let row: [UInt8]
    /// The request, while the vault notes that the stored password leaves the phone.
    private var request: PhoneRequest?
    private var id: RequestID?
    private let exchange: RequestExchange
    private var state: BoxState?
    /// True once the vault needs no more notes of this request.
    private var isNoted = false

    init(
        _ request: PhoneRequest, _ kind: RequestKind, password: StoredPassword = .untouched, of row: [UInt8] = [],
        _ context: inout ErrandContext
    ) {
        self.password = password
        self.row = row
        exchange = RequestExchange(
            kind, isAgreed: context.conversation?.isAgreed ?? false, limits: context.limits, now: context.now)
        if let note = password.noteBefore {
            self.request = request
            context.ask(.notePassword(row, note))
        } else {
            id = context.send(request)
        }
    }

    var deadline: Duration { exchange.deadline }

    /// Asks the box to cancel a login, which works until a program has the password.
    func withdraw(_ context: inout ErrandContext) {
        if exchange.kind == .login, id != nil { context.send(.cancelLogin) }
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
        case .cancel where exchange.kind == .login && id != nil:
            // A login cannot be cancelled once a program has its password, so wait for the box's reply.
            if exchange.withdraw(now: context.now) { withdraw(&context) }
            return nil
        case .cancel: return answered(.cancelled, &context)
        case .vault(.failed(let error)) where request != nil:
            isNoted = true
            return answered(.unsent(error), &context)
        case .vault:
            if let request = request.take() { id = context.send(request) }
            return nil
        default: return nil
        }
        for action in exchange.handle(event, now: context.now) {
            switch action {
            case .report(let progress):
                // Note it now: the phone may not hear the result.
                if progress.isAccepted, password.noteBefore != nil { note(.accepted, &context) }
                if isShown { context.show(.request(progress)) }
            case .state(let told): state = told
            case .finish(let end): return answered(end, &context)
            }
        }
        return nil
    }

    private func note(_ note: PasswordNote?, _ context: inout ErrandContext) {
        guard let note, !isNoted else { return }
        isNoted = true
        context.tell(.notePassword(row, note))
    }

    private func answered(_ end: RequestEnd, _ context: inout ErrandContext) -> Answered {
        // A request that did not leave the phone says nothing.
        let last = request == nil ? password.noteAfter(end) : .notJudged
        let isRefused = last == .refused && !isNoted
        if !isRefused { note(last, &context) }
        return Answered(end: end, state: state, isRefused: isRefused)
    }
}
