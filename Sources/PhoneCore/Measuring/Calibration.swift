/// Derives thresholds for one phone and one box from measurements at two places.
///
/// Pure: `boxphone calibrate` and the simulation share it.
public struct Calibration: Equatable, Sendable {
    public let nearDBm: Int
    public let farDBm: Int
    /// True if the signal at the far place is not below the far threshold, so that the box will not lock.
    public let farIsTooNear: Bool

    public enum Problem: Error, Equatable, Sendable {
        case tooFewSamples(needed: Int, got: Int)
        /// The two places cannot be distinguished. The medians are in dBm.
        case tooAlike(near: Int, far: Int)
    }

    public static let minimumSamples = 20
    /// The least difference between the medians of near and far, in dB. Less is noise.
    public static let minimumDifferenceDB = 15

    /// Bounds that every box accepts, and the least gap between the thresholds (docs/reference/protocol.md).
    private static let nearBounds = -90 ... -30
    private static let farBounds = -95 ... -40
    private static let gapDB = 10
    /// The margin below the weakest tenth of the near samples: for a hand, a pocket, a person who leans over.
    private static let seatMarginDB = 20

    public init(near: [Int], far: [Int]) throws(Problem) {
        let fewer = min(near.count, far.count)
        guard fewer >= Self.minimumSamples else { throw .tooFewSamples(needed: Self.minimumSamples, got: fewer) }
        let (nearMedian, farMedian) = (Self.percentile(50, of: near), Self.percentile(50, of: far))
        guard nearMedian - farMedian >= Self.minimumDifferenceDB else {
            throw .tooAlike(near: nearMedian, far: farMedian)
        }
        // Half of the near samples are weaker than their median, and the average must reach the threshold.
        let nearDBm = Self.clamp(nearMedian - 4, Self.nearBounds)
        let lowest = min(Self.percentile(10, of: near) - Self.seatMarginDB, nearDBm - Self.gapDB)
        farDBm = Self.clamp(min(farMedian + 3, lowest), Self.farBounds)
        self.nearDBm = max(nearDBm, farDBm + Self.gapDB)
        farIsTooNear = farMedian >= farDBm
    }

    private static func percentile(_ percent: Int, of values: [Int]) -> Int {
        let sorted = values.sorted()
        return sorted[(sorted.count - 1) * percent / 100]
    }

    private static func clamp(_ value: Int, _ bounds: ClosedRange<Int>) -> Int {
        min(max(value, bounds.lowerBound), bounds.upperBound)
    }
}
