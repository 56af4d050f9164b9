import TextOutput

/// The agent's log: one line a message to standard error, for the journal or a terminal.
///
/// Nothing secret is ever given to it. Names that came from outside pass `Printable`, so that no control
/// character reaches a terminal or forges a line.
public struct AgentLog: Sendable {
    /// syslog(3) priorities, which the journal reads from a prefix `<N>` (sd-daemon(3)).
    public enum Priority: Int, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
    }

    private let forJournal: Bool
    private let descriptor: Int32

    /// `forJournal` puts the priority in front of each line.
    public init(forJournal: Bool, descriptor: Int32 = 2) {
        self.forJournal = forJournal
        self.descriptor = descriptor
    }

    public func error(_ text: String) { write(.error, text) }
    public func warning(_ text: String) { write(.warning, text) }
    public func notice(_ text: String) { write(.notice, text) }
    public func info(_ text: String) { write(.info, text) }

    private func write(_ priority: Priority, _ text: String) {
        let prefix = forJournal ? "<\(priority.rawValue)>" : "boxagentd: "
        Console.write(descriptor, "\(prefix)\(text)\n")
    }
}

/// Bytes from outside, made fit for a log or a terminal, cut after `limit` bytes.
public enum Printable {
    public static let limit = 128

    public static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(limit), as: UTF8.self).escaped + (bytes.count > limit ? "…" : "")
    }
}
