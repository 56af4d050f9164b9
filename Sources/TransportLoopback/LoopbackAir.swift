import EventLoop

/// The directory that stands for the air: each box that is switched on has a socket in it.
enum LoopbackAir {
    /// Boxes that one scan looks at.
    static let boxLimit = 256
    static let suffix = ".box"

    /// A name that no other box has.
    static func newSocketPath(in directory: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let number: UInt64 = generator.next()
        return "\(directory)/\(String(number, radix: 16))\(suffix)"
    }

    /// Sockets of boxes; some may be left of boxes that were switched off.
    static func sockets(in directory: String) -> [String] {
        Directories.names(in: directory, limit: boxLimit).filter { $0.hasSuffix(suffix) && isPlain($0) }.sorted()
    }

    /// The address of an advertisement is a name in the directory, and never leads out of it.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.contains("/") && !name.hasPrefix(".") && name.utf8.count <= 64
    }
}
