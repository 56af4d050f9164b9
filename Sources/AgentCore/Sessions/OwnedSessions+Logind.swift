import VaultPort

/// logind's reports about sessions. Other components handle suspend and wakeup.
extension OwnedSessions {
    package mutating func heard(_ event: LogindEvent, _ out: inout Output) {
        reading.heard(event)
        if event == .available { isShuttingDown = false }
        switch event {
        case .available: available(&out)
        case .unavailable(let why): out.log(.warning, "the sessions of logind cannot be read: \(why)")
        case .appeared(let session):
            logind[session.idBytes] = session
            keep(session, &out)
            askForClaims(naming: session.idBytes, &out)
        case .changed(let session): changed(session, &out)
        case .removed(let session): removed(session, &out)
        case .shuttingDown(let isSo): isShuttingDown = isSo
        case .unread, .sleeping, .woke: break
        }
    }

    func logindSession(of target: SessionTarget) -> LogindSession? {
        target.logindSession.flatMap { logind[$0] }
    }

    func tellIdleness(of session: LogindSession, _ key: SessionKey, _ out: inout Output) {
        // logind counts on CLOCK_MONOTONIC, which stops during suspend.
        out.tell(.idle(key, since: session.idleSince.map { $0 + out.now.asleep }))
    }

    /// Ends the sessions that are gone, because logind is available, perhaps after a restart of logind or the agent.
    private mutating func available(_ out: inout Output) {
        for key in sessions.keys.sorted() {
            guard case .logind(let id) = key else { continue }
            if logind[id]?.openedMicroseconds != sessions[key]?.openedMicroseconds { end(key, &out) }
        }
        askForClaims(&out)
    }

    private mutating func changed(_ session: LogindSession, _ out: inout Output) {
        logind[session.idBytes] = session
        let key = SessionKey.logind(session.idBytes)
        guard let owned = sessions[key], owned.openedMicroseconds == session.openedMicroseconds else { return }
        // The user has logged out, but processes remain. A connected program says so itself.
        if session.isClosing, !programs.values.contains(key) { return end(key, &out) }
        tellIdleness(of: session, key, &out)
        guard owned.locked != session.isLocked else { return }
        sessions[key]?.locked = session.isLocked
        if session.isLocked { out.tell(.somebodyExpected) }
    }

    /// Ends a removed session. Its id may already belong to another session, which stays. logind may not have described
    /// the removed one: `openedMicroseconds` is then 0.
    private mutating func removed(_ session: LogindSession, _ out: inout Output) {
        let id = session.idBytes
        logind[id] = nil
        for (program, claim) in claims where claim.target.logindSession == id {
            claims[program]?.removedMicroseconds = session.openedMicroseconds
        }
        guard let owned = sessions[.logind(id)],
            session.openedMicroseconds == 0 || session.openedMicroseconds == owned.openedMicroseconds
        else { return }
        end(.logind(id), &out)
    }
}
