import VaultPort

/// The sessions that an earlier run of the agent stored.
extension OwnedSessions {
    /// Restores the owners of stored sessions that still exist. The other stored sessions have ended.
    package mutating func rowsRead(
        ofEarlierBoots: [StoredSession], ofThisBoot: [StoredSession], _ out: inout Output
    ) {
        for ended in ofEarlierBoots {
            out.record(
                .sessionClosed, user: ended.user, device: ended.device, by: .agent,
                detail: "the machine was restarted")
        }
        // Without logind, it is unknown which sessions have ended. The rows are read again when logind is back.
        guard reading == .read else { return }
        for stored in ofThisBoot where !rows.isForgetting(stored.logindID) { restore(stored, &out) }
        out.tell(.sessionsRead)
    }

    private mutating func restore(_ stored: StoredSession, _ out: inout Output) {
        let key = SessionKey.logind(stored.logindID)
        guard let known = logind[stored.logindID], known.openedMicroseconds == stored.openedMicroseconds,
            !known.isClosing
        else {
            out.record(
                .sessionClosed, user: stored.user, device: stored.device, by: .agent,
                detail: "while boxagentd was not running")
            // Remove the row, unless another session has the id: then its row has replaced this one.
            if sessions[key] == nil { rows.want(.forget(stored.logindID), &out) }
            return
        }
        guard sessions[key] == nil else { return }
        let target = SessionTarget(user: stored.user, logindSession: stored.logindID, terminal: stored.terminal)
        sessions[key] = OwnedSession(
            device: stored.device, target: target, openedAt: stored.openedAt,
            openedMicroseconds: stored.openedMicroseconds, hasLasted: true, locked: known.isLocked, isKept: true)
        out.log(
            .notice, "session \(known.id) of \(LogText.text(stored.user)) continues, opened by device \(stored.device)")
        track(key, extensions: stored.extensions, &out)
    }
}
