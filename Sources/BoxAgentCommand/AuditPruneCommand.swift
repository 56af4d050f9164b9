import ArgumentParser
import AuditLog
import CommandTool
import TextOutput

struct AuditPruneCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Delete the oldest part of the audit log.",
        discussion: """
            Deletes closed segments that are entirely before the date, the oldest first. The command shows which \
            entries it deletes, and asks. The rest can be verified as before, and the deletion is an entry itself. A \
            log that is not intact is not pruned. If you have to keep the entries, export the log first.
            Example:
              boxagent audit prune --before 2026-01-01
            """)

    @Option(
        help: ArgumentHelp("YYYY-MM-DD: the first day to keep, in this machine's time zone.", valueName: "date"))
    var before: String
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard Timestamp.startOfDay(before) != nil else { throw ValidationError("--before takes a date: YYYY-MM-DD") }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        guard let limit = Timestamp.startOfDay(before) else {
            throw CommandFailure(.usage, "\"\(Printable.text(before))\" is not a valid date")
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
            return terminal.say("nothing to delete: no closed segment is entirely before \(before)")
        }
        try terminal.mayGoOn(
            [Self.plan(chosen, first: first, last: last)], "Delete these entries for good?", confirmed: confirmation.yes
        )
        terminal.conclude(try conversation.ask(.pruneAudit(through: last.number), within: .seconds(120)))
    }

    /// Describes exactly what will be deleted.
    static func plan(_ chosen: [AuditSegment], first: AuditSegment, last: AuditSegment) -> String {
        let from = chosen.map(\.fromSeconds).min() ?? first.fromSeconds
        let to = chosen.map(\.toSeconds).max() ?? last.toSeconds
        let segments = Plural.text(chosen.count, "segment")
        let (begin, end) = (Timestamp.local(UInt64(clamping: from)), Timestamp.local(UInt64(clamping: to)))
        return """
            entries \(first.firstEntry) to \(last.lastEntry) (\(segments)), written from \(begin) to \(end), will be \
            deleted; the log will then begin with entry \(last.lastEntry + 1)
            """
    }
}
