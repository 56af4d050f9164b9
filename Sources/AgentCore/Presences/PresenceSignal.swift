/// The signal strengths of one link: their exponential average, and the times of the last samples.
///
/// The numbers are integers in thousandths of a dB, so the same samples give the same decisions on every machine.
package struct PresenceSignal: Equatable, Sendable {
    /// The samples needed before the average counts (docs/decisions/018-sessions.md).
    package static let minimumSamples = 5
    /// The weight of a new sample, in tenths: 0.3.
    package static let weightTenths = 3
    /// Samples that come sooner after the last one are ignored. A link that stalls delivers several reports of one
    /// measurement at once.
    package static let spacing: Duration = .milliseconds(500)
    /// For "near", the last `minimumSamples` must be at most this old.
    package static let freshness: Duration = .seconds(10)
    /// The range of Bluetooth's HCI (Core Specification, vol. 4 part E, 7.5.4).
    package static let bounds = -127...20

    package private(set) var averageMilliDBm = 0
    /// The number of samples since the link came up.
    package private(set) var count = 0
    /// The times of the last `minimumSamples`, oldest first.
    private var times: [Duration] = []

    package var last: Duration? { times.last }

    package mutating func take(_ dBm: Int, at now: Duration) {
        if let last, now - last < Self.spacing { return }
        let sample = min(max(dBm, Self.bounds.lowerBound), Self.bounds.upperBound) * 1_000
        averageMilliDBm = count == 0 ? sample : averageMilliDBm + (sample - averageMilliDBm) * Self.weightTenths / 10
        count = min(count + 1, Int.max - 1)
        if times.count == Self.minimumSamples { times.removeFirst() }
        times.append(now)
    }

    /// The average, or nil before there are enough samples.
    package var smoothedMilliDBm: Int? { count >= Self.minimumSamples ? averageMilliDBm : nil }

    package func isFresh(at now: Duration) -> Bool {
        guard count >= Self.minimumSamples, let oldest = times.first else { return false }
        return now - oldest <= Self.freshness
    }
}
