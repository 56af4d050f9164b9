import AgentClient
import ArgumentParser
import CommandTool
import Glibc

/// Options of every command.
struct AgentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The agent's control socket.", valueName: "path"))
    var socket: String = AgentConnection.defaultPath
}

struct ListingOptions: ParsableArguments {
    @Flag(help: "Print one JSON document on one line, with keys in snake_case. Times are RFC 3339 in UTC.")
    var json = false
}

struct ConfirmationOptions: ParsableArguments {
    @Flag(
        name: [.short, .long],
        help: """
            Do not ask. An action that cannot be undone needs this option if standard input is not a terminal. Without \
            it nothing is done, and the exit status is 64.
            """)
    var yes = false
}

/// A command that ends with our exit statuses and prints the reason of a failure to standard error.
protocol AgentCommand: ParsableCommand {
    func perform(_ terminal: Terminal) throws(CommandFailure)
}

extension AgentCommand {
    func run() throws {
        let terminal = Terminal()
        do {
            try perform(terminal)
        } catch {
            error.listing.forEach { terminal.sayWhole($0, to: .error) }
            terminal.complain(error.problem, by: "boxagent")
            throw ExitCode(error.status.rawValue)
        }
    }
}

extension Terminal {
    /// Shows an action that cannot be undone and asks for confirmation. `confirmed` is the value of --yes.
    func mayGoOn(_ plan: [String], _ question: String, confirmed: Bool) throws(CommandFailure) {
        for line in plan { say(line, to: .error) }
        if confirmed { return }
        guard inputIsTerminal else {
            throw CommandFailure(
                .usage, "cannot ask for confirmation: standard input is not a terminal; nothing was changed",
                cure: "add --yes")
        }
        guard confirm(question) else { throw CommandFailure(.negative, "nothing was changed") }
    }

    /// Prints the agent's final text, if it is not empty.
    func conclude(_ text: String) {
        if !text.isEmpty { say(text) }
    }
}
