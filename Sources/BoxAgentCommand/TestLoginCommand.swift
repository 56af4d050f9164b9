import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct TestLoginCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-login", abstract: "Wait for a tap as a login does, without logging in.",
        discussion: """
            Shows each step and what arrived, but no password. Only PAM can say whether the password is correct.
            Example:
              boxagent test-login anna --wait 60
            """)

    @Argument(help: "Accept only a tap of this user.")
    var user: String?
    @Option(help: ArgumentHelp("How many seconds to wait for the tap, 1 to 300.", valueName: "seconds"))
    var wait: UInt64 = 30
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard (1...ControlLimits.waitSeconds).contains(wait) else {
            throw ValidationError("--wait takes a whole number of seconds from 1 to \(ControlLimits.waitSeconds)")
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        var name: [UInt8]?
        if let user { name = conversation.account(of: Array(user.utf8), terminal).name }
        let request = ControlRequest.testLogin(user: name, waitSeconds: wait)
        let limit = Duration.seconds(Int64(wait)) + Conversation.answerLimit
        let text = try conversation.ask(request, within: limit) { reply in
            if case .testStage(let text) = reply { terminal.say(Printable.text(text)) }
        }
        terminal.conclude(text)
    }
}
