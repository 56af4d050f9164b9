import ArgumentParser
import AuditLog
import CommandTool
import EventLoop
import Glibc
import SiteControl
import SiteCore
import TextOutput

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show the site's audit log, verify it or export it.",
        discussion: """
            Hashes chain the entries. Names are not part of the chain and are deleted after 90 days. Numbers and ids \
            of who acted and on whom stay, and so do reasons.
            """,
        subcommands: [AuditListCommand.self, AuditCheckCommand.self, AuditExportCommand.self])
}

struct AuditListCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List entries, the oldest first.",
        discussion: """
            Examples:
              boxsite audit list --since 2h
              boxsite audit list --who anna --action "phone revoke" --since 2026-11-01
              boxsite audit list --whom "administrator 3" --json
            """)

    @Option(help: "Show only entries by this administrator: a name, or a value of ACTOR.")
    var who: String?
    @Option(help: "Show only entries about this subject: a name, or a value of SUBJECT.")
    var whom: String?
    @Option(help: ArgumentHelp("Show only entries with this action, such as \"phone revoke\".", valueName: "words"))
    var action: String?
    @Option(
        help: ArgumentHelp(
            "Show only entries since this time: RFC 3339, YYYY-MM-DD, or a span such as 2h.", valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Show only entries before this time.", valueName: "time"))
    var until: String?
    @Option(help: ArgumentHelp("Show only entries after this number.", valueName: "number"))
    var after: UInt64 = 0
    @Option(help: ArgumentHelp("Show at most this many entries, 1 to 10000.", valueName: "count"))
    var limit: UInt64 = 1_000
    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit takes a whole number from 1 to 10000")
        }
        for (name, text) in [("--since", since), ("--until", until)]
        where text.map({ Self.seconds($0) == nil }) ?? false {
            throw ValidationError("\(name) takes a time: \(Moment.forms)")
        }
    }

    private static func seconds(_ text: String) -> UInt64? {
        Moment.unixSeconds(text, now: Int64(time(nil))).map { UInt64(clamping: $0) }
    }

    func perform(_ terminal: Terminal) throws {
        var wish = AuditWish()
        (wish.after, wish.who, wish.whom, wish.event) = (after, who, whom, action)
        (wish.since, wish.until) = (since.flatMap(Self.seconds), until.flatMap(Self.seconds))
        var entries: [AuditEntryListing] = []
        while UInt64(entries.count) < limit {
            wish.limit = min(SiteControlLimits.auditPage, limit - UInt64(entries.count))
            let page = try AuditText.page(wish, server)
            entries += page
            guard let last = page.last, UInt64(page.count) == wish.limit else { break }
            wish.after = last.number
        }
        if listing.json {
            terminal.sayWhole(JSONValue.list(entries.map(AuditText.json)).line)
        } else if entries.isEmpty {
            terminal.say("no entries match", to: .error)
        } else {
            let head = ["NUMBER", "TIME", "ACTION", "BY", "ACTOR", "ABOUT", "SUBJECT", "DETAIL"]
            for line in TextTable.lines(
                [head] + entries.map(AuditText.row), width: terminal.columns, flexible: [3, 5, 6, 7])
            {
                terminal.say(line)
            }
        }
        if let last = entries.last, UInt64(entries.count) == limit {
            terminal.say("boxsite: stopped after \(limit) entries; continue with --after \(last.number)", to: .error)
        }
    }
}

struct AuditCheckCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify that no entry was changed, removed or moved.",
        discussion: """
            The server follows the chain from the first entry to the last, and compares it with what it has seen \
            itself. Anyone who can write to the database could rewrite the whole log. So also compare the hash with \
            the line `audit NUMBER HASH` in a server's journal, or with an export that is kept elsewhere.
            Examples:
              boxsite audit check
              boxsite audit check --file record.txt
            """)

    @Option(
        help: ArgumentHelp(
            "Verify this file, which boxsite audit export wrote, without asking a server.", valueName: "path"))
    var file: String?
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard let file else { return terminal.say(try ServerConversation.ask(.checkAudit, at: server.socket)) }
        let head = try AuditText.check(file)
        terminal.say(
            "\(Printable.text(file)) is intact: \(head.number) entries, newest hash \(head.hex)")
    }
}

struct AuditExportCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the whole audit log, to keep it elsewhere and verify it without the server.",
        discussion: """
            The export has the names that are not deleted yet. Keep the file only as long as you may keep these names.
            Example:
              boxsite audit export | gzip > record.txt.gz
            """)

    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        terminal.sayWhole(SiteAuditExport.title)
        var walk = SiteAuditWalk()
        while true {
            var wish = AuditWish()
            wish.after = walk.head.number
            let page = try AuditText.page(wish, server)
            guard !page.isEmpty else { break }
            for listing in page {
                let entry = AuditText.entry(listing)
                do throws(SiteAuditWalk.Fault) {
                    try walk.take(entry, hash: listing.hash)
                } catch {
                    throw SiteCommandFailure(
                        .negative, "the audit log is not intact: \(error); this export ends before that entry")
                }
                for line in SiteAuditExport.lines(entry) { terminal.sayWhole(line) }
            }
        }
        terminal.sayWhole(SiteAuditExport.closing(walk.head))
    }
}

enum AuditText {
    static func page(_ wish: AuditWish, _ server: ServerOptions) throws -> [AuditEntryListing] {
        let found = Guarded<[AuditEntryListing]>([])
        _ = try ServerConversation.ask(.audit(wish), at: server.socket) { reply, _ in
            if case .auditEntry(let entry) = reply { found.withLock { $0.append(entry) } }
        }
        return found.withLock { $0 }
    }

    static func entry(_ it: AuditEntryListing) -> SiteAuditEntry {
        SiteAuditEntry(
            number: it.number, unixSeconds: Int64(clamping: it.unixSeconds), event: it.event, actor: it.actor,
            subject: it.subject, detail: it.detail, actorName: it.actorName, subjectName: it.subjectName)
    }

    static func row(_ it: AuditEntryListing) -> [String] {
        [
            "\(it.number)", Timestamp.local(it.unixSeconds), Printable.text(it.event),
            it.actorName.map { Printable.text($0) } ?? "-", Printable.text(it.actor),
            it.subjectName.map { Printable.text($0) } ?? "-", Printable.text(it.subject), Printable.text(it.detail),
        ]
    }

    static func json(_ it: AuditEntryListing) -> JSONValue {
        .record([
            ("number", .number(it.number)), ("time", .text(Timestamp.universal(it.unixSeconds))),
            ("action", .text(it.event)), ("actor", .text(it.actor)), ("subject", .text(it.subject)),
            ("detail", .text(it.detail)), ("actor_name", it.actorName.map { .text($0) } ?? .null),
            ("subject_name", it.subjectName.map { .text($0) } ?? .null), ("hash", .text(Hex.text(it.hash))),
        ])
    }

    static func check(_ path: String) throws -> AuditHead {
        var check = SiteAuditExportCheck()
        do {
            try LineFile.read(path, lineBytes: SiteAuditExport.lineBytes) { try check.take($0) }
            return try check.finish()
        } catch let fault as SiteAuditExportCheck.Fault {
            throw SiteCommandFailure(.negative, "\(Printable.text(path)): \(words(fault))")
        } catch let fault as LineFile.Unreadable {
            throw SiteCommandFailure(.usage, "\(Printable.text(path)): \(String(cString: strerror(fault.code)))")
        }
    }

    private static func words(_ fault: SiteAuditExportCheck.Fault) -> String {
        switch fault {
        case .unreadable(let line): "line \(line) is not a valid audit record; export the log again"
        case .broken(let line):
            "line \(line) differs from what was written; compare the file with other exports and the journals"
        case .cutOff: "the end is missing; export the log again"
        }
    }
}
