import AgentCore
import Glibc

/// Looks up accounts by getpwnam_r(3). It may block on a network directory, so it must not run on the event loop.
enum SystemAccounts {
    /// Largest record that is accepted, in bytes; no person's record is longer.
    private static let recordBytes = 65_536

    /// Looks up a name, and returns the account with the name as the user database spells it.
    static func look(_ name: [UInt8]) -> AccountLookup {
        var record = passwd()
        // SAFETY: this pointer is only compared with nil; the data is in `record`.
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: recordBytes)
        let terminated = name.map { CChar(bitPattern: $0) } + [0]
        let code = getpwnam_r(terminated, &record, &buffer, buffer.count, &result)
        if result != nil, let own = record.pw_name {
            // SAFETY: on success pw_name points to a NUL-terminated string inside `buffer`, which is still alive.
            let bytes = Array(UnsafeRawBufferPointer(start: own, count: strlen(own)))
            return .found(uid: record.pw_uid, name: bytes)
        }
        // getpwnam_r(3): depending on the system, "not found" is 0 or one of these.
        return [0, ENOENT, ESRCH, EBADF, EPERM].contains(code) ? .unknown : .failed
    }
}
