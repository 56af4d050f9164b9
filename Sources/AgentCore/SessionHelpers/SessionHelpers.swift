import TextOutput

/// The helpers in sessions (boxagent-session), which answer Lock and can show messages.
///
///     connected ── its session is the caller's ──► helps ── replaced, the session ends, it leaves ──► no more
package struct SessionHelpers: Sendable {
    /// The helpers by the logind ids of their sessions.
    private var helpers: [[UInt8]: ControlID] = [:]

    package init() {}

    /// The logind sessions in which one of our helpers answers Lock.
    package var sessions: Set<[UInt8]> { Set(helpers.keys) }

    package func isHelper(_ control: ControlID) -> Bool { session(of: control) != nil }

    /// - Parameter found: logind's data about the session.
    package mutating func came(
        _ helper: ControlID, in session: [UInt8], _ found: LogindSession?, _ caller: Caller, _ out: inout Output
    ) {
        guard !isHelper(helper) else { return out.emit(.tellControl(helper, Refusals.oneAtATime)) }
        guard let found else { return out.emit(.tellControl(helper, Refusals.noSession)) }
        guard caller.isAdministrator || found.userID == caller.uid else {
            return out.emit(.tellControl(helper, Refusals.othersSession))
        }
        // A helper that was started again replaces the earlier one.
        if let replaced = helpers.updateValue(helper, forKey: session) { out.tell(.helperReplaced(replaced)) }
        out.emit(.setHelped(session: found.id, true))
        out.emit(.tellControl(helper, .done(text: "")))
    }

    /// Removes the helper whose connection has ended.
    package mutating func left(_ helper: ControlID, _ out: inout Output) {
        guard let session = session(of: helper) else { return }
        remove(session, &out)
    }

    /// Removes the helper of a session that logind has ended.
    package mutating func sessionRemoved(_ session: LogindSession, _ out: inout Output) {
        remove(session.idBytes, &out)
    }

    /// Reports the refusal at once to the callers that wait for the lock, before a locker's time limit has passed.
    package mutating func refused(_ helper: ControlID, _ reason: String, _ out: inout Output) {
        guard let session = session(of: helper), let id = String(validating: session, as: UTF8.self) else { return }
        out.emit(.refuseLock(session: id, reason: LogText.text(Array(reason.utf8))))
    }

    /// Warns the user of a session that will end soon.
    package func warned(_ session: OwnedSession, _ cause: LogoutCause, at: Duration, _ out: inout Output) {
        let seconds = max(0, (at - out.time).components.seconds)
        let text = "This session ends in \(Plural.text(seconds, "second")): \(cause.explanation)."
        notify(session, text, &out)
        out.log(.notice, "warned \(LogText.text(session.target.user))'s session: \(cause.explanation)")
    }

    /// Withdraws the warning.
    package func warningWithdrawn(_ session: OwnedSession, _ out: inout Output) {
        notify(session, "", &out)
    }

    private mutating func remove(_ session: [UInt8], _ out: inout Output) {
        guard helpers.removeValue(forKey: session) != nil, let id = String(validating: session, as: UTF8.self) else {
            return
        }
        out.emit(.setHelped(session: id, false))
    }

    /// Shows a text to the session's user if a helper can display it. An empty text removes the earlier one.
    private func notify(_ session: OwnedSession, _ text: String, _ out: inout Output) {
        guard let id = session.target.logindSession, let helper = helpers[id] else { return }
        out.emit(.tellControl(helper, .notice(text: text)))
    }

    private func session(of helper: ControlID) -> [UInt8]? {
        helpers.first { $0.value == helper }?.key
    }
}
