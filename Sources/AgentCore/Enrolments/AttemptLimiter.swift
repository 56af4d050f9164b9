/// A limit on how often a connection may try the secret of an enrolment code (the generic cell rate algorithm, ITU-T
/// I.371 annex A). It allows `rate` tries a second, a burst of the same size, and a bounded wait after that.
///
/// Each connection has its own allowance, and a correct try costs nothing. A flood of wrong secrets delays only its
/// sender, and never another phone's first try. A try costs as much as any handshake, so the limit does not span
/// connections. The radio limits the number of connections.
package struct AttemptLimiter: Sendable {
    /// A try that would wait longer than this is refused. The handshake has five seconds.
    package static let longestWait: Duration = .seconds(3)
    /// The most connections remembered. Beyond that, the connection that was quiet for longest is forgotten.
    package static let connectionsLimit = 256

    private let interval: Duration
    private let tolerance: Duration
    /// The time at which each connection's next try would be due if its tries were evenly spaced.
    private var theoretical: [String: Duration] = [:]

    /// - Parameter rate: Tries a second, at least 1.
    package init(rate: Int) {
        interval = .seconds(1) / max(1, rate)
        tolerance = interval * (max(1, rate) - 1)
    }

    /// Returns when the try may be made, `now` or later. Returns nil if too many tries of this connection wait.
    package mutating func reserve(_ connection: String, now: Duration) -> Duration? {
        let base = max(theoretical[connection] ?? now, now)
        let at = max(now, base - tolerance)
        guard at - now <= Self.longestWait else { return nil }
        if theoretical[connection] == nil { makeRoom(now: now) }
        theoretical[connection] = base + interval
        return at
    }

    /// Refunds a try that was correct.
    package mutating func refund(_ connection: String) {
        if let due = theoretical[connection] { theoretical[connection] = due - interval }
    }

    private mutating func makeRoom(now: Duration) {
        guard theoretical.count >= Self.connectionsLimit else { return }
        // An entry in the past means the same as no entry.
        theoretical = theoretical.filter { $0.value > now }
        guard theoretical.count >= Self.connectionsLimit,
            let quietest = theoretical.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })
        else { return }
        theoretical[quietest.key] = nil
    }
}
