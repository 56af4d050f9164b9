import ArgumentParser
import AuditLog
import CommandTool
import TextOutput

struct AuditPruneCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Drop the oldest part of the record.",
        discussion: """
            Only closed segments go that lie wholly before the date, from the oldest on. It says which entries go, \
            and asks. What is kept can be checked as before, and the drop is an entry itself. A record that does not \
            hold together is not pruned. Export the record first where it has to be kept.

            Example:
              boxagent audit prune --before 2026-01-01
            """)

    @Option(
        help: ArgumentHelp("YYYY-MM-DD: the first day that is kept, in this machine's time zone.", valueName: "date"))
    var before: String
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard Timestamp.startOfDay(before) != nil else { throw ValidationError("--before takes a date: YYYY-MM-DD") }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        guard let limit = Timestamp.startOfDay(before) else {
            throw CommandFailure(.usage, "'\(Printable.text(before))' is no date")
        }
        var conversation = try Conversation(socket: agent.socket)
        var chosen: [AuditSegment] = []
        var page = try conversation.auditSegments(after: 0, sealing: false)
        while let last = page.segments.last {
            let fitting = page.segments.prefix { $0.toSeconds < limit }
            chosen += fitting
            guard fitting.count == page.segments.count else { break }
            page = try conversation.auditSegments(after: last.number, sealing: false)
        }
        guard let first = chosen.first, let last = chosen.last else {
            return terminal.say("nothing to drop: no closed segment lies wholly before \(before)")
        }
        try terminal.mayGoOn(
            [Self.plan(chosen, first: first, last: last)], "Drop these entries for good?", confirmed: confirmation.yes)
        terminal.conclude(try conversation.ask(.pruneAudit(through: last.number), within: .seconds(120)))
    }

    /// Exactly what goes.
    static func plan(_ chosen: [AuditSegment], first: AuditSegment, last: AuditSegment) -> String {
        let from = chosen.map(\.fromSeconds).min() ?? first.fromSeconds
        let to = chosen.map(\.toSeconds).max() ?? last.toSeconds
        let segments = Plural.text(chosen.count, "segment")
        return """
            entries \(first.firstEntry) to \(last.lastEntry) (\(segments)), written from \
            \(Timestamp.local(UInt64(clamping: from))) to \(Timestamp.local(UInt64(clamping: to))), will be dropped; the \
            record then begins with entry \(last.lastEntry + 1)
            """
    }
}
