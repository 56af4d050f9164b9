import AgentConfiguration
import AuditLog
import VaultPort

@testable import AgentCore

/// The output of the components that handle sessions.
extension Said {
    /// Returns the operation at `place`, counted from 0, or nil if fewer operations were requested.
    func operation(_ place: Int) -> OperationID? { operations.dropFirst(place).first }

    /// The operations on sessions, each with the session or user that it acts on.
    var acts: [String] {
        effects.compactMap { effect in
            guard case .act(_, let operation, let target) = effect else { return nil }
            return "\(operation.rawValue) \(String(decoding: target.logindSession ?? target.user, as: UTF8.self))"
        }
    }

    /// The entries for the audit log in order, single events and counted ones.
    var entries: [AuditEvent] {
        facts.compactMap { fact in
            switch fact {
            case .ledger(.happened(let event)), .ledger(.happenedAgain(let event, _, _)): event
            default: nil
            }
        }
    }

    var kinds: [AuditEvent.Kind] { entries.map(\.kind) }

    var details: [String] { entries.map { String(decoding: $0.detail, as: UTF8.self) } }

    /// The lines for the log. Those that use up a budget come first.
    var lines: [String] {
        facts.compactMap { if case .ledger(.logged(let line, _, _)) = $0 { line.text } else { nil } }
            + effects.compactMap { if case .log(let line) = $0 { line.text } else { nil } }
    }

    /// The facts about sessions, in order.
    var turns: [String] {
        facts.compactMap { fact in
            switch fact {
            case .session(.sessionTracked(let key, _, _, _)): "tracked \(key.name)"
            case .session(.sessionEnded(let key, let session, let isLast)):
                "ended \(key.name)\(isLast ? ", last" : "")\(session.ending.map { ", \($0)" } ?? "")"
            case .session(.sessionRekeyed(let old, let new)): "rekeyed \(old.name) to \(new.name)"
            case .session(.sessionEnding(let key, _, let end)): "ending \(key.name), \(end)"
            case .session(.sessionActed(let key, _, let operation, let outcome, let changes)):
                "\(operation.rawValue) \(key.name) \(outcome == .done ? "done" : "not done")\(changes ? ", changes" : "")"
            case .session(.sessionsRead): "read"
            case .session(.ownersUnknown): "owners unknown"
            case .session(.ownerUnreadable): "owner unreadable"
            default: nil
            }
        }
    }

    /// True if the output lets the machine sleep.
    var allowsSleep: Bool { effects.contains { if case .allowSleep = $0 { true } else { false } } }

    /// The commands that change or read the vault's rows of sessions and deadlines, in order.
    var rows: [String] {
        commands.compactMap { command in
            switch command {
            case .keepSession(let session): "keep \(String(decoding: session.logindID, as: UTF8.self))"
            case .forgetSession(let id): "forget \(String(decoding: id, as: UTF8.self))"
            case .readSessions: "read sessions"
            case .readDeadlines: "read deadlines"
            default: nil
            }
        }
    }
}

extension SessionKey {
    fileprivate var name: String {
        switch self {
        case .logind(let id): String(decoding: id, as: UTF8.self)
        case .program(let program): "program \(program.number)"
        }
    }
}

extension Sample {
    /// A session of logind, opened by process 40 of uid 1000.
    static func logind(_ id: String = "c1", opened: Int64 = 5, isLocked: Bool = false, type: String = "tty")
        -> LogindSession
    {
        var session = LogindSession(id: id)
        session.user = "alice"
        session.userID = 1_000
        session.leader = 40
        session.sessionClass = "user"
        session.openedMicroseconds = opened
        session.isLocked = isLocked
        session.type = type
        return session
    }

    static func target(_ id: String? = "c1") -> SessionTarget {
        SessionTarget(
            user: Array("alice".utf8), logindSession: id.map { Array($0.utf8) }, terminal: Array("/dev/tty1".utf8))
    }

    static func stored(_ id: String = "c1", device: UInt8 = 1, opened: Int64 = 5, extensions: Int64 = 0)
        -> StoredSession
    {
        StoredSession(
            logindID: Array(id.utf8), device: testDevice(device), user: Array("alice".utf8), terminal: nil,
            openedMicroseconds: opened, openedAt: .seconds(500), extensions: extensions)
    }

    static func key(_ id: String = "c1") -> SessionKey { .logind(Array(id.utf8)) }

    /// A session of `device`, or one without an owner. Logind knows an owned session only if `id` is not nil.
    static func known(
        _ id: String? = "c1", device: UInt8? = 1, isLocked: Bool = false, ending: Bool = false
    ) -> KnownSession {
        let logind = id.map { Sample.logind($0, isLocked: isLocked) }
        guard let device else {
            return KnownSession(logind ?? Sample.logind("none"), helped: [], Configuration())
        }
        let owned = OwnedSession(
            device: testDevice(device), target: target(id), openedAt: .seconds(500),
            openedMicroseconds: id == nil ? nil : 5, hasLasted: true, locked: isLocked, ending: ending ? .phone : nil)
        let known = id.map { SessionKey.logind(Array($0.utf8)) } ?? SessionKey.program(program())
        return KnownSession(known, owned, logind, helped: [], Configuration())
    }
}
