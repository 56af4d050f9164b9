import AgentClient
import ArgumentParser
import CommandTool
import Glibc

/// What every command takes.
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
            Do not ask. What cannot be undone needs it where standard input is no terminal: without it nothing is done \
            there, and the exit status is 64.
            """)
    var yes = false
}

/// A command that ends with our exit statuses, its reason on standard error.
protocol AgentCommand: ParsableCommand {
    func perform(_ terminal: Terminal) throws(CommandFailure)
}

extension AgentCommand {
    func run() throws {
        let terminal = Terminal()
        do {
            try perform(terminal)
        } catch {
            for line in error.listing + [error.line] { terminal.say(line, to: .error) }
            throw ExitCode(error.status.rawValue)
        }
    }
}

extension Terminal {
    /// Shows what will happen, which cannot be undone, and asks; `confirmed` is what --yes says.
    func mayGoOn(_ plan: [String], _ question: String, confirmed: Bool) throws(CommandFailure) {
        for line in plan { say(line, to: .error) }
        if confirmed { return }
        guard inputIsTerminal else {
            throw CommandFailure(
                .usage, "standard input is no terminal, so nobody can be asked; nothing was changed", cure: "add --yes")
        }
        guard confirm(question) else { throw CommandFailure(.negative, "nothing was changed") }
    }

    /// The agent's last word, where it has one.
    func conclude(_ text: String) {
        if !text.isEmpty { say(text) }
    }
}
