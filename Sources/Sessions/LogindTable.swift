import AgentCore
import DBus

/// The known logind sessions. Pure: takes signals and replies, returns events.
struct LogindTable: Sendable {
    /// The most sessions that are followed: logind itself allows no more by default (SessionsMax= in logind.conf(5)).
    /// Sessions at a seat come first. Any user can open many other sessions, for example by ssh. Those must not displace
    /// a login screen or the user at the machine.
    static let sessionLimit = 8_192

    private(set) var sessions: [String: LogindSession] = [:]
    /// The bus path of each session.
    private(set) var paths: [String: ObjectPath] = [:]
    /// Queries for properties whose replies have not been applied.
    private var looks: [LookID: Look] = [:]
    private var lastLook: UInt64 = 0

    struct LookID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The signals about a session during a query. A reply is applied one turn of the loop after its arrival, so later
    /// signals may be handled first.
    private struct Look {
        let path: ObjectPath
        var changed: [String: DBusValue] = [:]
        var hasEnded = false
    }

    /// Returns (id, path) of each session in the reply to ListSessions, `a(susso)`.
    static func listed(_ answer: DBusValue?) -> [(id: String, path: ObjectPath)] {
        let sessions = (answer?.elements ?? []).compactMap { entry -> (id: String, path: ObjectPath, isAtSeat: Bool)? in
            guard let fields = entry.fields, fields.count == 5, let id = fields[0].text, let path = fields[4].path
            else { return nil }
            return (id, path, fields[3].text.map { !$0.isEmpty } ?? false)
        }
        return (sessions.filter(\.isAtSeat) + sessions.filter { !$0.isAtSeat }).prefix(sessionLimit).map {
            ($0.id, $0.path)
        }
    }

    /// Starts a query for a session's properties. `endLook` applies the reply.
    mutating func beginLook(at path: ObjectPath) -> LookID {
        lastLook += 1
        let look = LookID(number: lastLook)
        looks[look] = Look(path: path)
        return look
    }

    /// Returns whether the session has ended since the query began.
    func hasEnded(_ look: LookID) -> Bool { looks[look]?.hasEnded ?? false }

    /// - Parameter properties: The reply, or nil if there was none, for example because the session has ended.
    mutating func endLook(_ look: LookID, _ id: String, _ properties: [String: DBusValue]?) -> [LogindEvent] {
        guard let looked = looks.removeValue(forKey: look), !looked.hasEnded, let properties else { return [] }
        // A signalled value is newer than the reply, or equal.
        return add(id, looked.path, properties.merging(looked.changed) { _, signalled in signalled })
    }

    /// Adds a session, or updates it with a complete reply.
    private mutating func add(
        _ id: String, _ path: ObjectPath, _ properties: [String: DBusValue]
    ) -> [LogindEvent] {
        var session = LogindSession(id: id)
        session.update(properties)
        if sessions[id] == nil, sessions.count >= Self.sessionLimit {
            guard !session.seat.isEmpty, let other = sessions.values.first(where: { $0.seat.isEmpty }) else {
                return []
            }
            forget(other.id)
            return [.removed(other)] + add(id, path, properties)
        }
        if let known = sessions[id] { session.takeOver(from: known) }
        let before = sessions.updateValue(session, forKey: id)
        paths[id] = path
        guard let before else { return [.appeared(session)] }
        // The id was reused while logind could not be followed. The known session has ended.
        guard before.openedMicroseconds == session.openedMicroseconds else {
            return [.removed(before), .appeared(session)]
        }
        return before == session ? [] : [.changed(session)]
    }

    mutating func change(_ path: ObjectPath, _ properties: [String: DBusValue]) -> LogindEvent? {
        for (look, looked) in looks where looked.path == path {
            looks[look]?.changed.merge(properties) { _, newer in newer }
        }
        guard let id = paths.first(where: { $0.value == path })?.key, var session = sessions[id] else { return nil }
        let before = session
        session.update(properties)
        guard session != before else { return nil }
        sessions[session.id] = session
        return .changed(session)
    }

    /// Records that a configured command locked or unlocked the session.
    mutating func setLocked(_ id: String, _ isLocked: Bool) -> LogindEvent? {
        guard var session = sessions[id], session.isLocked != isLocked else { return nil }
        session.isLocked = isLocked
        sessions[id] = session
        return .changed(session)
    }

    /// Removes a session that has ended, also one that logind has not described yet.
    mutating func remove(_ id: String, _ path: ObjectPath) -> LogindEvent {
        for (look, looked) in looks where looked.path == path { looks[look]?.hasEnded = true }
        return .removed(forget(id) ?? LogindSession(id: id))
    }

    /// Removes sessions that are not among `ids`, because they ended while logind could not be followed.
    mutating func keepOnly(_ ids: Set<String>) -> [LogindEvent] {
        let gone = sessions.values.filter { !ids.contains($0.id) }
        for session in gone { forget(session.id) }
        return gone.map { .removed($0) }
    }

    @discardableResult
    private mutating func forget(_ id: String) -> LogindSession? {
        paths[id] = nil
        return sessions.removeValue(forKey: id)
    }
}
