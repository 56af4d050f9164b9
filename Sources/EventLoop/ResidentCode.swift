import CLinux

/// The pages of code and constants, its own and its libraries', that a process keeps mapped.
public enum ResidentCode {
    /// Gives back the code that only the start needed: a daemon that waits for months then takes the memory of its
    /// loop, not of its own beginning (linkers, migrations, key generation). What is needed again comes back from the
    /// page cache, 64 KiB at a time.
    public static func release() {
        _ = clinux_release_code()
    }
}
