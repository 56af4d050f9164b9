import TextOutput

/// The helpers in sessions (boxagent-session): who answers Lock, and who can be told something.
///
///     connected ── its session is the caller's ──► helps ── another one comes, the session ends, it leaves ──► no more
package struct SessionHelpers: Sendable {
    /// By logind's ids of their sessions.
    private var helpers: [[UInt8]: ControlID] = [:]

    package init() {}

    /// The logind sessions in which somebody of ours answers Lock.
    package var sessions: Set<[UInt8]> { Set(helpers.keys) }

    package func isHelper(_ control: ControlID) -> Bool { session(of: control) != nil }

    /// - Parameter found: What logind says of the session.
    package mutating func came(
        _ helper: ControlID, in session: [UInt8], _ found: LogindSession?, _ caller: Caller, _ out: inout Output
    ) {
        guard !isHelper(helper) else { return out.emit(.tellControl(helper, Refusals.oneAtATime)) }
        guard let found else { return out.emit(.tellControl(helper, Refusals.noSession)) }
        guard caller.isAdministrator || found.userID == caller.uid else {
            return out.emit(.tellControl(helper, Refusals.othersSession))
        }
        // A helper that was started again takes its place.
        if let replaced = helpers.updateValue(helper, forKey: session) { out.tell(.helperReplaced(replaced)) }
        out.emit(.setHelped(session: found.id, true))
        out.emit(.tellControl(helper, .done(text: "")))
    }

    /// The connection has ended.
    package mutating func left(_ helper: ControlID, _ out: inout Output) {
        guard let session = session(of: helper) else { return }
        remove(session, &out)
    }

    /// Logind says that the session has ended.
    package mutating func sessionRemoved(_ session: LogindSession, _ out: inout Output) {
        remove(Array(session.id.utf8), &out)
    }

    /// Whoever waits for the lock is told at once, and not after the time that a locker may take.
    package mutating func refused(_ helper: ControlID, _ reason: String, _ out: inout Output) {
        guard let session = session(of: helper), let id = String(validating: session, as: UTF8.self) else { return }
        out.emit(.refuseLock(session: id, reason: LogText.text(Array(reason.utf8))))
    }

    /// The session ends soon, unless something happens.
    package func warned(_ session: OwnedSession, _ cause: LogoutCause, at: Duration, _ out: inout Output) {
        let seconds = max(0, (at - out.time).components.seconds)
        let text = "This session ends in \(Plural.text(seconds, "second")): \(cause.explanation)."
        notify(session, text, &out)
        out.log(.notice, "warned \(LogText.text(session.target.user))'s session: \(cause.explanation)")
    }

    /// What was warned of does not come.
    package func warningWithdrawn(_ session: OwnedSession, _ out: inout Output) {
        notify(session, "", &out)
    }

    private mutating func remove(_ session: [UInt8], _ out: inout Output) {
        guard helpers.removeValue(forKey: session) != nil, let id = String(validating: session, as: UTF8.self) else {
            return
        }
        out.emit(.setHelped(session: id, false))
    }

    /// Something for the person in the session to read, where a helper can show it; empty takes it back.
    private func notify(_ session: OwnedSession, _ text: String, _ out: inout Output) {
        guard let id = session.target.logindSession, let helper = helpers[id] else { return }
        out.emit(.tellControl(helper, .notice(text: text)))
    }

    private func session(of helper: ControlID) -> [UInt8]? {
        helpers.first { $0.value == helper }?.key
    }
}
