import AgentCore
import Glibc

/// getpwnam_r(3) and getpwuid_r(3). They may ask a directory over the network and block: never on the event loop.
enum SystemAccounts {
    /// A record longer than this, in bytes, is not one of a person.
    private static let recordBytes = 65_536

    static func uid(of name: [UInt8]) -> AccountLookup {
        var record = passwd()
        // SAFETY: compared with nil only; the record itself is `record`.
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: recordBytes)
        let terminated = name.map { CChar(bitPattern: $0) } + [0]
        let code = getpwnam_r(terminated, &record, &buffer, buffer.count, &result)
        if result != nil { return .found(uid: record.pw_uid) }
        // getpwnam_r(3): "not found" comes as 0 or as one of these, depending on the system.
        return [0, ENOENT, ESRCH, EBADF, EPERM].contains(code) ? .unknown : .failed
    }

    static func name(of uid: UInt32) -> [UInt8]? {
        var record = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: recordBytes)
        guard getpwuid_r(uid, &record, &buffer, buffer.count, &result) == 0, result != nil, let name = record.pw_name
        else { return nil }
        // SAFETY: on success pw_name points to a NUL-terminated string inside `buffer`, which is still alive.
        return Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }
}
