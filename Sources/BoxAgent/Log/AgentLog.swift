import AgentCore
import EventLoop
import TextOutput

/// The agent's log, for the journal or a terminal.
///
/// Nothing secret is ever given to it. Names that came from outside pass `LogText`, so that no control
/// character reaches a terminal or forges a line. The journal is never waited for: what neither its socket for fields nor
/// standard error takes at once is lost, and the next line that goes through says how much was.
public struct AgentLog: Sendable {
    private let forJournal: Bool
    private let descriptor: Int32
    private let journal: JournalSocket
    private let lost = LostLines()

    /// `forJournal`: standard error, or `descriptor`, is a stream of the journal's.
    public init(forJournal: Bool, descriptor: Int32 = 2, journal: JournalSocket = JournalSocket()) {
        self.forJournal = forJournal
        self.descriptor = descriptor
        self.journal = journal
    }

    public func error(_ text: String, _ event: LogEvent? = nil) { write(.error, text, event) }
    public func warning(_ text: String, _ event: LogEvent? = nil) { write(.warning, text, event) }
    public func notice(_ text: String, _ event: LogEvent? = nil) { write(.notice, text, event) }
    public func info(_ text: String, _ event: LogEvent? = nil) { write(.info, text, event) }

    private func write(_ priority: LogPriority, _ text: String, _ event: LogEvent?) {
        guard forJournal else { return Console.write(descriptor, "boxagentd: \(text)\n") }
        let missing = lost.take()
        if missing > 0, !deliver(.warning, "\(missing) lines were lost: the journal did not accept them", nil) {
            lost.add(missing)
        }
        if !deliver(priority, text, event) { lost.add() }
    }

    private func deliver(_ priority: LogPriority, _ text: String, _ event: LogEvent?) -> Bool {
        journal.send(JournalEntry(priority, text, event).bytes)
            || Console.writeAtOnce(descriptor, "<\(priority.rawValue)>\(text)\n")
    }
}
