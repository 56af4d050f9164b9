import Glibc
import Secrets
import VaultPort

/// The clocks whose times the vault stores.
public protocol VaultClock: Sendable {
    var unixSeconds: Int64 { get }
    /// CLOCK_BOOTTIME: includes suspend, and is not affected by clock changes.
    var sinceBoot: Duration { get }
    /// Identifies the boot; on Linux a text of 36 bytes.
    var bootID: [UInt8] { get }
}

extension VaultClock {
    var moment: BootMoment { BootMoment(boot: bootID, nanoseconds: nanoseconds(sinceBoot)) }

    func nanoseconds(_ time: Duration) -> Int64 {
        let parts = time.components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}

/// Linux's own clocks.
public struct SystemVaultClock: VaultClock {
    public let bootID: [UInt8]

    public init() {
        bootID = Self.readBootID()
    }

    public var unixSeconds: Int64 { Self.read(CLOCK_REALTIME).components.seconds }
    public var sinceBoot: Duration { Self.read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Reads /proc/sys/kernel/random/boot_id (random(4)). Without it, every start counts as another boot.
    private static func readBootID() -> [UInt8] {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        let unknown = randomBytes(count: 16)
        guard descriptor >= 0 else { return unknown }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 36)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count == bytes.count ? bytes : unknown
    }
}
