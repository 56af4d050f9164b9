import Glibc

/// Checks that the machine has disk space and knows the time. The decisions are pure.
enum MachineCheck {
    /// SQLite needs space for a page and its log (sqlite.org/wal.html). The next few logins fit into this space.
    static let leastFreeBytes: UInt64 = 256 * 1_024
    /// 2026-01-01T00:00:00Z, before this program existed. Without battery, clocks start in 1970 or at the system's
    /// build.
    static let oldestUnixSeconds: Int64 = 1_767_225_600

    static func problem(freeBytes: UInt64) -> String? {
        freeBytes < leastFreeBytes ? "is full: \(freeBytes / 1_024) KiB free" : nil
    }

    static func problem(unixSeconds: Int64) -> String? {
        guard unixSeconds < oldestUnixSeconds else { return nil }
        // In Julian years: enough for a glance, but near New Year it may be one year off.
        let year = 1970 + unixSeconds / 31_557_600
        return "the clock shows the year \(year), and the audit log records it"
    }

    /// Returns the space that users other than root may use; nil if it cannot be read.
    static func freeBytes(in directory: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    static func unixSeconds() -> Int64 { Int64(Glibc.time(nil)) }
}
