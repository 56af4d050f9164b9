import CBoxLogin

/// Tells which virtual terminal is in the foreground, from /sys/class/tty/tty0/active. The kernel signals a change of
/// that file with POLLPRI (Documentation/ABI/testing/sysfs-tty).
struct ForegroundTerminal: ~Copyable {
    static let path = "/sys/class/tty/tty0/active"

    private let own: String
    /// Negative if there are no virtual terminals, or if our terminal is not virtual.
    let descriptor: Int32

    init(own: String) {
        self.own = own
        descriptor = Self.isVirtual(own) ? cboxlogin_open_to_read(Self.path) : -1
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Returns whether our terminal is in the foreground, or nil if it is not virtual. Clears the file's readiness.
    borrowing func isOurs() -> Bool? {
        guard descriptor >= 0 else { return Self.isVirtual(own) ? false : nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) == own
    }

    /// Matches tty1 to tty63, by form only.
    static func isVirtual(_ name: String) -> Bool {
        let digits = name.utf8.dropFirst(3)
        return name.hasPrefix("tty") && (1...2).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && name != "tty0"
    }
}
