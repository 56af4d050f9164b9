import AgentClient
import ArgumentParser
import Glibc

/// What every command takes.
struct AgentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The agent's control socket.", valueName: "path"))
    var socket: String = AgentConnection.defaultPath
}

struct ListingOptions: ParsableArguments {
    @Flag(help: "Print JSON, one document on one line.")
    var json = false
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
            terminal.say(error.line, to: .error)
            throw ExitCode(error.status.rawValue)
        }
    }
}

extension Terminal {
    /// Asks before something that cannot be undone; `confirmed` is what --yes says.
    func mayGoOn(_ question: String, confirmed: Bool) throws(CommandFailure) {
        if confirmed { return }
        guard inputIsTerminal else {
            throw CommandFailure(.usage, "this cannot be undone, and nobody is here to ask", cure: "add --yes")
        }
        guard confirm(question) else { throw CommandFailure(.negative, "nothing was done") }
    }

    /// The agent's last word, where it has one.
    func conclude(_ text: String) {
        if !text.isEmpty { say(text) }
    }
}
