/// A reading of the boot clock: seconds since this boot, those of sleep included (CLOCK_BOOTTIME of clock_gettime(2)), and
/// which boot it is (/proc/sys/kernel/random/boot_id, random(4)).
public struct BootClock: Sendable, Equatable {
    public static let bootIDBytes = 16

    /// 16 bytes.
    public let boot: [UInt8]
    public let seconds: UInt64

    /// Nil unless the boot's id has 16 bytes. More seconds than a time may have count as that many.
    public init?(boot: [UInt8], seconds: UInt64) {
        guard boot.count == Self.bootIDBytes else { return nil }
        self.boot = boot
        self.seconds = min(seconds, SiteSeconds.limit)
    }

    /// Seconds from `earlier` on; 0 where that was in another boot, or is later.
    func seconds(since earlier: BootClock) -> UInt64 {
        boot == earlier.boot && seconds > earlier.seconds ? seconds - earlier.seconds : 0
    }
}
