import AgentCore
import Glibc

/// getpwnam_r(3). It may ask a directory over the network and block: never on the event loop.
enum SystemAccounts {
    /// A record longer than this, in bytes, is not one of a person.
    private static let recordBytes = 65_536

    /// Returns what the accounts say of a name, with the name that the account itself has.
    static func look(_ name: [UInt8]) -> AccountLookup {
        var record = passwd()
        // SAFETY: compared with nil only; the record itself is `record`.
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: recordBytes)
        let terminated = name.map { CChar(bitPattern: $0) } + [0]
        let code = getpwnam_r(terminated, &record, &buffer, buffer.count, &result)
        if result != nil, let own = record.pw_name {
            // SAFETY: on success pw_name points to a NUL-terminated string inside `buffer`, which is still alive.
            let bytes = Array(UnsafeRawBufferPointer(start: own, count: strlen(own)))
            return .found(uid: record.pw_uid, name: bytes)
        }
        // getpwnam_r(3): "not found" comes as 0 or as one of these, depending on the system.
        return [0, ENOENT, ESRCH, EBADF, EPERM].contains(code) ? .unknown : .failed
    }
}
