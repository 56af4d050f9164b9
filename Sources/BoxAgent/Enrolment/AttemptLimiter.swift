/// How often something may be tried: a token bucket with `rate` tokens a second and as many at once.
///
/// It bounds what wrong enrolment codes cost. A refused try loses nothing but time: the secret has 256 bits, so
/// the limit is about this machine's processor, and a phone that was crowded out tries again.
struct AttemptLimiter: Sendable {
    let rate: Int
    private var tokens: Double
    private var filled: Duration

    /// `rate` in tries a second, at least 1.
    init(rate: Int, now: Duration) {
        self.rate = max(1, rate)
        tokens = Double(self.rate)
        filled = now
    }

    /// Whether a try may be made now; it is paid for by `spend` only when it turned out wrong.
    mutating func allows(now: Duration) -> Bool {
        refill(now)
        return tokens >= 1
    }

    mutating func spend(now: Duration) {
        refill(now)
        tokens = max(0, tokens - 1)
    }

    private mutating func refill(_ now: Duration) {
        guard now > filled else { return }
        let seconds = (now - filled) / .seconds(1)
        tokens = min(Double(rate), tokens + seconds * Double(rate))
        filled = now
    }
}
