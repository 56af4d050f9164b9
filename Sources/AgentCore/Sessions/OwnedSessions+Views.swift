import AgentConfiguration
import PhoneMessages
import VaultPort

/// What others see of the sessions.
extension OwnedSessions {
    package var count: Int { sessions.count }

    /// Rows that could not be written yet, and so would not outlive the agent.
    package var unwrittenCount: Int { rows.count }

    package func session(_ key: SessionKey) -> OwnedSession? { sessions[key] }

    package func sessions(of device: DeviceID) -> [KnownSession.Owned] {
        sessions.keys.sorted().compactMap { key in
            guard let session = sessions[key], session.device == device else { return nil }
            return KnownSession.Owned(key: key, session: session)
        }
    }

    /// Devices that own sessions, in the order of their ids.
    package var devices: [DeviceID] {
        Set(sessions.values.map(\.device)).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// The user whose session the device owns.
    package func owner(_ device: DeviceID) -> [UInt8]? { sessions(of: device).first?.session.target.user }

    /// What the phone is told of its sessions.
    package func state(of device: DeviceID) -> SessionState {
        let own = sessions(of: device)
        return own.isEmpty ? .none : own.allSatisfy(\.session.locked) ? .locked : .active
    }

    /// - Parameter session: A logind session, whether a phone opened it or not.
    package func isLocked(session id: [UInt8]) -> Bool {
        logind[id]?.isLocked ?? sessions[.logind(id)]?.locked ?? false
    }

    package func isHelper(_ control: ControlID) -> Bool { helpers.values.contains(control) }

    /// All that phones opened, and what else logind knows of people; ordered by their ids.
    package func known(_ configuration: Configuration) -> [KnownSession] {
        var known: [KnownSession] = []
        var ids: Set<[UInt8]> = []
        for key in sessions.keys.sorted() {
            guard let session = sessions[key] else { continue }
            let found = logindSession(of: session.target)
            if let id = session.target.logindSession { ids.insert(id) }
            known.append(
                KnownSession(
                    target: session.target, owned: KnownSession.Owned(key: key, session: session), logind: found,
                    canLock: canLock(found, configuration)))
        }
        for (id, session) in logind where session.isOfPerson && !ids.contains(id) {
            let target = SessionTarget(
                user: Array(session.user.utf8), logindSession: id, terminal: Array(session.terminal.utf8))
            known.append(
                KnownSession(target: target, owned: nil, logind: session, canLock: canLock(session, configuration)))
        }
        return known.sorted(by: Self.precedes)
    }

    /// The ids of sessions that phones opened and that cannot be locked.
    package func withoutLocker(_ configuration: Configuration) -> [String] {
        known(configuration).filter { $0.owned != nil && !$0.canLock }
            .map { LogText.text($0.target.logindSession ?? []) }
    }

    /// Sessions without an id come first, in the order of their programs.
    private static func precedes(_ left: KnownSession, _ right: KnownSession) -> Bool {
        let ids = (left.target.logindSession ?? [], right.target.logindSession ?? [])
        if ids.0 != ids.1 { return ids.0.lexicographicallyPrecedes(ids.1) }
        guard let first = left.owned?.key, let second = right.owned?.key else { return false }
        return first < second
    }

    /// On a text terminal only our helper answers Lock. A desktop has a locker of its own more often than not, and is asked.
    private func canLock(_ session: LogindSession?, _ configuration: Configuration) -> Bool {
        if !configuration.sessions.lockCommand.isEmpty { return true }
        guard let session else { return false }
        return session.isGraphical || helpers[Array(session.id.utf8)] != nil
    }
}
