import ArgumentParser
import CommandTool
import ControlProtocol
import Glibc
import Secrets
import TextOutput

struct JoinCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join this box to a site.",
        discussion: """
            Root only. Needs the join code that `boxsite box add` prints at the site's server. The command asks for \
            the code without showing it, or reads it from a file, or from standard input if that is not a terminal. \
            The code is a secret and works once. Do not pass it as an argument: `ps` shows arguments. The command asks \
            each server in the code, for at most a minute. The last line names the site and this box's number there.
            The agent must be allowed to reach the site's servers: `boxagent setup --site-server ADDRESS`. If the box \
            already belongs to a site, leave that site first.
            Examples:
              boxagent join
              boxagent join --code-file /root/code
              ssh server boxsite box add ward3-1 | boxagent join
            """)

    @Option(help: ArgumentHelp("Read the code from this file.", valueName: "file"))
    var codeFile: String?
    // Accepts arguments only to refuse them with a specific message.
    @Argument(help: .hidden)
    var words: [String] = []
    @OptionGroup var agent: AgentOptions

    /// The agent itself ends the joining and reports it. The extra time is for an agent that does not answer.
    private static let limit = Duration.seconds(60) + Conversation.answerLimit

    func validate() throws {
        guard words.isEmpty else {
            throw ValidationError(
                "do not pass the code as an argument: `ps` shows it. This code is exposed; request a new one"
            )
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        // The code is a secret while it is valid, so this process must not leave a core dump.
        var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
        // Connect before asking for the code, so that a failure does not waste the typed code.
        var conversation = try Conversation(socket: agent.socket)
        try refuseMember(&conversation)
        let code = try SecretLine(from: codeFile, terminal)
        try conversation.sendJoin(code.bytes)
        while true {
            let text: String?? = try conversation.receive(within: Self.limit) { reply, _ in
                switch reply {
                case .done(let text): return Printable.text(text)
                case .joinStage(let text): terminal.say(Printable.text(text), to: .error)
                default: break
                }
                return nil
            }
            switch text {
            case .some(.some(let text)): return terminal.conclude(text)
            case .some(.none): continue
            case .none: throw CommandFailure(.timedOut)
            }
        }
    }

    private func refuseMember(_ conversation: inout Conversation) throws(CommandFailure) {
        do throws(CommandFailure) {
            guard let site = try conversation.site() else { return }
            throw CommandFailure(
                .invalid, "this box already belongs to site \(Hex.text(site.site))", cure: "run 'boxagent leave' first")
        } catch {
            // The status `negative` means that the box belongs to no site, so it may join.
            guard error.status == .negative else { throw error }
        }
    }
}
