import Glibc

/// Whether the machine below the agent has room for what it writes, and knows the time. What decides is pure.
enum MachineCheck {
    /// SQLite needs room for a page and its log (sqlite.org/wal.html); so little is used up by the next few logins.
    static let leastFreeBytes: UInt64 = 256 * 1_024
    /// 2026-01-01T00:00:00Z: this program is younger. A machine whose clock has lost its battery begins with 1970, or
    /// with the time at which its system was built.
    static let oldestUnixSeconds: Int64 = 1_767_225_600

    static func problem(freeBytes: UInt64) -> String? {
        freeBytes < leastFreeBytes ? "is full: \(freeBytes / 1_024) KiB free" : nil
    }

    static func problem(unixSeconds: Int64) -> String? {
        guard unixSeconds < oldestUnixSeconds else { return nil }
        // Julian years: it is the year that somebody sees at a glance, on its last or first day perhaps the next one.
        let year = 1970 + unixSeconds / 31_557_600
        return "the clock shows the year \(year), and the audit log records it"
    }

    /// What everybody but root may use of the file system; nil where it cannot be asked.
    static func freeBytes(in directory: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    static func unixSeconds() -> Int64 { Int64(Glibc.time(nil)) }
}
