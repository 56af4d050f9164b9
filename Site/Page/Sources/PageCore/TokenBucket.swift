/// How often something may happen: a burst, and so many each second after it.
public struct TokenBucket: Sendable {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var last: Double?

    public init(burst: Double, perSecond: Double) {
        (self.burst, self.perSecond, left) = (burst, perSecond, burst)
    }

    /// Whether it may happen at `now`, seconds of a clock that never goes back.
    public mutating func take(now: Double) -> Bool {
        left = min(burst, left + perSecond * max(0, now - (last ?? now)))
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }

    /// What was taken does not count.
    public mutating func giveBack() { left = min(burst, left + 1) }
}
