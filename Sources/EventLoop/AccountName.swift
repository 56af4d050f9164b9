import Glibc

/// Looks up the name of an account. It may block on a network directory, so use `offload`, not the event loop.
public enum AccountName {
    /// Largest record that is accepted, in bytes; no person's record is longer.
    private static let recordBytes = 65_536

    /// Returns the result of getpwuid_r(3), or nil if the uid has no account or the lookup failed.
    public static func find(uid: UInt32) -> [UInt8]? {
        var record = passwd()
        // SAFETY: this pointer is only compared with nil; the data is in `record`.
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: recordBytes)
        guard getpwuid_r(uid, &record, &buffer, buffer.count, &result) == 0, result != nil, let name = record.pw_name
        else { return nil }
        // SAFETY: on success pw_name points to a NUL-terminated string inside `buffer`, which is still alive.
        return Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }
}
