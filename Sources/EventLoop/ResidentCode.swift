import CLinux

/// The mapped pages of code and constants, of the program and its libraries.
public enum ResidentCode {
    /// Releases the code that only the start needed: dynamic linking, migrations, key generation. A daemon that waits
    /// for months then uses only its loop's memory. Pages that are needed again come from the page cache, 64 KiB at a
    /// time.
    public static func release() {
        _ = clinux_release_code()
    }
}
