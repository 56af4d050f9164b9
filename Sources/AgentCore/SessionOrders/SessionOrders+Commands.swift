import ControlProtocol
import AuditLog

/// `boxagent sessions`, `lock`, `unlock` and `logout`. Root may use them on all sessions, others on their own
/// (docs/decisions/015-login-rendezvous.md).
extension SessionOrders {
    /// Starts a session command. `ControlPolicy` has already refused requests that the caller may never make.
    package mutating func ordered(
        _ control: ControlID, _ action: SessionAction, _ selection: SessionSelection, _ caller: Caller,
        _ out: inout Output
    ) {
        let operation: SessionOperation =
            switch action {
            case .lock: .lock
            case .unlock: .unlock
            case .logout: .logout
            }
        lookUp(SessionCommand(control: control, caller: caller, wish: .act(operation, selection)), &out)
    }

    /// Replies with the sessions that the caller may see.
    package mutating func list(
        for control: ControlID, _ caller: Caller, _ sessions: [KnownSession], _ out: inout Output
    ) {
        if caller.isAdministrator { return reply(control, sessions, &out) }
        lookUp(SessionCommand(control: control, caller: caller, wish: .list), &out)
    }

    private mutating func lookUp(_ command: SessionCommand, _ out: inout Output) {
        let id = pending.open(.person(command, until: out.time + Self.personLimit))
        out.emit(.lookUp(id, .person(command.caller)))
    }

    /// - Parameter person: Nil if the lookup got no answer.
    mutating func known(
        _ person: (actor: AuditActor, name: [UInt8]?)?, _ command: SessionCommand, _ sessions: [KnownSession],
        _ out: inout Output
    ) {
        let caller = command.caller
        let name = person?.name
        switch command.wish {
        case .list: reply(command.control, sessions.filter { $0.isOf(caller, named: name) }, &out)
        case .act(let operation, let selection):
            let chosen = sessions.filter { session in
                switch selection {
                case .own: session.isOf(caller, named: name)
                case .session(let id): session.target.logindSession == id
                case .user(let user): session.target.user == user
                case .all: true
                }
            }
            guard caller.isAdministrator || chosen.allSatisfy({ $0.isOf(caller, named: name) }) else {
                return out.emit(.tellControl(command.control, Refusals.othersSession))
            }
            guard !chosen.isEmpty else {
                return out.emit(
                    .tellControl(command.control, logind.problem.map(Refusals.sessionsUnread) ?? Refusals.noSession))
            }
            let actor = person?.actor ?? .person(uid: caller.uid, login: nil)
            begin(operation, on: chosen, for: .command(command.control, chosen), by: actor, &out)
        }
    }

    private func reply(_ control: ControlID, _ sessions: [KnownSession], _ out: inout Output) {
        for session in sessions { out.emit(.tellControl(control, .session(session.listing))) }
        out.emit(.tellControl(control, .done(text: logind.problem.map(Refusals.doubt) ?? "")))
    }

    func reply(
        _ control: ControlID, _ sessions: [KnownSession], _ operation: SessionOperation, _ outcomes: [SessionOutcome],
        _ out: inout Output
    ) {
        for (session, outcome) in zip(sessions, outcomes) {
            out.emit(.tellControl(control, .session(SessionOrder.listing(session, operation, outcome))))
        }
        let failed = outcomes.filter { $0 != .done }.count
        let end: ControlReply =
            failed == 0 ? .done(text: "") : Refusals.operationFailed(operation, failed, of: sessions.count)
        out.emit(.tellControl(control, end))
    }
}
