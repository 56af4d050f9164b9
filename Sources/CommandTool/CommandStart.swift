import ArgumentParser
import Glibc

/// Runs a program's command line. Prints its help, and reports typing errors.
package enum CommandStart {
    package static func main(_ tool: any ParsableCommand.Type) {
        do {
            var command = try tool.parseAsRoot()
            try command.run()
        } catch {
            end(tool, error)
        }
    }

    private static func end(_ tool: any ParsableCommand.Type, _ error: any Error) -> Never {
        let terminal = Terminal()
        let status = tool.exitCode(for: error).rawValue
        let full = tool.fullMessage(for: error, columns: HelpText.unbroken)
        guard status != 0 else {
            // Completion scripts, the version and the dumped help are for programs, so they are not wrapped.
            let isHelp = full.hasPrefix("OVERVIEW: ") || full.hasPrefix("USAGE: ")
            if !full.isEmpty { terminal.sayWhole(isHelp ? HelpText.wrapped(full, to: terminal.helpColumns) : full) }
            exit(0)
        }
        let message = tool.message(for: error)
        if !message.isEmpty {
            let words = Array(CommandLine.arguments.dropFirst())
            let complaint =
                ProblemText.unknownCommand(in: words, of: tree(tool)) ?? ProblemText(message: message)
            terminal.complain(complaint, by: tool._commandName)
            if complaint.cures.isEmpty { sayUsage(full, terminal) }
        }
        exit(status)
    }

    /// Prints the usage of the command and how to get its help.
    private static func sayUsage(_ full: String, _ terminal: Terminal) {
        let lines = full.split(separator: "\n").map(String.init)
        for line in lines.drop(while: { !$0.hasPrefix("Usage: ") }) {
            let shown = line.hasPrefix("Usage: ") ? line : Self.pointer(line)
            for row in HelpText.usage(shown, to: (terminal.width(of: .error) ?? HelpText.unbroken) - 2) {
                terminal.sayWhole("  " + row, to: .error)
            }
        }
    }

    /// Shortens `See 'boxagent enrol --help' for more information.`
    private static func pointer(_ line: String) -> String {
        let words = line.split(separator: "'")
        return words.count > 1 ? "See: \(words[1])" : line
    }

    private static func tree(_ command: any ParsableCommand.Type) -> CommandTree {
        let configuration = command.configuration
        return CommandTree(
            command._commandName, aliases: configuration.aliases, below: configuration.subcommands.map(tree),
            hasDefault: configuration.defaultSubcommand != nil)
    }
}
