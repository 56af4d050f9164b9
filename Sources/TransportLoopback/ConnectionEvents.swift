/// Schedules packets: a few at each multiple of the connection interval.
struct ConnectionEvents: Sendable {
    /// The most packets of one direction in one connection event. Phones manage four to six.
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

    /// Returns the time of the event for the next packet, or nil for at once.
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

    /// Returns the time of the event for the last of several packets, or nil for at once.
    mutating func next(_ now: Duration, packets: Int) -> Duration? {
        var event: Duration?
        for _ in 0..<packets { event = next(now) }
        return event
    }
}
