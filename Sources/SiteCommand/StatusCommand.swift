import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct StatusCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how the server is: whether it signs, and how many boxes are linked.",
        discussion: """
            Which site it is, how many links, users and phones it has, and until when its keys are good. The exit \
            status is 1 where nothing is signed.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<SiteStatus?>(nil)
        _ = try ServerConversation.ask(.status, at: server.socket) { reply, _ in
            if case .status(let status) = reply { found.withLock { $0 = status } }
        }
        guard let status = found.withLock({ $0 }) else {
            throw SiteCommandFailure(.protocolMismatch, "the server did not say how it is; update boxsite or boxsited")
        }
        if listing.json { return terminal.say(Self.json(status).line) }
        for line in Self.lines(status) { terminal.say(line) }
        if status.doubt != nil {
            throw SiteCommandFailure(.negative, "nothing is signed; boxes run on their allowance")
        }
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
            ["newest head", status.headTime.map { Timestamp.local($0) } ?? "none"],
            ["keys good until", Timestamp.local(status.issuersUntil)],
            ["signing", status.doubt.map { "no: " + Printable.text($0) } ?? "yes"],
        ]
        return TextTable.lines(rows)
    }

    private static func count(_ number: UInt64?) -> String { number.map { "\($0)" } ?? "unknown" }

    static func json(_ status: SiteStatus) -> JSONValue {
        .record([
            ("site", .text(Hex.text(status.site))), ("document", .number(status.document)),
            ("generation", .number(status.generation)), ("number", .number(status.number)),
            ("entries", .number(status.entries)), ("links", .number(status.links)),
            ("head_time", status.headTime.map { .number($0) } ?? .null),
            ("issuers_until", .number(status.issuersUntil)),
            ("doubt", status.doubt.map { .text($0) } ?? .null),
            ("users", status.users.map { .number($0) } ?? .null),
            ("phones", status.phones.map { .number($0) } ?? .null),
        ])
    }
}
