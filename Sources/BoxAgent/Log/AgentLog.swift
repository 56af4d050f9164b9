import AgentCore
import EventLoop
import TextOutput

/// The agent's log, for the journal or a terminal.
///
/// It never receives secrets. Names from outside pass `LogText`, so that no control character reaches a terminal or
/// forges a line. The log never waits for the journal. A line that neither the journal's socket nor standard error
/// accepts at once is lost. The next line that succeeds reports the number of lost lines.
public struct AgentLog: Sendable {
    private let forJournal: Bool
    private let descriptor: Int32
    private let journal: JournalSocket
    private let lost = LostLines()

    /// `forJournal` is true if `descriptor`, usually standard error, is a stream of the journal.
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
