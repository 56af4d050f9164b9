import ControlProtocol
import ArgumentParser
import CommandTool
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
            Entries are shown from the oldest on. Each names who did it: a person by login name and uid, a phone, a \
            program by PAM service and terminal, or boxagentd by itself. They are chained by their hashes; the \
            newest hash is also in the journal, which is what makes a changed record evident.

            Entries are picked out by --since, --until, --user, --device and --kind; choices hold together. A time \
            is RFC 3339 (`2026-11-21T06:40:12Z`), a day (`2026-11-21`: its beginning, in this machine's time zone), \
            or a span before now (`90s`, `30min`, `2h`, `3d`, `1w`).

            Examples:
              boxagent audit --limit 20
              boxagent audit --since 2h --user anna
              boxagent audit --kind login-not-correct --kind pin-wrong
              boxagent audit --follow --json   one document a line, until Ctrl-C
              boxagent audit --verify          exit status 1: the chain is broken
              boxagent audit --verify --file record.txt
            """)

    /// The agent answers with this many at a time.
    static let pageEntries: UInt64 = 1_000
    static let limitWithoutOption: UInt64 = 1_000

    @Option(help: ArgumentHelp("Only entries with a higher number than this.", valueName: "number"))
    var after: UInt64?
    @Option(
        help: ArgumentHelp(
            """
            At most this many entries, 1 to 10000; 1000 without it. With --follow: end after so many; never without it.
            """, valueName: "count"))
    var limit: UInt64?
    @OptionGroup var chosen: AuditFilterOptions
    @Flag(
        help: """
            Show entries as they come, until Ctrl-C or SIGTERM, across restarts of the agent. What is there already is \
            shown with --after or --since only. With --json it prints one document a line. The agent is asked once a \
            second; the last entry is asked for again each time, so that a record that was replaced is told, with exit \
            status 1.
            """)
    var follow = false
    @Flag(
        help: """
            Check the chain of hashes and the signatures instead, always of the whole record: entries that were picked out \
            cannot be checked by themselves.
            """)
    var verify = false
    @Option(
        help: ArgumentHelp(
            "With --verify: check a file that `audit export` wrote, and ask the agent only whose signature counts.",
            valueName: "path"))
    var file: String?
    @Option(
        help: ArgumentHelp(
            """
            With --file: the id of the authority that must have signed, which `id` shows at the box. Without it the \
            agent that runs here is asked.
            """, valueName: "id"))
    var authority: String?
    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        if let limit, !(1...10_000).contains(limit) {
            throw ValidationError("--limit takes a number from 1 to 10000")
        }
        guard file == nil || verify else { throw ValidationError("--file goes with --verify") }
        guard authority == nil || file != nil else { throw ValidationError("--authority goes with --file") }
        guard !follow || !verify else { throw ValidationError("--follow does not go with --verify") }
        guard !follow || chosen.until == nil else {
            throw ValidationError("--follow has no end: it does not go with --until")
        }
        if verify, let option = chosen.firstGiven {
            throw ValidationError(
                "--verify checks the whole record, and entries that were picked out cannot be checked by themselves; "
                    + "leave out \(option)")
        }
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
        var filter = chosen.filter()
        if let device = chosen.device {
            filter.devices = try AuditFilterOptions.devices(named: device, among: try conversation.devices())
        }
        if follow { return try follow(filter, conversation, terminal) }
        try show(filter, &conversation, terminal)
    }

    private func show(
        _ filter: AuditFilter, _ conversation: inout Conversation, _ terminal: Terminal
    ) throws(CommandFailure) {
        let limit = limit ?? Self.limitWithoutOption
        let entries = try conversation.auditEntries(after: after ?? 0, limit: limit, filter)
        if listing.json {
            terminal.say(JSONValue.list(entries.map(Self.json)).line)
        } else {
            // User, device, who did it, and the detail.
            TextTable.lines(entries.map(Self.row), width: terminal.columns, flexible: [3, 4, 5, 6])
                .forEach { terminal.say($0) }
        }
        if let last = entries.last, UInt64(entries.count) == limit {
            terminal.say("boxagent: stopped after \(limit) entries; go on with --after \(last.number)", to: .error)
        }
    }

    private func follow(
        _ filter: AuditFilter, _ conversation: consuming Conversation, _ terminal: Terminal
    ) throws(CommandFailure) {
        // A point in time needs what is there already; nothing does without one.
        let start = after ?? (chosen.since == nil ? nil : 0)
        var follower = try AuditFollower(socket: agent.socket, filter: filter, after: start, conversation)
        try follower.run(limit: limit, terminal: terminal) { entry in
            let line = listing.json ? Self.json(entry).line : Self.row(entry).joined(separator: "  ")
            terminal.say(line)
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
    /// Entries with a higher number than `after` that `filter` shows, oldest first, at most `limit`; as many requests as
    /// that takes.
    mutating func auditEntries(
        after: UInt64, limit: UInt64, _ filter: AuditFilter = AuditFilter()
    ) throws(CommandFailure) -> [AuditListing] {
        var entries: [AuditListing] = []
        var after = after
        while UInt64(entries.count) < limit {
            let wanted = limit - UInt64(entries.count)
            let page = filter.picksOut ? AuditShowCommand.pageEntries : min(wanted, AuditShowCommand.pageEntries)
            let found = try auditPage(after: after, limit: page, within: Self.answerLimit)
            entries += found.filter(filter.shows).prefix(Int(clamping: wanted))
            guard let last = found.last, UInt64(found.count) == page else { break }
            after = last.number
        }
        return entries
    }

    /// Entries with a higher number than `after`, oldest first, at most `limit`, which is a page's.
    mutating func auditPage(
        after: UInt64, limit: UInt64, within time: Duration
    ) throws(CommandFailure) -> [AuditListing] {
        var entries: [AuditListing] = []
        _ = try ask(.audit(after: after, limit: limit), within: time) { reply in
            if case .auditEntry(let entry) = reply { entries.append(entry) }
        }
        return entries
    }
}
