import CLinux

/// What a program that holds secrets does first.
public enum ProcessHardening {
    /// No core dumps, no ptrace by the same user, no reading of /proc/self/mem (PR_SET_DUMPABLE), and files only their
    /// owner can read (umask 077).
    public static func apply() throws(SystemError) {
        _ = try checked(clinux_harden(), "forbid core dumps of this process")
    }

    /// Whether another process of the same user could read this one's memory.
    public static var isDumpable: Bool { clinux_is_dumpable() != 0 }

    /// Raises the limit of locked memory as far as it goes, and says how many bytes that is.
    public static func raiseLockableMemory() throws(SystemError) -> UInt64 {
        var bytes: UInt64 = 0
        _ = try checked(clinux_lockable_memory(&bytes), "raise the limit of locked memory")
        return bytes
    }
}
