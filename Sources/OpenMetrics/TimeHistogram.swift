/// A histogram of durations, with fixed buckets.
public struct TimeHistogram: Equatable, Sendable {
    /// Upper bounds in seconds.
    private let bounds: [Double]
    /// Not cumulative. The last bucket counts values above all bounds.
    private var buckets: [UInt64]
    private var sum = Duration.zero

    /// - Parameter bounds: Upper bounds in seconds, ascending.
    public init(bounds: [Double]) {
        self.bounds = bounds
        buckets = [UInt64](repeating: 0, count: bounds.count + 1)
    }

    var count: UInt64 { buckets.reduce(0, +) }

    var sumSeconds: Double { Self.seconds(sum) }

    /// Each bound, as OpenMetrics writes numbers, with the number of values at or below it.
    var cumulative: [(bound: String, count: UInt64)] {
        var total: UInt64 = 0
        return zip(bounds.map { "\($0)" } + ["+Inf"], buckets).map { bound, count in
            total += count
            return (bound, total)
        }
    }

    /// Counts a duration. A negative one, from a clock that went backwards, counts as zero.
    public mutating func add(_ time: Duration) {
        let time = max(time, .zero)
        let seconds = Self.seconds(time)
        buckets[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
        sum += time
    }

    private static func seconds(_ time: Duration) -> Double {
        Double(time.components.seconds) + Double(time.components.attoseconds / 1_000_000_000_000) / 1_000_000
    }
}
