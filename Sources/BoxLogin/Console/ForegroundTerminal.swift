import CBoxLogin

/// Which virtual terminal is shown, as the kernel says in /sys/class/tty/tty0/active. The file becomes ready with
/// POLLPRI when that changes (Documentation/ABI/testing/sysfs-tty).
struct ForegroundTerminal: ~Copyable {
    static let path = "/sys/class/tty/tty0/active"

    private let own: String
    /// Negative: there are no virtual terminals, or ours is none.
    let descriptor: Int32

    init(own: String) {
        self.own = own
        descriptor = Self.isVirtual(own) ? cboxlogin_open_to_read(Self.path) : -1
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether our terminal is shown; nil when it is no virtual terminal. Reading also makes the file unready.
    borrowing func isOurs() -> Bool? {
        guard descriptor >= 0 else { return Self.isVirtual(own) ? false : nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) == own
    }

    /// tty1 to tty63.
    static func isVirtual(_ name: String) -> Bool {
        let digits = name.utf8.dropFirst(3)
        return name.hasPrefix("tty") && (1...2).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && name != "tty0"
    }
}
