import ArgumentParser
import CommandTool
import TextOutput

struct SessionsCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List the sessions on this box.",
        discussion: """
            Shows each session's user and place, whether it is locked, whether a program in it can lock it, and the \
            phone that opened it. Root sees all sessions, other users their own.
            Example:
              boxagent sessions --json
            """)

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        let (sessions, doubt) = try conversation.sessions()
        if listing.json {
            terminal.sayWhole(JSONValue.list(sessions.map(SessionListings.json)).line)
        } else if sessions.isEmpty {
            if doubt.isEmpty { terminal.say("no sessions are open", to: .error) }
        } else {
            let rows = [SessionListings.head] + sessions.map(SessionListings.row)
            TextTable.lines(rows, width: terminal.columns, flexible: SessionListings.flexible)
                .forEach { terminal.sayWhole($0) }
        }
        guard doubt.isEmpty else { throw CommandFailure(.fault, doubt, cure: "run: boxagent doctor") }
    }
}
