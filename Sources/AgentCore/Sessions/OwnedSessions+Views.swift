import AgentConfiguration
import Names
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

    /// Whether a phone has opened that session, or a program says so of which logind has not answered yet.
    package func isOfPhone(_ id: [UInt8]) -> Bool {
        sessions[.logind(id)] != nil || sessions.values.contains { $0.target.logindSession == id }
            || claims.values.contains { $0.target.logindSession == id }
    }

    /// What logind says of a session.
    package func logindSession(_ id: [UInt8]) -> LogindSession? { logind[id] }

    /// All that phones opened, and what else logind knows of people; ordered by their ids.
    ///
    /// - Parameter helped: Logind sessions in which somebody of ours answers Lock.
    package func known(helped: Set<[UInt8]>, _ configuration: Configuration) -> [KnownSession] {
        let owned = sessions.keys.sorted().compactMap { key in
            sessions[key].map { KnownSession(key, $0, logindSession(of: $0.target), helped: helped, configuration) }
        }
        let ids = Set(sessions.values.compactMap(\.target.logindSession))
        let others = logind.filter { $0.value.isOfPerson && !ids.contains($0.key) }.values
        return (owned + others.map { KnownSession($0, helped: helped, configuration) }).sorted(
            by: KnownSession.precedes)
    }
}
