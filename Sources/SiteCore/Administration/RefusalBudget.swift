/// Limits how many refusals of one asker are recorded, so that repeated forbidden requests cannot fill a table. An
/// asker is an administrator or a box.
public struct RefusalBudget: Sendable {
    static let burst = 40
    static let interval: Duration = .seconds(60)
    /// The most askers that are counted at a time.
    static let askers = 256

    private struct Count: Sendable {
        var left = RefusalBudget.burst
        var since: Duration
    }

    private var counts: [String: Count] = [:]

    public init() {}

    /// Counts a refusal of a request from that asker. Returns whether to record it.
    public mutating func take(_ asker: String, now: Duration) -> Bool {
        if counts[asker] == nil, counts.count >= Self.askers {
            counts = counts.filter { now - $0.value.since < Self.interval * Self.burst }
            guard counts.count < Self.askers else { return false }
        }
        var count = counts[asker] ?? Count(since: now)
        let earned = Int((now - count.since) / Self.interval)
        if earned > 0 {
            count.left = min(Self.burst, count.left + earned)
            count.since += Self.interval * earned
        }
        defer { counts[asker] = count }
        guard count.left > 0 else { return false }
        count.left -= 1
        return true
    }
}
