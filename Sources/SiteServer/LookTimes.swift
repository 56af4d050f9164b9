import OpenMetrics

/// Measures how long the database takes to report changes, and counts failures.
struct LookTimes: Sendable {
    /// The bounds, in seconds, reach from a database on this machine to a look that is about to be given up.
    private(set) var times = TimeHistogram(bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0])
    /// Looks that failed.
    private(set) var failures: UInt64 = 0

    mutating func answered(after time: Duration) { times.add(time) }

    mutating func failed() { failures += 1 }
}
