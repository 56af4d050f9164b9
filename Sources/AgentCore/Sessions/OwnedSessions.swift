import AuditLog
import Names
import PhoneMessages
import VaultPort

/// The sessions that phones' logins opened (docs/decisions/018-sessions.md): their owners, logind's data, and what is
/// stored. Other components decide about operations on them, and report the results here.
///
///     opened ─► claiming ── confirmed ─► owned, by logind's id ── removed by logind ──────────► ended
///                 │ │ refused, no id ─► owned, by its program ─── the program says so, or left ► ended
///                 └─┴ not known now ──► owned, by its program, claim held ── logind is back ─► claiming
package struct OwnedSessions: Sendable {
    var sessions: [SessionKey: OwnedSession] = [:]
    /// The sessions of connected programs.
    var programs: [ProgramID: SessionKey] = [:]
    var claims: [ProgramID: SessionClaiming] = [:]
    /// logind's sessions by their ids. `Logind` bounds the number of sessions.
    var logind: [[UInt8]: LogindSession] = [:]
    var reading = LogindReading.unasked
    var isShuttingDown = false
    var rows = SessionRows(.sessions, after: OperationID.secondKind)
    /// Programs whose claims logind is asked about.
    var pending = Pending<ProgramID>(.sessions)

    package init() {}

    // MARK: - Entries

    /// Handles a new session in a program's PAM handle, for a user whose phone delivered the credential.
    ///
    /// - Parameter process: The program's process. logind decides whether it is in the session.
    package mutating func opened(
        _ program: ProgramID, _ claimed: SessionTarget, by device: DeviceID, process: Int32?, _ out: inout Output
    ) {
        let claim = SessionClaiming(
            program: program, target: claimed, device: device, process: process, openedAt: out.time)
        claims[program] = nil
        guard claimed.logindSession != nil else { return begin(claim, confirmed: nil, &out) }
        claims[program] = claim
        ask(program, &out)
    }

    /// Notes that no PAM module has refused the session that the program opened.
    package mutating func lasts(_ program: ProgramID) {
        claims[program]?.hasLasted = true
        if let key = programs[program] { sessions[key]?.hasLasted = true }
    }

    /// Ends the session that the program closed (`said`) or left. Only logind ends a session of its own that the program
    /// left. It keeps a closed one while processes remain (KillUserProcesses=no), but the user has logged out.
    package mutating func programEnded(_ program: ProgramID, said: Bool, _ out: inout Output) {
        if ends(program, said ? .closed : .left) { return }
        claims[program] = nil
        guard let key = programs.removeValue(forKey: program) else { return }
        // An outer login goes on, in the same session of logind.
        if programs.values.contains(key) { return }
        guard !said, let session = sessions[key], logindSession(of: session.target) != nil else {
            return end(key, &out)
        }
        // A restarted agent does not restore a session that a PAM module has refused.
        if !session.hasLasted, case .logind(let id) = key { rows.want(.forget(id), &out) }
    }

    package mutating func programLeft(_ program: ProgramID, _ out: inout Output) {
        if !ends(program, .left) { claims[program] = nil }
    }

    /// Notes the reason of a requested end. The phone is told the reason once the session has ended.
    package mutating func ending(_ key: SessionKey, _ session: OwnedSession, _ end: SessionEnd) {
        if let key = current(key, session) { sessions[key]?.ending = end }
    }

    /// - Parameter changes: True if the act was meant to change the session's state.
    package mutating func acted(
        _ key: SessionKey, _ session: OwnedSession, _ operation: SessionOperation, _ outcome: SessionOutcome,
        changes: Bool, _ out: inout Output
    ) {
        let key = current(key, session)
        if operation == .logout {
            if outcome != .done, changes, let key { sessions[key]?.ending = nil }
        } else if outcome == .done {
            if let key { sessions[key]?.locked = operation == .lock }
            if operation == .lock { out.tell(.somebodyExpected) }
        }
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        rows.answered(id, answer, &out)
        if let program = pending.close(id) { claimAnswered(program, id, answer, &out) }
    }

    package var deadline: Duration? {
        (claims.values.compactMap { $0.asked?.until } + [rows.deadline].compactMap { $0 }).min()
    }

    package mutating func timeHasCome(_ out: inout Output) {
        rows.timeHasCome(&out)
        giveUpLateClaims(&out)
    }

    // MARK: - Beginning and end

    /// Returns whether the session has no owner yet. It then ends as soon as it has begun.
    private mutating func ends(_ program: ProgramID, _ end: SessionClaiming.ProgramEnd) -> Bool {
        guard case .opening(let known) = claims[program]?.stage else { return false }
        claims[program]?.stage = .opening(end: known ?? end)
        return true
    }

    /// Adds a session. Another session with this key has ended, and is replaced.
    mutating func own(_ key: SessionKey, _ session: OwnedSession, _ out: inout Output) {
        if let old = sessions[key],
            old.openedMicroseconds != session.openedMicroseconds || old.device != session.device
        {
            end(key, &out)
        }
        sessions[key] = session
    }

    /// Starts to count the session's limits and its device's absence.
    func track(_ key: SessionKey, extensions: Int64, _ out: inout Output) {
        guard let session = sessions[key] else { return }
        out.tell(.sessionTracked(key, session.device, since: session.openedAt, extensions: extensions))
        if let known = logindSession(of: session.target) { tellIdleness(of: known, key, &out) }
    }

    mutating func end(_ key: SessionKey, _ out: inout Output) {
        guard let session = sessions.removeValue(forKey: key) else { return }
        for (program, owned) in programs where owned == key { out.tell(.sessionRemoved(program)) }
        programs = programs.filter { $0.value != key }
        if session.hasLasted {
            out.recordCounted(
                .sessionClosed, user: session.target.user, device: session.device, by: .agent,
                detail: isShuttingDown ? "the machine is shutting down" : "")
        }
        if case .logind(let id) = key { rows.want(.forget(id), &out) }
        out.tell(.sessionEnded(key, session, isLastOfDevice: !sessions.values.contains { $0.device == session.device }))
        out.tell(.somebodyExpected)
    }

    /// Stores the session's owner once both its program and logind have reported the session.
    mutating func keep(_ session: LogindSession, _ out: inout Output) {
        let key = SessionKey.logind(session.idBytes)
        guard let owned = sessions[key], !owned.isKept, owned.openedMicroseconds == session.openedMicroseconds else {
            return
        }
        sessions[key]?.isKept = true
        let stored = StoredSession(
            logindID: session.idBytes, device: owned.device, user: owned.target.user, terminal: owned.target.terminal,
            openedMicroseconds: session.openedMicroseconds, openedAt: owned.openedAt)
        rows.want(.keep(stored), &out)
    }

    /// Returns the session's current key, or nil once it has ended. Its old key may belong to another session by then.
    private func current(_ key: SessionKey, _ session: OwnedSession) -> SessionKey? {
        if let known = sessions[key], known.isSame(as: session) { return key }
        return sessions.keys.sorted().first { sessions[$0]?.isSame(as: session) ?? false }
    }
}
