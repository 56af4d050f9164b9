import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct RevokeCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a phone, at once.",
        discussion: """
            Closes the phone's channels, cancels a login that is waiting for it, and destroys its credential on the \
            box. The phone can be enrolled again.
            Before it asks, the command shows each phone's id, user, label and enrolment, and how many sessions stay \
            open. If a name matches several phones, it lists them and does nothing.
            Examples:
              boxagent revoke 7k2m             by the start of its id
              boxagent revoke "Anna's phone"   by its label
              boxagent revoke anna             by its user, who has one phone
              boxagent revoke --user anna      all phones of anna
              boxagent revoke --web            all phones that are pages in a browser
            """)

    @Argument(help: "The phone: its id or the start of it, its label, or its user if that user has one phone.")
    var device: String?
    @Option(help: ArgumentHelp("Revoke all phones of this user.", valueName: "user"))
    var user: String?
    @Flag(help: "Revoke all phones that are pages in a browser, of all users.")
    var web = false
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard DeviceSelection(device: device, user: user, web: web) != nil else {
            throw ValidationError("name one phone, or use --user or --web")
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        guard var selection = DeviceSelection(device: device, user: user, web: web) else {
            throw CommandFailure(.usage, "name one phone, or use --user or --web")
        }
        var conversation = try Conversation(socket: agent.socket)
        let chosen = try conversation.devices(&selection, terminal)
        let question = chosen.count == 1 ? "Revoke this phone?" : "Revoke these \(chosen.count) phones?"
        let (sessions, doubt) = try conversation.sessions()
        let plan = Self.plan(chosen, sessions: sessions) + (doubt.isEmpty ? [] : [doubt])
        try terminal.mayGoOn(plan, question, confirmed: confirmation.yes)
        // A single phone is revoked by the listed ID. The other requests also cover phones that enrolled after the
        // listing.
        let requests: [ControlRequest] =
            switch selection {
            case .user(let user): user.spellings(of: chosen).map { .revokeUser($0) }
            case .web: [.revokeWeb]
            case .device, .all: [.revoke(device: chosen.first?.id ?? [])]
            }
        for request in requests { terminal.conclude(try conversation.ask(request)) }
    }

    /// Describes exactly what will happen, and which sessions stay open.
    static func plan(_ chosen: [DeviceListing], sessions: [SessionListing]) -> [String] {
        let ids = Set(chosen.map(\.id))
        let open = sessions.filter { session in session.device.map(ids.contains) ?? false }.count
        let head =
            Plural.text(chosen.count, "phone") + " will be revoked for good, with what this box keeps for "
            + (chosen.count == 1 ? "it:" : "them:")
        let note =
            chosen.contains(where: \.isOfSite)
            ? [
                "Other boxes of the site still accept a phone of the site. To revoke it there too, run: boxsite phone "
                    + "revoke"
            ]
            : []
        guard open > 0 else { return [head] + DeviceTable.lines(chosen) + note }
        let stay = "\(open == 1 ? "stays" : "stay") open; to end \(open == 1 ? "it" : "them"), run: boxagent logout"
        return [head] + DeviceTable.lines(chosen) + [
            Plural.text(open, "session") + " that \(chosen.count == 1 ? "it" : "they") opened \(stay)"
        ] + note
    }
}
