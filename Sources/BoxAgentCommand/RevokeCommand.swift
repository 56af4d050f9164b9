import AgentProtocol
import ArgumentParser
import TextOutput

struct RevokeCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a phone's access away, at once.",
        discussion: """
            The phone's open channels are closed, a credential that waits is dropped, and what the box holds for it is \
            destroyed. The phone can be enrolled again.
            Examples:
              boxagent revoke 7K2M             a device by its id, or a beginning of it that is unique
              boxagent revoke --user anna      all of anna's phones
            """)

    @Argument(help: "A device's id, or a unique beginning of it.")
    var device: String?
    @Option(help: ArgumentHelp("Revoke all phones of this user.", valueName: "user"))
    var user: String?
    @Flag(name: [.short, .long], help: "Do not ask.")
    var yes = false
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard (device == nil) != (user == nil) else {
            throw ValidationError("name one device, or --user and a user")
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        let request: ControlRequest
        if let user {
            try terminal.mayGoOn("Revoke all phones of \(Printable.text(user))?", confirmed: yes)
            request = .revokeUser(Array(user.utf8))
        } else {
            request = .revoke(device: Array((device ?? "").utf8))
        }
        var conversation = try Conversation(socket: agent.socket)
        terminal.conclude(try conversation.ask(request))
    }
}
