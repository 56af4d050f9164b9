import VaultPort

/// What an earlier run of the agent wrote down, and a vault that does not say it.
extension OwnedSessions {
    package mutating func started(_ out: inout Output) {
        read(&out)
        out.emit(.vault(pending.open(.unwatching), .forgetWatchedWithoutSessions))
    }

    /// The vault did not say whose a session is: it is asked again, and in the end every person's session is locked once.
    package mutating func ownerUnreadable(_ out: inout Output) {
        let reaction = unreadable.failed(now: out.time)
        if reaction.locks {
            out.log(.error, "the vault has not been readable for a minute: locking every person's session")
            out.tell(.ownersUnknown)
        }
        if let at = reaction.retryAt { restoring.retryAt = at }
    }

    /// Asks for what is not known. A question under way is not repeated: the vault answers one after the other.
    mutating func read(_ out: inout Output) {
        if !restoring.hasDeadlines, !isReading(.deadlines) {
            out.emit(.vault(pending.open(.deadlines), .readDeadlines))
        }
        if isLogindThere, !isReading(.sessions) { out.emit(.vault(pending.open(.sessions), .readSessions)) }
        restoring.failsAt = isReading ? out.time + Self.readLimit : nil
    }

    mutating func readAgain(_ out: inout Output) {
        if let at = restoring.failsAt, at <= out.time {
            restoring.failsAt = nil
            let seconds = Self.readLimit.components.seconds
            out.log(.error, "the vault has not answered within \(seconds) s; run 'boxagent doctor'")
            ownerUnreadable(&out)
        }
        if let at = restoring.retryAt, at <= out.time {
            restoring.retryAt = nil
            unreadable.retries()
            read(&out)
        }
    }

    mutating func deadlinesAnswered(_ answer: Answer, _ out: inout Output) {
        if !isReading { restoring.failsAt = nil }
        guard case .vault(.deadlines(let deadlines)) = answer else {
            out.log(.error, "deadlines could not be read: \(Self.readFailure(answer)); run 'boxagent doctor'")
            return ownerUnreadable(&out)
        }
        restoring.hasDeadlines = true
        out.tell(.deadlinesRead(deadlines))
    }

    /// Sessions that were written down and are still there are whose they were; the others have ended.
    mutating func sessionsAnswered(_ answer: Answer, _ out: inout Output) {
        if !isReading { restoring.failsAt = nil }
        guard case .vault(.sessions(let ofEarlierBoots, let ofThisBoot)) = answer else {
            // Unknown is not none: no deadline is given up.
            out.log(
                .error, "whose sessions are could not be read: \(Self.readFailure(answer)); run 'boxagent doctor'")
            return ownerUnreadable(&out)
        }
        if restoring.hasDeadlines {
            unreadable.worked()
            restoring.retryAt = nil
        }
        for ended in ofEarlierBoots {
            out.record(
                .sessionClosed, user: ended.user, device: ended.device, by: .agent,
                detail: "the machine was started anew")
        }
        // Without logind nobody knows what has ended. It is asked again once logind is there.
        guard isLogindThere else { return }
        for stored in ofThisBoot where !rows.isForgetting(stored.logindID) { restore(stored, &out) }
        out.tell(.sessionsRead)
    }

    private mutating func restore(_ stored: StoredSession, _ out: inout Output) {
        let key = SessionKey.logind(stored.logindID)
        guard let known = logind[stored.logindID], known.openedMicroseconds == stored.openedMicroseconds else {
            out.record(
                .sessionClosed, user: stored.user, device: stored.device, by: .agent,
                detail: "while boxagentd did not run")
            // Another session has the id, and its row is written.
            guard sessions[key] == nil else { return }
            return perform(rows.want(.forget(stored.logindID)), &out)
        }
        guard sessions[key] == nil else { return }
        let target = SessionTarget(user: stored.user, logindSession: stored.logindID, terminal: stored.terminal)
        sessions[key] = OwnedSession(
            device: stored.device, target: target, openedAt: stored.openedAt,
            openedMicroseconds: stored.openedMicroseconds, locked: known.isLocked, isKept: true)
        out.log(
            .notice, "session \(known.id) of \(LogText.text(stored.user)) goes on, opened by device \(stored.device)")
        track(key, extensions: stored.extensions, &out)
    }

    private var isReading: Bool { isReading(.deadlines) || isReading(.sessions) }

    private enum Reading { case deadlines, sessions }

    private func isReading(_ what: Reading) -> Bool {
        pending.all.contains {
            switch ($0, what) {
            case (.deadlines, .deadlines), (.sessions, .sessions): true
            default: false
            }
        }
    }

    private static func readFailure(_ answer: Answer) -> VaultError {
        failure(answer) ?? .invalid(what: "the vault answered something else")
    }
}
