/// A random generator (SplitMix64) that spreads the actions of thousands of boxes over time. The shell seeds it. Not
/// for secrets.
struct SiteJitter: Sendable, RandomNumberGenerator {
    private var state: UInt64

    init(_ random: UInt64) {
        state = random
    }

    mutating func add(_ random: UInt64) { state ^= random }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a time within `range`, in whole milliseconds.
    mutating func time(in range: ClosedRange<Duration>) -> Duration {
        let milliseconds = (range.upperBound - range.lowerBound) / .milliseconds(1)
        return range.lowerBound + .milliseconds(Int64.random(in: 0...Int64(max(0, milliseconds)), using: &self))
    }
}
