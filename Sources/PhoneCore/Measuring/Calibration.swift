/// Thresholds for one phone and one box, from what the phone measured at two places.
///
/// Pure: `boxphone calibrate` and the simulation use the same one.
public struct Calibration: Equatable, Sendable {
    public let nearDBm: Int
    public let farDBm: Int
    /// The signal at the far place is not under the far threshold: there the box will not lock yet.
    public let farIsTooNear: Bool

    public enum Problem: Error, Equatable, Sendable {
        case tooFewSamples(needed: Int, got: Int)
        /// The two places cannot be told apart: medians in dBm.
        case tooAlike(near: Int, far: Int)
    }

    public static let minimumSamples = 20
    /// Near and far are measured at medians that differ by so much, in dB; less is noise.
    public static let minimumDifferenceDB = 15

    /// What a box takes, and how far apart the two have to be (docs/reference/protocol.md).
    private static let nearBounds = -90 ... -30
    private static let farBounds = -95 ... -40
    private static let gapDB = 10
    /// Under the weakest tenth at the near place: room for a hand, a pocket, somebody who leans over.
    private static let seatMarginDB = 20

    public init(near: [Int], far: [Int]) throws(Problem) {
        let fewer = min(near.count, far.count)
        guard fewer >= Self.minimumSamples else { throw .tooFewSamples(needed: Self.minimumSamples, got: fewer) }
        let (nearMedian, farMedian) = (Self.percentile(50, of: near), Self.percentile(50, of: far))
        guard nearMedian - farMedian >= Self.minimumDifferenceDB else {
            throw .tooAlike(near: nearMedian, far: farMedian)
        }
        // Half of what is measured at the near place is weaker than its median: the average has to reach it.
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
