import ArgumentParser
import CommandTool
import TextOutput

struct SessionsCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List the sessions on this box.",
        discussion: """
            Of each it says whose it is, where, whether it is locked, whether anything in it answers a lock, and the \
            phone whose login opened it. Root sees all, others their own.

            Example:
              boxagent sessions --json
            """)

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        let sessions = try conversation.sessions()
        if listing.json {
            terminal.say(JSONValue.list(sessions.map(SessionListings.json)).line)
        } else if sessions.isEmpty {
            terminal.say("no session")
        } else {
            let rows = [SessionListings.head] + sessions.map(SessionListings.row)
            TextTable.lines(rows, width: terminal.columns, flexible: SessionListings.flexible)
                .forEach { terminal.say($0) }
        }
    }
}
