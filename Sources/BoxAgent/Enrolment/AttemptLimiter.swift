/// How often something may be tried: `rate` tries a second, as many at once, and a bounded queue after that.
///
/// It bounds what wrong enrolment codes cost (the generic cell rate algorithm, ITU-T I.371 annex A). A try that must
/// wait is given its time, so that a flood of wrong codes delays the right one and does not shut it out; one that
/// proves right is given back.
struct AttemptLimiter: Sendable {
    /// A try that would wait longer than this is refused; the handshake has five seconds.
    static let longestWait: Duration = .seconds(3)

    private let interval: Duration
    private let tolerance: Duration
    /// When the next try would be due if all came evenly.
    private var theoretical: Duration

    /// `rate` in tries a second, at least 1.
    init(rate: Int, now: Duration) {
        interval = .seconds(1) / max(1, rate)
        tolerance = interval * (max(1, rate) - 1)
        theoretical = now
    }

    /// When the try may be made, `now` or later; nil when too many wait already.
    mutating func reserve(now: Duration) -> Duration? {
        let base = max(theoretical, now)
        let at = max(now, base - tolerance)
        guard at - now <= Self.longestWait else { return nil }
        theoretical = base + interval
        return at
    }

    /// The try that was made proved right: it costs nothing.
    mutating func refund() {
        theoretical -= interval
    }
}
