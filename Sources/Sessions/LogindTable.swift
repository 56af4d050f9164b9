import AgentCore
import DBus

/// The logind sessions that are known. Pure: signals and answers in, events out.
struct LogindTable: Sendable {
    /// More sessions than this are not followed. Those at a seat come first: anybody can open any number of others, by ssh for
    /// instance, and a login screen or a person in front of the machine must not go unseen for them.
    static let sessionLimit = 256

    private(set) var sessions: [String: LogindSession] = [:]
    /// Where each of them is on the bus.
    private(set) var paths: [String: ObjectPath] = [:]
    /// Questions for a session's properties whose answers have not been taken in.
    private var looks: [LookID: Look] = [:]
    private var lastLook: UInt64 = 0

    struct LookID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// What was signalled of a session while its answer was on its way. An answer is taken in a turn of the loop later
    /// than it came, so the signals behind it were handled before it.
    private struct Look {
        let path: ObjectPath
        var changed: [String: DBusValue] = [:]
        var hasEnded = false
    }

    /// (id, path) of each session in ListSessions' answer, `a(susso)`.
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

    /// A session is about to be asked for its properties; `endLook` takes in what it said.
    mutating func beginLook(at path: ObjectPath) -> LookID {
        lastLook += 1
        let look = LookID(number: lastLook)
        looks[look] = Look(path: path)
        return look
    }

    /// - Parameter properties: The answer; nil when none came, because the session has ended for instance.
    mutating func endLook(_ look: LookID, _ id: String, _ properties: [String: DBusValue]?) -> [LogindEvent] {
        guard let looked = looks.removeValue(forKey: look), !looked.hasEnded, let properties else { return [] }
        // What is signalled is newer than the answer, or the same.
        return add(id, looked.path, properties.merging(looked.changed) { _, signalled in signalled })
    }

    /// A session whose properties have come.
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
        // The id was used again while logind could not be heard: the session that was known has ended.
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

    /// A command of the site has locked or unlocked it.
    mutating func setLocked(_ id: String, _ isLocked: Bool) -> LogindEvent? {
        guard var session = sessions[id], session.isLocked != isLocked else { return nil }
        session.isLocked = isLocked
        sessions[id] = session
        return .changed(session)
    }

    mutating func remove(_ id: String, _ path: ObjectPath) -> LogindEvent? {
        for (look, looked) in looks where looked.path == path { looks[look]?.hasEnded = true }
        return forget(id).map { .removed($0) }
    }

    /// logind has gone or begun anew: sessions that are not among `ids` have ended meanwhile.
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
