import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show the audit log, verify it, export it or prune it.",
        discussion: "Without a subcommand it shows the log; `boxagent audit show --help` lists the options.",
        subcommands: [AuditShowCommand.self, AuditExportCommand.self, AuditPruneCommand.self],
        defaultSubcommand: AuditShowCommand.self)
}

struct AuditShowCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show who did what, or verify that the audit log is unchanged.",
        discussion: """
            Entries are shown from the oldest to the newest. Each entry names who acted: a person by login name and \
            uid, a phone, a program by PAM service and terminal, or boxagentd itself. Hashes chain the entries. The \
            newest hash is also in the journal, so that a changed log is detected.
            Choose entries with --since, --until, --user, --device and --kind; an entry has to match all of them. A \
            time is RFC 3339 (`2026-11-21T06:40:12Z`), a day (`2026-11-21`: its start in this machine's time zone), or \
            a span before now (`90s`, `30min`, `2h`, `3d`, `1w`). On a narrow terminal the details of an entry are on \
            a line of their own.
            Examples:
              boxagent audit --limit 20
              boxagent audit --since 2h --user anna
              boxagent audit --kind login-not-correct --kind pin-wrong
              boxagent audit --follow --json   one document a line, until Ctrl-C
              boxagent audit --verify          exit status 1: the chain is broken
              boxagent audit --verify --file record.txt
            """)

    /// Maximum number of entries in one answer of the agent.
    static let pageEntries: UInt64 = 1_000
    static let limitWithoutOption: UInt64 = 1_000

    @Option(help: ArgumentHelp("Show only entries after this number.", valueName: "number"))
    var after: UInt64?
    @Option(
        help: ArgumentHelp(
            """
            Show at most this many entries, 1 to 10000; the default is 1000. With --follow: stop after this many; the \
            default is never.
            """, valueName: "count"))
    var limit: UInt64?
    @OptionGroup var chosen: AuditFilterOptions
    @Flag(
        help: """
            Show new entries as they arrive, until Ctrl-C or SIGTERM, across restarts of the agent. Earlier entries \
            are shown only with --after or --since. With --json each line is one document. The agent is asked once a \
            second. If the log was replaced in the meantime, the command says so and exits with status 1.
            """)
    var follow = false
    @Flag(
        help: """
            Verify the chain of hashes and the signatures instead. The whole log is verified, because chosen entries \
            cannot be verified on their own.
            """)
    var verify = false
    @Option(
        help: ArgumentHelp(
            "With --verify: verify a file that `audit export` wrote. Without --authority, the agent names the box's.",
            valueName: "path"))
    var file: String?
    @Option(
        help: ArgumentHelp(
            """
            With --file: the id of the authority that must have signed the file; `id` shows it at the box. The default \
            is the authority of this box.
            """, valueName: "id"))
    var authority: String?
    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        if let limit, !(1...10_000).contains(limit) {
            throw ValidationError("--limit takes a whole number from 1 to 10000")
        }
        guard file == nil || verify else { throw ValidationError("--file needs --verify") }
        guard authority == nil || file != nil else { throw ValidationError("--authority needs --file") }
        guard !follow || !verify else { throw ValidationError("use either --follow or --verify") }
        guard !follow || chosen.until == nil else {
            throw ValidationError("--follow does not stop at a time; leave out --until")
        }
        if verify, let option = chosen.firstGiven {
            throw ValidationError(
                "--verify verifies the whole log, because chosen entries cannot be verified on their own; leave out "
                    + option)
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        if let file {
            let text = try AuditFile.verify(file, authority: authority, socket: agent.socket)
            return say(text, terminal)
        }
        var conversation = try Conversation(socket: agent.socket)
        if verify {
            // Verifying a long log takes time.
            let text = try conversation.ask(.verifyAudit, within: .seconds(120))
            return say(text, terminal)
        }
        var filter = chosen.filter()
        if let user = filter.user {
            let account = conversation.account(of: user.given, terminal)
            filter.user = account
            filter.devicesOfUser = try conversation.devices().filter { account.spellings.contains($0.user) }.map(\.id)
        }
        if let device = chosen.device {
            let listed = try conversation.devices()
            let isKnown = !DeviceName(text: device).named(among: listed).isEmpty
            let name = isKnown ? device : Printable.text(conversation.account(of: Array(device.utf8), terminal).name)
            filter.devices = try AuditFilterOptions.devices(named: name, among: listed)
        }
        if follow { return try follow(filter, conversation, terminal) }
        try show(filter, &conversation, terminal)
    }

    private func say(_ text: String, _ terminal: Terminal) {
        guard listing.json else { return terminal.say(text) }
        terminal.sayWhole(JSONValue.record([("intact", .flag(true))]).line)
    }

    private func show(
        _ filter: AuditFilter, _ conversation: inout Conversation, _ terminal: Terminal
    ) throws(CommandFailure) {
        let limit = limit ?? Self.limitWithoutOption
        let entries = try conversation.auditEntries(after: after ?? 0, limit: limit, filter)
        if listing.json {
            terminal.sayWhole(JSONValue.list(entries.map(Self.json)).line)
        } else if entries.isEmpty {
            terminal.say(filter.picksOut || after != nil ? "no entries match" : "the audit log is empty", to: .error)
        } else {
            AuditTable.lines(entries, width: terminal.columns).forEach { terminal.sayWhole($0) }
        }
        if let last = entries.last, UInt64(entries.count) == limit {
            terminal.say("boxagent: stopped after \(limit) entries; continue with --after \(last.number)", to: .error)
        }
    }

    private func follow(
        _ filter: AuditFilter, _ conversation: consuming Conversation, _ terminal: Terminal
    ) throws(CommandFailure) {
        // Only --after or --since needs the existing entries.
        let start = after ?? (chosen.since == nil ? nil : 0)
        var follower = try AuditFollower(socket: agent.socket, filter: filter, after: start, conversation)
        try follower.run(limit: limit, terminal: terminal) { entry in
            if listing.json { return terminal.sayWhole(Self.json(entry).line) }
            AuditTable.lines(of: entry, width: terminal.columns).forEach { terminal.sayWhole($0) }
        }
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
}

extension Conversation {
    /// Returns at most `limit` entries above number `after` that `filter` shows, oldest first, in one or more requests.
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

    /// Returns at most `limit` entries (one page) with numbers above `after`, oldest first.
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
