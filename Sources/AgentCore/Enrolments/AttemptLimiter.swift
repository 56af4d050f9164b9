/// How often a connection may try the secret of an enrolment code: `rate` tries a second, as many at once, and a bounded
/// wait after that (the generic cell rate algorithm, ITU-T I.371 annex A).
///
/// Each connection has an allowance of its own, and one that proves right costs nothing: whoever floods the box with wrong
/// secrets delays himself, and no other phone's first try waits for anything. A try costs what every handshake costs, so
/// it needs no bound over all connections; how many of these there are is the radio's bound.
package struct AttemptLimiter: Sendable {
    /// A try that would wait longer than this is refused; the handshake has five seconds.
    package static let longestWait: Duration = .seconds(3)
    /// Connections that are remembered; the one that was quiet for longest is forgotten.
    package static let connectionsLimit = 256

    private let interval: Duration
    private let tolerance: Duration
    /// When each connection's next try would be due if all its tries came evenly.
    private var theoretical: [String: Duration] = [:]

    /// `rate` in tries a second, at least 1.
    package init(rate: Int) {
        interval = .seconds(1) / max(1, rate)
        tolerance = interval * (max(1, rate) - 1)
    }

    /// When the try may be made, `now` or later; nil when too many of this connection's wait already.
    package mutating func reserve(_ connection: String, now: Duration) -> Duration? {
        let base = max(theoretical[connection] ?? now, now)
        let at = max(now, base - tolerance)
        guard at - now <= Self.longestWait else { return nil }
        if theoretical[connection] == nil { makeRoom(now: now) }
        theoretical[connection] = base + interval
        return at
    }

    /// The try that was made proved right: it costs nothing.
    package mutating func refund(_ connection: String) {
        if let due = theoretical[connection] { theoretical[connection] = due - interval }
    }

    private mutating func makeRoom(now: Duration) {
        guard theoretical.count >= Self.connectionsLimit else { return }
        // What is due already says no more than that nothing is remembered.
        theoretical = theoretical.filter { $0.value > now }
        guard theoretical.count >= Self.connectionsLimit,
            let quietest = theoretical.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })
        else { return }
        theoretical[quietest.key] = nil
    }
}
