import Transport

/// What pings of a box came to.
public struct PingReport: Sendable, Equatable {
    public let bearer: Bearer
    /// The L2CAP channel's PSM, 0 on GATT.
    public let psm: UInt16
    /// The most bytes of one segment.
    public let segmentBytes: Int
    /// Bytes of one ping, each way.
    public let size: Int
    /// In the order of the pings. Each is from the first byte sent to the last byte back.
    public let roundTrips: [Duration]
    /// All of them, one after the other.
    public let elapsed: Duration

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

/// Bounds of a ping.
public enum PingLimits {
    /// Bytes of one ping.
    public static let size = 0...1_048_576
    /// Pings of one command.
    public static let count = 1...1_000
}
