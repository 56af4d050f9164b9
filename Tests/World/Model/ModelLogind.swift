import AgentCore
import Names
import VaultPort

/// The sessions that logind would know. Sessions outlive the agent, and end with the machine.
struct ModelLogind {
    struct Session {
        let id: [UInt8]
        var properties: LogindSession
        /// The program that opened the session.
        let leader: Int32
        /// The device whose credential opened the session, after logind has confirmed the program's claim.
        var owner: DeviceID?
        /// The step in which logind confirmed the claim.
        var claimedAt = 0
        /// True after the agent has ordered the session's end.
        var wasToldToEnd = false
        var duties = Duties()
    }

    var sessions: [[UInt8]: Session] = [:]
    var isThere = true
    /// The sessions that the agent was told of, as in the agent's `LogindTable`. They remain while logind is away.
    var told: [[UInt8]: LogindSession] = [:]
    private var last: Int64 = 0

    mutating func open(_ user: [UInt8], by leader: Int32) -> Session {
        last += 1
        let name = "c\(last)"
        var properties = LogindSession(id: name)
        properties.user = String(decoding: user, as: UTF8.self)
        properties.userID = 1_000
        properties.seat = "seat0"
        properties.leader = leader
        properties.type = "wayland"
        properties.sessionClass = "user"
        properties.state = "active"
        properties.isActive = true
        properties.openedMicroseconds = last
        let session = Session(id: Array(name.utf8), properties: properties, leader: leader)
        sessions[session.id] = session
        return session
    }

    var ids: [[UInt8]] { sessions.keys.sorted { $0.lexicographicallyPrecedes($1) } }
}

extension LogindSession {
    func with(locked: Bool) -> LogindSession {
        var changed = self
        changed.isLocked = locked
        return changed
    }
}

extension World {
    /// Acts as a person at the screen, or as logind itself.
    mutating func logindStep() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            logind.isThere = false
            dropLock { _ in true }
            feed(.logind(.unavailable("it was stopped")))
        case 1, 2: if !logind.isThere { logindComes() }
        case 3, 4, 5:
            guard chance(20), let id = logind.ids.randomElement(using: &random) else { return }
            end(id)
        case 6, 7:
            guard let id = logind.ids.randomElement(using: &random), let session = logind.sessions[id] else { return }
            setLocked(id, !session.properties.isLocked)
        case 8:
            guard logind.isThere, judge.sleepingSince == nil else { return }
            judge.sleepingSince = now.sinceBoot
            judge.sleepActs = []
            judge.isFallingAsleep = true
            feed(.logind(.sleeping))
            judge.isFallingAsleep = false
        default:
            guard judge.sleepingSince != nil else { return }
            judge.sleepingSince = nil
            feed(.logind(.woke))
        }
    }

    mutating func logindComes() {
        logind.isThere = true
        let gone = logind.told.values.filter { logind.sessions[Array($0.id.utf8)] == nil }
        for session in gone.sorted(by: { $0.openedMicroseconds < $1.openedMicroseconds }) { tell(.removed(session)) }
        for id in logind.ids {
            guard let session = logind.sessions[id]?.properties else { continue }
            switch logind.told[id] {
            case nil: tell(.appeared(session))
            case session?: break
            default: tell(.changed(session))
            }
        }
        feed(.logind(.available))
    }

    /// Reports an event of logind, unless logind is away.
    mutating func tell(_ event: LogindEvent) {
        guard logind.isThere else { return }
        switch event {
        case .appeared(let session), .changed(let session): logind.told[Array(session.id.utf8)] = session
        case .removed(let session): logind.told[Array(session.id.utf8)] = nil
        default: break
        }
        feed(.logind(event))
    }

    mutating func end(_ id: [UInt8]) {
        guard let session = logind.sessions.removeValue(forKey: id) else { return }
        judge.lockedAt[id] = nil
        tell(.removed(session.properties))
    }

    mutating func setLocked(_ id: [UInt8], _ isLocked: Bool) {
        guard let session = logind.sessions[id] else { return }
        if isLocked {
            judge.lockedAt[id] = judge.step
            logind.sessions[id]?.duties.lockBy = nil
        }
        logind.sessions[id]?.properties = session.properties.with(locked: isLocked)
        if let changed = logind.sessions[id]?.properties { tell(.changed(changed)) }
    }

    mutating func allowedSleep() {
        judge.sights.note(.sleeps)
        guard let since = judge.sleepingSince, now.sinceBoot < since + SessionOrders.sleepLockLimit else { return }
        // All locks that were ordered when the machine fell asleep must be done or have failed.
        if !judge.sleepActs.isEmpty { judge.fail("the machine may sleep before its sessions are locked") }
    }
}
