import ControlProtocol
import Links

/// Handles events while the state belongs to another machine. Programs fall back to typed passwords at once, and no
/// session, site or phone is touched. Commands that only read, and those that destroy, are answered.
extension AgentMachine {
    /// Declines events that need the box's own state. Returns whether the event is handled.
    func declines(_ event: Event, _ out: inout Output) -> Bool {
        guard let reason = policy.place.foreign else { return false }
        switch event {
        case .started: return true
        case .logind(let event):
            // There is nothing to lock, so nothing delays the sleep.
            if case .sleeping = event { out.emit(.allowSleep) }
            return true
        case .program(let id, .asks(let request, let caller)):
            logins.refuse(id, request, caller, .agentFault, reason.problem, &out)
            return true
        case .control(let id, let event) where event.needsOwnState:
            out.emit(.tellControl(id, Refusals.failure(.fault, reason.problem, reason.cure)))
            return true
        default: return false
        }
    }

    /// Warns the caller, who enrols a phone that the box will soon forget.
    func warnOfLoss(_ id: ControlID, _ out: inout Output) {
        guard let loss = policy.place.loss else { return }
        out.emit(.tellControl(id, .notice(text: ControlLimits.cut(loss))))
    }
}

extension ControlEvent {
    fileprivate var needsOwnState: Bool {
        switch self {
        case .joins, .asks(.enrol, _), .asks(.enrolSelf, _), .asks(.testLogin, _), .asks(.leaveSite, _),
            .asks(.importSite, _):
            true
        default: false
        }
    }
}
