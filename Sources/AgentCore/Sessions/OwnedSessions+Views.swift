import AgentConfiguration
import Names
import PhoneMessages
import VaultPort

/// Views of the sessions for other components.
extension OwnedSessions {
    package var count: Int { sessions.count }

    /// The number of rows not written yet, which would not survive a restart of the agent.
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

    /// Returns the user whose session the device owns.
    package func owner(_ device: DeviceID) -> [UInt8]? { sessions(of: device).first?.session.target.user }

    /// Returns the session state that the phone is told. A PAM module may still refuse a session that has not lasted.
    package func state(of device: DeviceID) -> SessionState {
        let own = sessions(of: device).filter(\.session.hasLasted)
        return own.isEmpty ? .none : own.allSatisfy(\.session.locked) ? .locked : .active
    }

    /// - Parameter session: A logind session, whether or not a phone opened it.
    package func isLocked(session id: [UInt8]) -> Bool {
        logind[id]?.isLocked ?? sessions[.logind(id)]?.locked ?? false
    }

    /// Returns whether a phone has opened that session, or an unanswered claim says so.
    package func isOfPhone(_ id: [UInt8]) -> Bool {
        sessions[.logind(id)] != nil || sessions.values.contains { $0.target.logindSession == id }
            || claims.values.contains { $0.target.logindSession == id }
    }

    package func logindSession(_ id: [UInt8]) -> LogindSession? { logind[id] }

    /// Returns all sessions that phones opened and logind's other user sessions, ordered by their ids.
    ///
    /// - Parameter helped: Logind sessions in which one of our helpers answers Lock.
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
