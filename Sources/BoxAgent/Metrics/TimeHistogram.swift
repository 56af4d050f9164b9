/// How often something took how long, in buckets that never change.
struct TimeHistogram: Equatable, Sendable {
    /// Upper bounds in seconds: a quick tap, one that waited for its program, one that waited for a slow directory.
    static let bounds = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0]

    /// Not cumulative; the last is what is above all bounds.
    private var buckets = [UInt64](repeating: 0, count: bounds.count + 1)
    private var sum = Duration.zero

    var count: UInt64 { buckets.reduce(0, +) }

    var sumSeconds: Double { Self.seconds(sum) }

    /// Each bound, as OpenMetrics writes numbers, with how many were at it or below.
    var cumulative: [(bound: String, count: UInt64)] {
        var total: UInt64 = 0
        return zip(Self.bounds.map { "\($0)" } + ["+Inf"], buckets).map { bound, count in
            total += count
            return (bound, total)
        }
    }

    /// Clocks that run backwards give nothing less than zero.
    mutating func add(_ time: Duration) {
        let time = max(time, .zero)
        let seconds = Self.seconds(time)
        buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += time
    }

    private static func seconds(_ time: Duration) -> Double {
        Double(time.components.seconds) + Double(time.components.attoseconds / 1_000_000_000_000) / 1_000_000
    }
}
