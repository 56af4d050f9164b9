import AgentProtocol
import ArgumentParser
import TextOutput

struct AuditCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show who did what, or check that nobody changed the record.",
        discussion: """
            Entries are chained by their hashes; the newest hash is in the journal as well, which is what makes a changed \
            record evident.
            Examples:
              boxagent audit --limit 20
              boxagent audit --after 1500 --json
              boxagent audit --verify          exit status 1 when the chain is broken
            """)

    @Option(help: ArgumentHelp("Only entries with a higher number than this.", valueName: "number"))
    var after: UInt64 = 0
    @Option(help: ArgumentHelp("At most this many entries, 1 to 10000, oldest first.", valueName: "count"))
    var limit: UInt64 = 1_000
    @Flag(help: "Check the chain instead of showing it.")
    var verify = false
    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes a number from 1 to 10000") }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        if verify {
            // A long record takes its time.
            let text = try conversation.ask(.verifyAudit, within: .seconds(120))
            terminal.say(listing.json ? JSONValue.record([("intact", .flag(true))]).line : text)
            return
        }
        var entries: [AuditListing] = []
        _ = try conversation.ask(.audit(after: after, limit: limit)) { reply in
            if case .auditEntry(let entry) = reply { entries.append(entry) }
        }
        if listing.json {
            terminal.say(JSONValue.list(entries.map(Self.json)).line)
        } else {
            TextTable.lines(entries.map(Self.row)).forEach { terminal.say($0) }
        }
    }

    static func row(_ entry: AuditListing) -> [String] {
        [
            String(entry.number), Timestamp.local(entry.unixSeconds), Printable.text(entry.event),
            entry.user.map(Printable.text) ?? "-", entry.device.map(Printable.text) ?? "-",
            Printable.text(entry.detail),
        ]
    }

    static func json(_ entry: AuditListing) -> JSONValue {
        .record([
            ("number", .number(entry.number)), ("time", .text(Timestamp.universal(entry.unixSeconds))),
            ("event", .bytes(entry.event)), ("user", .optional(entry.user) { .bytes($0) }),
            ("device", .optional(entry.device) { .bytes($0) }), ("detail", .bytes(entry.detail)),
        ])
    }
}
