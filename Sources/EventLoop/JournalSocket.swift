import CLinux

/// The socket on which the journal receives entries with fields (systemd, "Native Journal Protocol").
public struct JournalSocket: Sendable {
    public static let systemPath = "/run/systemd/journal/socket"

    private let path: [UInt8]

    public init(path: String = systemPath) {
        self.path = Array(path.utf8)
    }

    /// Sends the entry and returns whether the journal received it. Never waits: without a reader, the entry is lost.
    public func send(_ entry: [UInt8]) -> Bool {
        clinux_send_datagram(path, path.count, entry, entry.count, 0) == 0
    }
}
