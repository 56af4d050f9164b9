import AgentProtocol
import TextOutput

/// The helpers in sessions (boxagent-session): who answers Lock, and who can be told something.
extension OwnedSessions {
    package mutating func helperCame(
        _ session: [UInt8], _ helper: ControlID, _ caller: Caller, _ out: inout Output
    ) {
        guard !helpers.values.contains(helper) else { return out.emit(.tellControl(helper, Refusals.oneAtATime)) }
        guard let found = logind[session] else { return out.emit(.tellControl(helper, Refusals.noSession)) }
        guard caller.isAdministrator || found.userID == caller.uid else {
            return out.emit(.tellControl(helper, Refusals.othersSession))
        }
        // A helper that was started again takes its place.
        if let replaced = helpers.updateValue(helper, forKey: session) { out.tell(.helperReplaced(replaced)) }
        out.emit(.setHelped(session: found.id, true))
        out.emit(.tellControl(helper, .done(text: [])))
    }

    /// The connection has ended.
    package mutating func helperLeft(_ helper: ControlID, _ out: inout Output) {
        guard let session = self.session(of: helper) else { return }
        helpers[session] = nil
        if let id = String(validating: session, as: UTF8.self) { out.emit(.setHelped(session: id, false)) }
    }

    /// Whoever waits for the lock is told at once, and not after the time that a locker may take.
    package mutating func helperRefused(_ helper: ControlID, _ reason: [UInt8], _ out: inout Output) {
        guard let session = self.session(of: helper), let id = String(validating: session, as: UTF8.self) else {
            return
        }
        out.emit(.refuseLock(session: id, reason: LogText.text(reason)))
    }

    /// The session ends soon, unless something happens.
    package mutating func warned(_ key: SessionKey, _ cause: LogoutCause, at: Duration, _ out: inout Output) {
        guard let session = sessions[key] else { return }
        let seconds = max(0, (at - out.time).components.seconds)
        notify(
            session, "This session ends in \(Plural.text(seconds, "second")): \(cause.explanation).", &out)
        out.log(.notice, "\(LogText.text(session.target.user))'s session is warned: \(cause.explanation)")
    }

    /// What was warned of does not come.
    package mutating func warningWithdrawn(_ key: SessionKey, _ out: inout Output) {
        guard let session = sessions[key] else { return }
        notify(session, "", &out)
    }

    /// Something for the person in the session to read, where a helper can show it; empty takes it back.
    private func notify(_ session: OwnedSession, _ text: String, _ out: inout Output) {
        guard let id = session.target.logindSession, let helper = helpers[id] else { return }
        out.emit(.tellControl(helper, .notice(text: Array(text.utf8))))
    }

    private func session(of helper: ControlID) -> [UInt8]? {
        helpers.first { $0.value == helper }?.key
    }
}
