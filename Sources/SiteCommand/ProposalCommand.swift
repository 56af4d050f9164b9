import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct ProposalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proposal", abstract: "Show what waits for a second administrator.",
        subcommands: [ProposalListCommand.self])
}

struct ProposalListCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what waits for a second administrator.",
        discussion: """
            Three things wait for approval, an hour each: changes of administrators; removals of boxes by the helpdesk; \
            and revocations beyond 20 phones and boxes within an hour, or 60 within a day, by one administrator.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let proposals = try ProposalText.waiting(server)
        if listing.json { return terminal.sayWhole(JSONValue.list(proposals.map(ProposalText.json)).line) }
        guard !proposals.isEmpty else {
            terminal.say("no proposals wait for a second administrator", to: .error)
            return
        }
        let rows = proposals.map { it in
            [
                Printable.text(it.id), Printable.text(it.proposerName), Printable.text(it.order),
                Printable.text(it.reason), Timestamp.local(it.expiry),
            ]
        }
        for line in TextTable.lines(
            [["ID", "FROM", "WANTS TO", "WHY", "UNTIL"]] + rows, width: terminal.columns, flexible: [1, 2, 3])
        {
            terminal.say(line)
        }
    }
}

struct ApproveCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Approve a proposal of another administrator. It is done at once.",
        discussion: """
            The order is done as boxsite proposal list shows it. It may be refused because the one who proposed it no \
            longer administers the site, because the hour is over, or because someone else has decided.
            You cannot approve your own proposal. Root may, with --alone and a reason, if no one else is available. \
            The audit log then says that root was alone.
            Examples:
              boxsite proposal list
              boxsite approve 4f3k2m9a
              boxsite approve 4f3k2m9a --alone --reason "the other one is in hospital"
            """)

    @Argument(help: "The proposals: their ids.")
    var proposal: [String]
    @Flag(help: "As root, approve your own proposal.")
    var alone = false
    @Option(help: "The reason, for the audit log; at most 200 bytes.")
    var reason: String = ""
    @Flag(name: [.short, .long], help: "Do not ask. Required if standard input is not a terminal.")
    var yes = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard !alone || !reason.isEmpty else { throw SiteCommandFailure(.usage, "--alone needs --reason") }
        let ids = try proposal.map(ProposalText.id)
        if !yes {
            let waiting = try ProposalText.waiting(server)
            for id in ids {
                guard let it = waiting.first(where: { $0.id == id }) else { continue }
                let why = it.reason.isEmpty ? "" : " (\(Printable.text(it.reason)))"
                let text = "\(Printable.text(it.proposerName)) wants to \(Printable.text(it.order))\(why)."
                try PhoneText.confirm("\(text) Approve it?", terminal)
            }
        }
        for id in ids {
            let request = SiteRequest.approve(proposal: id, alone: alone, reason: reason)
            terminal.say(try ServerConversation.ask(request, at: server.socket))
        }
    }
}

struct RejectCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "reject", abstract: "Reject a proposal of another administrator, or cancel your own.")

    @Argument(help: "The proposals: their ids.")
    var proposal: [String]
    @Option(help: "The reason, for the audit log; at most 200 bytes.")
    var reason: String = ""
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        for id in try proposal.map(ProposalText.id) {
            terminal.say(try ServerConversation.ask(.reject(proposal: id, reason: reason), at: server.socket))
        }
    }
}

enum ProposalText {
    static func id(_ text: String) throws -> String {
        guard text.utf8.count <= SiteControlLimits.proposalBytes else {
            throw SiteCommandFailure(
                .negative, "no proposal has this id; list the proposals with: boxsite proposal list")
        }
        return text
    }

    static func waiting(_ server: ServerOptions) throws -> [ProposalListing] {
        let found = Guarded<[ProposalListing]>([])
        _ = try ServerConversation.ask(.proposals, at: server.socket) { reply, _ in
            if case .proposal(let it) = reply { found.withLock { $0.append(it) } }
        }
        return found.withLock { $0 }
    }

    static func json(_ it: ProposalListing) -> JSONValue {
        .record([
            ("id", .text(it.id)), ("proposer", .number(it.proposer)), ("proposer_name", .text(it.proposerName)),
            ("order", .text(it.order)), ("reason", .text(it.reason)), ("made", .text(Timestamp.universal(it.made))),
            ("until", .text(Timestamp.universal(it.expiry))),
        ])
    }
}
