/// What pings of a box came to.
public struct PingReport: Sendable, Equatable {
    public let carrier: Carrier
    /// Bytes of one ping, each way.
    public let size: Int
    /// In the order of the pings. Each is from the first byte sent to the last byte back.
    public let roundTrips: [Duration]

    /// All of them, one after the other.
    public var elapsed: Duration { roundTrips.reduce(.zero, +) }
    public var minimum: Duration { roundTrips.min() ?? .zero }
    public var maximum: Duration { roundTrips.max() ?? .zero }

    /// Of an even number the mean of the two in the middle.
    public var median: Duration {
        guard !roundTrips.isEmpty else { return .zero }
        let sorted = roundTrips.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Bytes that went there, and came back, in a second.
    public var bytesPerSecond: Int {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Int(Double(size * roundTrips.count) / seconds) : 0
    }
}
