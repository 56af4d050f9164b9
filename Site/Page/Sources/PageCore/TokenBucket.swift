/// A rate limit: a burst, and then a number of events each second.
public struct TokenBucket: Equatable, Sendable {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var last: Double?

    public init(burst: Double, perSecond: Double) {
        (self.burst, self.perSecond, left) = (burst, perSecond, burst)
    }

    /// Returns whether an event is allowed at `now`, in seconds of a clock that never goes back.
    public mutating func take(now: Double) -> Bool {
        left = min(burst, left + perSecond * max(0, now - (last ?? now)))
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
