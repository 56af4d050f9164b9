import EventLoop

/// The directory that replaces the air: each running box has a socket in it.
enum LoopbackAir {
    /// The most boxes that one scan finds.
    static let boxLimit = 256
    static let suffix = ".box"

    /// Returns the path of the box with this adapter. Without an adapter, returns a path that no other box has.
    static func socketPath(in directory: String, adapter: UInt64?) -> String {
        "\(directory)/\(String(adapter ?? .random(in: 0 ... .max), radix: 16))\(suffix)"
    }

    /// Returns the sockets of boxes. Some may be left from boxes that have stopped.
    static func sockets(in directory: String) -> [String] {
        Directories.names(in: directory, limit: boxLimit).filter { $0.hasSuffix(suffix) && isPlain($0) }.sorted()
    }

    /// Checks an advertisement's address. The address must be a name in the directory, and cannot lead out of the
    /// directory.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.contains("/") && !name.hasPrefix(".") && name.utf8.count <= 64
    }
}
