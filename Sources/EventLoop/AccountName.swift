import Glibc

/// The name of an account. It may be asked of a directory over the network and block: never on the event loop, but by `offload`.
public enum AccountName {
    /// A record longer than this, in bytes, is not one of a person.
    private static let recordBytes = 65_536

    /// getpwuid_r(3); nil: the uid has no account, or nobody knows now.
    public static func find(uid: UInt32) -> [UInt8]? {
        var record = passwd()
        // SAFETY: compared with nil only; the record itself is `record`.
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: recordBytes)
        guard getpwuid_r(uid, &record, &buffer, buffer.count, &result) == 0, result != nil, let name = record.pw_name
        else { return nil }
        // SAFETY: on success pw_name points to a NUL-terminated string inside `buffer`, which is still alive.
        return Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }
}
