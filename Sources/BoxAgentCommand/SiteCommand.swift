import ArgumentParser
import CommandTool
import ControlProtocol
import TextOutput

struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site", abstract: "Show the site that this box belongs to, or bring it what the site has signed.",
        subcommands: [SiteShowCommand.self, SiteImportCommand.self], defaultSubcommand: SiteShowCommand.self)
}

struct SiteShowCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the site that this box belongs to.",
        discussion: """
            The box's number and groups there, servers, the link and how long it has stood, the version of the site \
            document, how many entries the site has taken back, the newest head and its age, how many hours are left \
            without the site, until when the box's certificate is good, and what is wrong.

            The exit status is 1 where it belongs to none.

            Example:
              boxagent site --json
            """)

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        guard let site = try conversation.site() else { throw CommandFailure(.malformed(.unknownMessage)) }
        if listing.json {
            terminal.say(Self.json(site).line)
        } else {
            TextTable.lines(Self.rows(site)).forEach { terminal.say($0) }
        }
    }

    static func rows(_ site: SiteListing) -> [[String]] {
        var rows = [
            ["site", Hex.text(site.site)],
            ["this box", "number \(Printable.text(site.boxNumber)), in groups \(Printable.text(site.groups))"],
            ["servers", Printable.text(site.servers)],
            ["link", link(site)],
            [
                "document",
                "version \(Printable.text(site.documentVersion)), generation \(Printable.text(site.generation))",
            ],
            ["taken back", Plural.text(site.entries, "entry", "entries")],
            ["head", head(site)],
            ["without the site", "\(Plural.text(site.hoursLeft, "hour")) left of \(site.hoursLimit)"],
            ["certificate", "good until " + Timestamp.local(site.certificateExpiry)],
        ]
        if let problem = site.problem {
            let since = site.problemSeconds.map { ", for " + Timestamp.span($0) } ?? ""
            rows.append(["problem", Printable.text(problem) + since])
        }
        return rows
    }

    private static func link(_ site: SiteListing) -> String {
        guard let server = site.linkedServer else { return "none" }
        return Printable.text(server) + ", for " + Timestamp.span(site.linkedSeconds ?? 0)
    }

    private static func head(_ site: SiteListing) -> String {
        guard let number = site.headNumber else { return "none yet" }
        let fresh = site.freshSeconds.map { "the last fresh one " + Timestamp.span($0) + " ago" }
        return "number \(number), \(Timestamp.span(site.headAgeSeconds ?? 0)) old; "
            + (fresh ?? "no fresh one since boxagentd was started")
    }

    /// What is not so is null.
    static func json(_ site: SiteListing) -> JSONValue {
        .record([
            ("site", .text(Hex.text(site.site))), ("box_number", .text(site.boxNumber)), ("groups", .text(site.groups)),
            ("servers", .text(site.servers)), ("linked_server", .text(orNull: site.linkedServer)),
            ("linked_seconds", .number(orNull: site.linkedSeconds)), ("document_version", .text(site.documentVersion)),
            ("generation", .text(site.generation)), ("entries", .number(site.entries)),
            ("head_number", .number(orNull: site.headNumber)),
            ("head_age_seconds", .number(orNull: site.headAgeSeconds)),
            ("fresh_seconds", .number(orNull: site.freshSeconds)), ("hours_left", .number(site.hoursLeft)),
            ("hours_limit", .number(site.hoursLimit)),
            ("certificate_expiry", .text(Timestamp.universal(site.certificateExpiry))),
            ("problem", .text(orNull: site.problem)), ("problem_seconds", .number(orNull: site.problemSeconds)),
        ])
    }
}

extension Conversation {
    /// The site that the box belongs to; the agent fails the request where there is none.
    mutating func site() throws(CommandFailure) -> SiteListing? {
        var site: SiteListing?
        _ = try ask(.site) { reply in
            if case .site(let listing) = reply { site = listing }
        }
        return site
    }
}
