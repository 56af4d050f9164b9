/// The result of pinging a box.
public struct PingReport: Sendable, Equatable {
    public let carrier: Carrier
    /// The bytes of one ping, each way.
    public let size: Int
    /// The round trips in order, each from the first byte sent to the last byte received.
    public let roundTrips: [Duration]

    /// The sum of all round trips.
    public var elapsed: Duration { roundTrips.reduce(.zero, +) }
    public var minimum: Duration { roundTrips.min() ?? .zero }
    public var maximum: Duration { roundTrips.max() ?? .zero }

    /// The median. For an even count, the mean of the two middle values.
    public var median: Duration {
        guard !roundTrips.isEmpty else { return .zero }
        let sorted = roundTrips.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The bytes in each direction per second.
    public var bytesPerSecond: Int {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Int(Double(size * roundTrips.count) / seconds) : 0
    }
}
