import CLinux

/// The socket on which the journal takes entries with fields (systemd, "Native Journal Protocol").
public struct JournalSocket: Sendable {
    public static let systemPath = "/run/systemd/journal/socket"

    private let path: [UInt8]

    public init(path: String = systemPath) {
        self.path = Array(path.utf8)
    }

    /// Whether the journal has taken the entry. Never waits: a journal that does not read loses it.
    public func send(_ entry: [UInt8]) -> Bool {
        clinux_send_datagram(path, path.count, entry, entry.count, 0) == 0
    }
}
