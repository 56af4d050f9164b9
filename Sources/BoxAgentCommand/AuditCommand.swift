import AgentProtocol
import ArgumentParser
import TextOutput

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show who did what, check that nobody changed the record, export or prune it.",
        subcommands: [AuditShowCommand.self, AuditExportCommand.self, AuditPruneCommand.self],
        defaultSubcommand: AuditShowCommand.self)
}

struct AuditShowCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show who did what, or check that nobody changed the record.",
        discussion: """
            Entries are chained by their hashes; the newest hash is in the journal as well, which is what makes a changed \
            record evident.
            Examples:
              boxagent audit --limit 20
              boxagent audit --after 1500 --json
              boxagent audit --verify          exit status 1 when the chain is broken
              boxagent audit --verify --file record.txt
            """)

    /// The agent answers with this many at a time.
    static let pageEntries: UInt64 = 1_000

    @Option(help: ArgumentHelp("Only entries with a higher number than this.", valueName: "number"))
    var after: UInt64 = 0
    @Option(help: ArgumentHelp("At most this many entries, 1 to 10000, oldest first.", valueName: "count"))
    var limit: UInt64 = 1_000
    @Flag(help: "Check chain and signatures instead of showing entries.")
    var verify = false
    @Option(
        help: ArgumentHelp("With --verify: check this file, which 'boxagent audit export' wrote.", valueName: "path"))
    var file: String?
    @Option(
        help: ArgumentHelp(
            """
            With --file: the id of the authority that must have signed, as 'boxagent id' shows it; without it, the one \
            of the agent that runs here.
            """, valueName: "id"))
    var authority: String?
    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes a number from 1 to 10000") }
        guard file == nil || verify else { throw ValidationError("--file goes with --verify") }
        guard authority == nil || file != nil else { throw ValidationError("--authority goes with --file") }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        if let file {
            let text = try AuditFile.verify(file, authority: authority, socket: agent.socket)
            return terminal.say(listing.json ? JSONValue.record([("intact", .flag(true))]).line : text)
        }
        var conversation = try Conversation(socket: agent.socket)
        if verify {
            // A long record takes its time.
            let text = try conversation.ask(.verifyAudit, within: .seconds(120))
            terminal.say(listing.json ? JSONValue.record([("intact", .flag(true))]).line : text)
            return
        }
        let entries = try conversation.auditEntries(after: after, limit: limit)
        if listing.json {
            terminal.say(JSONValue.list(entries.map(Self.json)).line)
        } else {
            // User, device, who did it, and the detail.
            TextTable.lines(entries.map(Self.row), width: terminal.columns, flexible: [3, 4, 5, 6])
                .forEach { terminal.say($0) }
        }
    }

    static func row(_ entry: AuditListing) -> [String] {
        [
            String(entry.number), Timestamp.local(entry.unixSeconds), Printable.text(entry.event),
            entry.user.map(Printable.text) ?? "-", entry.device.map(Printable.text) ?? "-",
            entry.actor.map(Self.text) ?? "-", Printable.text(entry.detail),
        ]
    }

    static func json(_ entry: AuditListing) -> JSONValue {
        .record([
            ("number", .number(entry.number)), ("time", .text(Timestamp.universal(entry.unixSeconds))),
            ("event", .bytes(entry.event)), ("user", .optional(entry.user) { .bytes($0) }),
            ("device", .optional(entry.device) { .bytes($0) }), ("detail", .bytes(entry.detail)),
            (
                "actor",
                .optional(entry.actor) { actor in
                    .record([
                        ("kind", .word(actor.kind)), ("name", .optional(actor.name) { .bytes($0) }),
                        ("place", .optional(actor.place) { .bytes($0) }), ("uid", .number(orNull: actor.uid)),
                    ])
                }
            ),
        ])
    }

    /// Who it was, in a few words.
    static func text(_ actor: ActorListing) -> String {
        let name = actor.name.map(Printable.text)
        switch actor.kind {
        case .agent: return "boxagentd"
        case .phone: return "its phone"
        case .person:
            let uid = actor.uid.map { "uid \($0)" } ?? "somebody"
            return name.map { "\($0) (\(uid))" } ?? uid
        case .program: return [name, actor.place.map(Printable.text)].compactMap { $0 }.joined(separator: " on ")
        }
    }
}

extension Conversation {
    /// Entries with a higher number than `after`, oldest first, at most `limit`; as many requests as that takes.
    mutating func auditEntries(after: UInt64, limit: UInt64) throws(CommandFailure) -> [AuditListing] {
        var entries: [AuditListing] = []
        while UInt64(entries.count) < limit {
            let page = min(limit - UInt64(entries.count), AuditShowCommand.pageEntries)
            let before = entries.count
            _ = try ask(.audit(after: entries.last?.number ?? after, limit: page)) { reply in
                if case .auditEntry(let entry) = reply { entries.append(entry) }
            }
            if entries.count - before < Int(page) { break }
        }
        return entries
    }
}
