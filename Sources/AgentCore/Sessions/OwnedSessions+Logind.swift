import VaultPort

/// What logind tells of sessions, and what this room makes of it. That the machine sleeps and wakes concerns others.
extension OwnedSessions {
    package mutating func heard(_ event: LogindEvent, _ out: inout Output) {
        switch event {
        case .available: available(&out)
        case .unavailable(let why):
            isLogindThere = false
            out.log(.warning, "the sessions of logind cannot be read: \(why)")
        case .appeared(let session):
            let id = Array(session.id.utf8)
            logind[id] = session
            keep(session, &out)
            askForClaims(naming: id, &out)
        case .changed(let session): changed(session, &out)
        case .removed(let session): removed(session, &out)
        case .sleeping, .woke: break
        }
    }

    func logindSession(of target: SessionTarget) -> LogindSession? {
        target.logindSession.flatMap { logind[$0] }
    }

    func tellIdleness(of session: LogindSession, _ key: SessionKey, _ out: inout Output) {
        // logind counts on CLOCK_MONOTONIC, which stands still while the machine sleeps.
        out.tell(.idle(key, since: session.idleSince.map { $0 + out.now.asleep }))
    }

    /// logind is there, perhaps after a restart of ours or its own: what is no longer there has ended.
    private mutating func available(_ out: inout Output) {
        isLogindThere = true
        for key in sessions.keys.sorted() {
            guard case .logind(let id) = key else { continue }
            if logind[id]?.openedMicroseconds != sessions[key]?.openedMicroseconds { end(key, &out) }
        }
        askForClaims(&out)
    }

    private mutating func changed(_ session: LogindSession, _ out: inout Output) {
        let id = Array(session.id.utf8)
        logind[id] = session
        let key = SessionKey.logind(id)
        guard let owned = sessions[key], owned.openedMicroseconds == session.openedMicroseconds else { return }
        tellIdleness(of: session, key, &out)
        guard owned.locked != session.isLocked else { return }
        sessions[key]?.locked = session.isLocked
        if session.isLocked { out.tell(.somebodyExpected) }
    }

    /// Its id may be another session's by now, whose owner is not meant.
    private mutating func removed(_ session: LogindSession, _ out: inout Output) {
        let id = Array(session.id.utf8)
        logind[id] = nil
        for (program, claim) in claims where claim.target.logindSession == id {
            claims[program]?.removedMicroseconds = session.openedMicroseconds
        }
        guard sessions[.logind(id)]?.openedMicroseconds == session.openedMicroseconds else { return }
        end(.logind(id), &out)
    }
}
