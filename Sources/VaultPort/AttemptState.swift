/// A moment of one boot of this machine.
public struct BootMoment: Equatable, Sendable {
    /// Tells one boot from another; at most 36 bytes.
    public let boot: [UInt8]
    /// Nanoseconds of CLOCK_BOOTTIME.
    public let nanoseconds: Int64

    public init(boot: [UInt8], nanoseconds: Int64) {
        self.boot = boot
        self.nanoseconds = nanoseconds
    }
}

/// What is kept of a PIN's tries beside the secret that the PIN protects.
///
/// It holds counts, never what is left: that follows from the limit, which may change between two tries.
public struct AttemptState: Equatable, Sendable {
    /// Tries spent since the last right PIN, 0 to 10.
    public let used: Int
    /// The last try is spent. The secret goes unless this very try is right.
    public let isLast: Bool
    /// Before this moment no PIN is looked at; nil where nobody waits.
    public let lockedUntil: BootMoment?

    /// No try is spent.
    public static let fresh = AttemptState(checkedUsed: 0, isLast: false, lockedUntil: nil)

    /// Nil when `used` is not 0 to 10: no policy spends more.
    public init?(used: Int, isLast: Bool, lockedUntil: BootMoment?) {
        let most = AttemptPolicy.limits.upperBound
        guard (0...most).contains(used) else { return nil }
        // Under every limit there is none behind it.
        self.init(checkedUsed: used, isLast: isLast || used == most, lockedUntil: lockedUntil)
    }

    init(checkedUsed: Int, isLast: Bool, lockedUntil: BootMoment?) {
        used = checkedUsed
        self.isLast = isLast
        self.lockedUntil = lockedUntil
    }
}
