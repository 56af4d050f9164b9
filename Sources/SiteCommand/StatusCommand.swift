import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct StatusCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how the server is: whether it signs, and how many boxes are linked.",
        discussion: """
            Which site it is, how many links, users and phones it has, and until when its keys are good.

            Exit status 1 where nothing is signed, or not all. 2 where all is signed, and something has to be done soon: the \
            site's keys end within 60 days, a key is missing at this server, a box is suspended, has not been seen for days \
            or is out of date, clocks differ, wrong PINs have destroyed passwords, or another PostgreSQL would take over that \
            may lack changes. Each has a line that begins with "to do", which says what.
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
            throw SiteCommandFailure(.protocolMismatch, "the server did not say how it is; update boxsite or boxsited")
        }
        if listing.json {
            terminal.say(Self.json(status, alarms).line)
        } else {
            for line in Self.lines(status) + alarms.map({ "to do: " + Printable.text($0) }) { terminal.say(line) }
        }
        if let doubt = status.doubt {
            throw SiteCommandFailure(.negative, "not all is signed: " + Printable.text(doubt))
        }
        if !alarms.isEmpty { throw SiteCommandFailure(.soon, "all is signed, and something has to be done soon") }
    }

    static func lines(_ status: SiteStatus) -> [String] {
        let rows = [
            ["site", Hex.text(status.site)],
            ["site document", "root \(status.document >> 32), version \(status.document & 0xFFFF_FFFF)"],
            ["generation", "\(status.generation & 0xFFFF_FFFF)"],
            ["revocations", "\(status.entries), newest number \(status.number)"],
            ["links", "\(status.links)"],
            ["users", count(status.users)],
            ["phones", count(status.phones)],
            ["directory", status.directory.map { Printable.text($0) } ?? "none"],
            ["newest head", status.headTime.map { Timestamp.local($0) } ?? "none"],
            ["keys good until", Timestamp.local(status.issuersUntil)],
            ["changes", changes(status.standby)],
            ["signing", status.doubt.map { "no: " + Printable.text($0) } ?? "yes"],
        ]
        return TextTable.lines(rows)
    }

    private static func changes(_ standby: String) -> String {
        switch standby {
        case "not-needed": "kept by one PostgreSQL"
        case "named": "kept by a standby, too"
        case "missing": "none: the database names no standby"
        case "loss-accepted": "kept by one PostgreSQL, and lost with it (accept_loss)"
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
            ("standby", .text(status.standby)), ("users", status.users.map { .number($0) } ?? .null),
            ("phones", status.phones.map { .number($0) } ?? .null),
            ("directory", status.directory.map { .text($0) } ?? .null),
            ("alarms", .list(alarms.map { .text($0) })),
        ])
    }
}
