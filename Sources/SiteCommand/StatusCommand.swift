import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct StatusCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the server signs, and how many boxes are linked.",
        discussion: """
            Shows the site, the number of links, users and phones, and until when the keys are valid.
            The exit status is 1 if not everything is signed. It is 2 if everything is signed but something must be \
            done soon: the site's keys expire within 60 days, a key is missing at this server, a box is suspended, out \
            of date or not seen for days, clocks differ, wrong PINs have destroyed passwords, the database stores no \
            changes, or another PostgreSQL that may lack changes would take over. Each of these has a line that begins with "to do".
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<SiteStatus?>(nil)
        let raised = Guarded<[String]>([])
        _ = try ServerConversation.ask(.status, at: server.socket) { reply, _ in
            if case .status(let status) = reply { found.withLock { $0 = status } }
            if case .alarm(let text) = reply { raised.withLock { $0.append(text) } }
        }
        let alarms = raised.withLock { $0 }
        guard let status = found.withLock({ $0 }) else {
            throw SiteCommandFailure(
                .protocolMismatch, "the server's reply is incomplete; install the same version of boxsite and boxsited")
        }
        if listing.json {
            terminal.sayWhole(Self.json(status, alarms).line)
        } else {
            TextTable.pairs(Self.rows(status), width: terminal.columns).forEach { terminal.sayWhole($0) }
            for alarm in alarms { terminal.say("to do: " + Printable.text(alarm), hanging: 7) }
        }
        if let doubt = status.doubt {
            throw SiteCommandFailure(.negative, "not everything is signed: " + Printable.text(doubt))
        }
        if !alarms.isEmpty { throw SiteCommandFailure(.soon, "the server signs, but has something for you to do soon") }
    }

    static func rows(_ status: SiteStatus) -> [[String]] {
        [
            ["site", Hex.text(status.site)],
            ["site document", "root \(status.document >> 32), version \(status.document & 0xFFFF_FFFF)"],
            ["generation", "\(status.generation & 0xFFFF_FFFF)"],
            ["revocations", "\(status.entries), newest number \(status.number)"],
            ["links", "\(status.links)"],
            ["users", count(status.users)],
            ["phones", count(status.phones)],
            ["directory", status.directory.map { Printable.text($0) } ?? "none"],
            ["signed status", status.headTime.map { Timestamp.local($0) } ?? "none"],
            ["keys valid until", Timestamp.local(status.issuersUntil)],
            ["changes", changes(status.standby)],
            ["last change", status.storedSeconds.map { "stored \($0) seconds ago" } ?? "none stored since the start"],
            ["signing", status.doubt.map { "no: " + Printable.text($0) } ?? "yes"],
        ]
    }

    private static func changes(_ standby: String) -> String {
        switch standby {
        case "not-needed": "kept by one PostgreSQL"
        case "named": "stored only if a standby has them, too"
        case "missing": "none: the database names no standby"
        case "loss-accepted": "kept by one PostgreSQL; lost if it is lost (accept_loss)"
        default: Printable.text(standby)
        }
    }

    private static func count(_ number: UInt64?) -> String { number.map { "\($0)" } ?? "unknown" }

    static func json(_ status: SiteStatus, _ alarms: [String]) -> JSONValue {
        .record([
            ("site", .text(Hex.text(status.site))), ("document", .number(status.document)),
            ("generation", .number(status.generation)), ("number", .number(status.number)),
            ("entries", .number(status.entries)), ("links", .number(status.links)),
            ("head_time", status.headTime.map { .number($0) } ?? .null),
            ("issuers_until", .number(status.issuersUntil)),
            ("doubt", status.doubt.map { .text($0) } ?? .null),
            ("standby", .text(status.standby)),
            ("stored_seconds", status.storedSeconds.map { .number($0) } ?? .null),
            ("users", status.users.map { .number($0) } ?? .null),
            ("phones", status.phones.map { .number($0) } ?? .null),
            ("directory", status.directory.map { .text($0) } ?? .null),
            ("alarms", .list(alarms.map { .text($0) })),
        ])
    }
}
