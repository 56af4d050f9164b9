import Glibc

/// The user who logged in to a process's session. pam_loginuid sets it once, and it survives a change of user (proc(5),
/// /proc/PID/loginuid). It is for display only: no permission depends on it.
enum LoginUID {
    /// Value for "never set": a service, or a kernel without the feature.
    private static let unset = UInt32.max

    /// Returns nil if no user logged in or the file cannot be read.
    static func read(process: Int32) -> UInt32? {
        let file = open("/proc/\(process)/loginuid", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return parse(Array(bytes[..<count]))
    }

    static func parse(_ text: [UInt8]) -> UInt32? {
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let uid = UInt32(String(decoding: digits, as: UTF8.self)), uid != unset
        else { return nil }
        return uid
    }
}
