import Crypto

/// The session of a signed-in administrator.
public struct PageSession: Equatable, Sendable {
    public let administrator: String
    /// The passkey's id, or nil if a proxy names the administrator.
    public let credentialID: [UInt8]?
    let began: UInt64
    var seen: UInt64
    /// The time of the last check with boxsited whether the passkey is still valid.
    var checked: UInt64
    var requests = TokenBucket.ofVisitor
}

/// The signed-in administrators, in memory only: after a restart, everybody signs in again. Times are seconds of a
/// clock that never goes back. A session is found by a hash of its token. Only the browser stores the token.
public struct Sessions: Sendable {
    public static let tokenBytes = 32

    private var sessions: [[UInt8]: PageSession] = [:]

    public init() {}

    public var count: Int { sessions.count }

    /// Starts a session and returns its new random token, or nil if there is no room.
    public mutating func begin(administrator: String, credentialID: [UInt8]?, now: UInt64) -> [UInt8]? {
        sessions = sessions.filter { Self.isAlive($0.value, now) }
        let own = sessions.filter { $0.value.administrator == administrator }.sorted { $0.value.seen < $1.value.seen }
        for (name, _) in own.dropLast(PageLimits.sessionsPerAdministrator - 1) { sessions[name] = nil }
        guard sessions.count < PageLimits.sessions else { return nil }
        let token = randomBytes(Self.tokenBytes)
        sessions[Self.name(of: token)] = PageSession(
            administrator: administrator, credentialID: credentialID, began: now, seen: now, checked: now)
        return token
    }

    /// Returns the session with that token, and extends it.
    public mutating func find(_ token: [UInt8], now: UInt64) -> PageSession? {
        let name = Self.name(of: token)
        guard var session = sessions[name] else { return nil }
        guard Self.isAlive(session, now) else {
            sessions[name] = nil
            return nil
        }
        session.seen = max(session.seen, now)
        sessions[name] = session
        return session
    }

    /// Returns whether the session with that token may make a request, or nil if no session has it.
    public mutating func take(_ token: [UInt8], now: Double) -> Bool? {
        let name = Self.name(of: token)
        guard let session = sessions[name], Self.isAlive(session, UInt64(now)) else { return nil }
        return sessions[name]?.requests.take(now: now)
    }

    /// Returns whether the session is still valid, without extending it.
    public func isAlive(_ token: [UInt8], now: UInt64) -> Bool {
        sessions[Self.name(of: token)].map { Self.isAlive($0, now) } ?? false
    }

    /// Returns whether to check the passkey with boxsited. It returns true once in each interval.
    public mutating func isDueForCheck(_ token: [UInt8], now: UInt64) -> Bool {
        let name = Self.name(of: token)
        guard let session = sessions[name], now >= session.checked + PageLimits.sessionCheckSeconds else {
            return false
        }
        sessions[name]?.checked = now
        return true
    }

    public mutating func end(_ token: [UInt8]) {
        sessions[Self.name(of: token)] = nil
    }

    /// Ends all sessions of an administrator whom boxsited no longer knows.
    public mutating func endAll(of administrator: String) {
        sessions = sessions.filter { $0.value.administrator != administrator }
    }

    private static func isAlive(_ session: PageSession, _ now: UInt64) -> Bool {
        now < session.seen + PageLimits.sessionIdleSeconds && now < session.began + PageLimits.sessionSeconds
    }

    private static func name(of token: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: token)) }
}
