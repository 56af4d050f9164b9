import CLinux

/// Settings that a program with secrets makes first.
public enum ProcessHardening {
    /// Forbids core dumps, ptrace by the same user and reading of /proc/self/mem (PR_SET_DUMPABLE). Makes new files
    /// readable by their owner only (umask 077).
    public static func apply() throws(SystemError) {
        _ = try checked(clinux_harden(), "forbid core dumps of this process")
    }

    /// True if another process of the same user can read this process's memory.
    public static var isDumpable: Bool { clinux_is_dumpable() != 0 }

    /// Raises the limit of locked memory to its maximum, and returns that number of bytes.
    public static func raiseLockableMemory() throws(SystemError) -> UInt64 {
        var bytes: UInt64 = 0
        _ = try checked(clinux_lockable_memory(&bytes), "raise the limit of locked memory")
        return bytes
    }
}
