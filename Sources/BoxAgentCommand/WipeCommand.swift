import AgentProtocol
import ArgumentParser
import TextOutput

struct WipeCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "wipe", abstract: "Destroy credentials that the box holds.",
        discussion: """
            Phones stay enrolled; their owners store their credentials again. What phones hold themselves is not touched.
            Examples:
              boxagent wipe 7K2M
              boxagent wipe --user anna --yes
              boxagent wipe --all
            """)

    @Argument(help: "A device's id, or a unique beginning of it.")
    var device: String?
    @Option(help: ArgumentHelp("Wipe the credentials of all this user's phones.", valueName: "user"))
    var user: String?
    @Flag(help: "Wipe every credential on this box.")
    var all = false
    @Flag(name: [.short, .long], help: "Do not ask.")
    var yes = false
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard [device != nil, user != nil, all].filter({ $0 }).count == 1 else {
            throw ValidationError("name one device, or --user and a user, or --all")
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        let selection: WipeSelection
        let whose: String
        if let device {
            (selection, whose) = (.device(Array(device.utf8)), "of device \(Printable.text(device))")
        } else if let user {
            (selection, whose) = (.user(Array(user.utf8)), "of \(Printable.text(user))")
        } else {
            (selection, whose) = (.all, "of everybody")
        }
        try terminal.mayGoOn("Destroy the credentials \(whose) on this box?", confirmed: yes)
        var conversation = try Conversation(socket: agent.socket)
        terminal.conclude(try conversation.ask(.wipe(selection)))
    }
}
