/// When packets may go: at multiples of the connection interval, a few at each.
struct ConnectionEvents: Sendable {
    /// Packets of one direction in one connection event; phones manage four to six.
    static let packetsPerEvent = 6

    private let interval: Duration
    private let start: Duration
    private var current: Duration
    private var used = 0

    init(intervalMilliseconds: Int, start: Duration) {
        interval = .milliseconds(max(0, intervalMilliseconds))
        self.start = start
        current = start
    }

    /// The time of the event that takes the next packet; nil: at once.
    mutating func next(_ now: Duration) -> Duration? {
        guard interval > .zero else { return nil }
        let passed = ((now - start) / interval).rounded(.down)
        let due = start + interval * (passed + 1)
        if due > current {
            current = due
            used = 0
        } else if used == Self.packetsPerEvent {
            current += interval
            used = 0
        }
        used += 1
        return current
    }

    /// The time of the event that takes the last of several packets; nil: at once.
    mutating func next(_ now: Duration, packets: Int) -> Duration? {
        var event: Duration?
        for _ in 0..<packets { event = next(now) }
        return event
    }
}
