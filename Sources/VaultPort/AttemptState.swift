/// A moment in one boot of this machine.
public struct BootMoment: Equatable, Sendable {
    /// Identifies the boot; at most 36 bytes.
    public let boot: [UInt8]
    /// Nanoseconds of CLOCK_BOOTTIME.
    public let nanoseconds: Int64

    public init(boot: [UInt8], nanoseconds: Int64) {
        self.boot = boot
        self.nanoseconds = nanoseconds
    }
}

/// The state of a PIN's tries, stored beside the secret that the PIN protects.
///
/// It holds counts only. The number of tries left follows from the limit, which may change between two tries.
public struct AttemptState: Equatable, Sendable {
    /// Tries spent since the last right PIN, 0 to 10.
    public let used: Int
    /// The last try is spent. Unless this try is right, the secret is destroyed.
    public let isLast: Bool
    /// No PIN is checked before this moment; nil if there is no wait.
    public let lockedUntil: BootMoment?

    /// The state without any spent try.
    public static let fresh = AttemptState(checkedUsed: 0, isLast: false, lockedUntil: nil)

    /// Returns nil if `used` is not 0 to 10, since no policy spends more.
    public init?(used: Int, isLast: Bool, lockedUntil: BootMoment?) {
        let most = AttemptPolicy.limits.upperBound
        guard (0...most).contains(used) else { return nil }
        // Under every limit, this try is the last one.
        self.init(checkedUsed: used, isLast: isLast || used == most, lockedUntil: lockedUntil)
    }

    init(checkedUsed: Int, isLast: Bool, lockedUntil: BootMoment?) {
        used = checkedUsed
        self.isLast = isLast
        self.lockedUntil = lockedUntil
    }
}
