/// A reading of the boot clock: the seconds since this boot, sleep included (CLOCK_BOOTTIME of clock_gettime(2)), and
/// the id of the boot (/proc/sys/kernel/random/boot_id, random(4)).
public struct BootClock: Sendable, Equatable {
    public static let bootIDBytes = 16

    /// 16 bytes.
    public let boot: [UInt8]
    public let seconds: UInt64

    /// Returns nil unless the boot's id has 16 bytes. Caps the seconds at `SiteSeconds.limit`.
    public init?(boot: [UInt8], seconds: UInt64) {
        guard boot.count == Self.bootIDBytes else { return nil }
        self.boot = boot
        self.seconds = min(seconds, SiteSeconds.limit)
    }

    /// Returns the seconds since `earlier`, or 0 if `earlier` is from another boot or is later.
    func seconds(since earlier: BootClock) -> UInt64 {
        boot == earlier.boot && seconds > earlier.seconds ? seconds - earlier.seconds : 0
    }
}
