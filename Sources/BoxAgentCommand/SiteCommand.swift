import ArgumentParser
import CommandTool
import ControlProtocol
import TextOutput

struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site", abstract: "Show this box's site, or import a bundle that the site has signed.",
        subcommands: [SiteShowCommand.self, SiteImportCommand.self], defaultSubcommand: SiteShowCommand.self)
}

struct SiteShowCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the site that this box belongs to.",
        discussion: """
            Shows the box's number and groups at the site, the servers, the link and how long it has been up, and the \
            version of the site document. Shows how many entries the site has revoked, the newest signed status and \
            its age, how many hours the box can work without the site, when the box's certificate expires, and what is \
            wrong.
            The exit status is 1 if the box does not belong to a site.
            Example:
              boxagent site --json
            """)

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        guard let site = try conversation.site() else { throw CommandFailure(.malformed(.unknownMessage)) }
        if listing.json {
            terminal.sayWhole(Self.json(site).line)
        } else {
            TextTable.pairs(Self.rows(site), width: terminal.columns).forEach { terminal.sayWhole($0) }
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
            ["revoked", Plural.text(site.entries, "entry", "entries")],
            ["signed status", head(site)],
            ["without the site", "\(Plural.text(site.hoursLeft, "hour")) left of \(site.hoursLimit)"],
            ["certificate", "valid until " + Timestamp.local(site.certificateExpiry)],
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
            + (fresh ?? "no fresh one since boxagentd started")
    }

    /// Returns the listing as JSON; missing values are null.
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
    /// Returns the box's site. Throws the agent's failure if the box belongs to no site.
    mutating func site() throws(CommandFailure) -> SiteListing? {
        var site: SiteListing?
        _ = try ask(.site) { reply in
            if case .site(let listing) = reply { site = listing }
        }
        return site
    }
}
