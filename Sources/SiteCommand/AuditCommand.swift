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
        commandName: "audit", abstract: "Who did what at the site, and whether that record is what was written.",
        discussion: """
            Entries are chained by their hashes. Names are outside of the chain, and forgotten after 90 days; who did it and \
            to whom stays, by numbers and ids, and so do reasons.
            """,
        subcommands: [AuditListCommand.self, AuditCheckCommand.self, AuditExportCommand.self])
}

struct AuditListCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List entries, oldest first: all, or those that are chosen.",
        discussion: """
            Examples:
              boxsite audit list --since 2h
              boxsite audit list --who anna --action "phone revoke" --since 2026-11-01
              boxsite audit list --whom "administrator 3" --json
            """)

    @Option(help: "Entries of this administrator: a name, or what ACTOR shows.")
    var who: String?
    @Option(help: "Entries about this one: a name, or what SUBJECT shows.")
    var whom: String?
    @Option(help: ArgumentHelp("Entries of this action, such as \"phone revoke\".", valueName: "words"))
    var action: String?
    @Option(
        help: ArgumentHelp("Entries from this time on: RFC 3339, YYYY-MM-DD, or a span such as 2h.", valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Entries before this time.", valueName: "time"))
    var until: String?
    @Option(help: ArgumentHelp("Entries with a higher number.", valueName: "number"))
    var after: UInt64 = 0
    @Option(help: ArgumentHelp("At most this many entries, 1 to 10000.", valueName: "count"))
    var limit: UInt64 = 1_000
    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes a number from 1 to 10000") }
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
            terminal.say(JSONValue.list(entries.map(AuditText.json)).line)
        } else {
            let head = ["NUMBER", "TIME", "ACTION", "BY", "ACTOR", "ABOUT", "SUBJECT", "DETAIL"]
            for line in TextTable.lines(
                [head] + entries.map(AuditText.row), width: terminal.columns, flexible: [3, 5, 6, 7])
            {
                terminal.say(line)
            }
        }
        if let last = entries.last, UInt64(entries.count) == limit {
            terminal.say("boxsite: stopped after \(limit) entries; go on with --after \(last.number)", to: .error)
        }
    }
}

struct AuditCheckCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check that no entry was changed, removed or moved.",
        discussion: """
            The server follows the chain from the first entry to the last, and compares it with what it has seen itself. \
            Whoever may write to the database could write all of it anew: so compare the hash with the line `audit NUMBER \
            HASH` in a server's journal, or with an export that is kept elsewhere.

            Examples:
              boxsite audit check
              boxsite audit check --file record.txt
            """)

    @Option(
        help: ArgumentHelp("Check this file, which boxsite audit export wrote; no server is asked.", valueName: "path"))
    var file: String?
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard let file else { return terminal.say(try ServerConversation.ask(.checkAudit, at: server.socket)) }
        let head = try AuditText.check(file)
        terminal.say(
            "\(Printable.text(file)) holds together: \(head.number) entries, the newest with the hash \(head.hex)")
    }
}

struct AuditExportCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the whole record, to be kept elsewhere and checked without the server.",
        discussion: """
            Names are in it as far as they are not forgotten; keep the file as long as you may keep them.

            Example:
              boxsite audit export | gzip > record.txt.gz
            """)

    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        terminal.say(SiteAuditExport.title)
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
                    throw SiteCommandFailure(.negative, "the audit table does not hold together: \(error)")
                }
                for line in SiteAuditExport.lines(entry) { terminal.say(line) }
            }
        }
        terminal.say(SiteAuditExport.closing(walk.head))
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
        case .unreadable(let line): "line \(line) is none of an export; export the record again"
        case .broken(let line):
            "line \(line) is not what was written; compare the file with other exports and the journals"
        case .cutOff: "it ends before its last line; export the record again"
        }
    }
}
