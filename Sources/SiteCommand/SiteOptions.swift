import ArgumentParser
import CommandTool
import TextOutput

/// The options of every command that asks the server.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's control socket.", valueName: "path"))
    var socket: String = "/run/boxsite/control.sock"
}

struct ListingOptions: ParsableArguments {
    @Flag(help: "Print one JSON document on one line, with keys in snake_case. Times are RFC 3339 in UTC.")
    var json = false
}

/// Exit statuses, numbered as in sysexits.h. They are part of the interface.
enum SiteExitStatus: Int32, ExitStatuses {
    case done = 0
    case negative = 1
    /// For `status`: everything is signed, but there is a task to do soon.
    case soon = 2
    /// The order waits for a second administrator.
    case waiting = 3
    case usage = 64
    case invalid = 65
    case unavailable = 69
    case fault = 70
    case tryAgain = 75
    case protocolMismatch = 76
    case notPermitted = 77
    case configuration = 78

    var meaning: String {
        switch self {
        case .done: "done"
        case .negative: "not found, declined, or not everything is signed"
        case .soon: "of status: the server signs, but has something for you to do soon"
        case .waiting: "not done yet: it waits for a second administrator"
        case .usage: "wrong usage"
        case .invalid: "refused as invalid"
        case .unavailable: "the server is not running"
        case .fault: "the server failed, or no site was made"
        case .tryAgain: "busy, or no answer in time: try again"
        case .protocolMismatch: "the server's reply is not valid: it has another version"
        case .notPermitted: "not permitted"
        case .configuration: "the configuration is refused"
        }
    }
}

/// The reason why a command failed.
struct SiteCommandFailure: Error, Equatable {
    let status: SiteExitStatus
    /// The problem, and what to do next, ready to be shown.
    let text: String

    init(_ status: SiteExitStatus, _ text: String) {
        self.status = status
        self.text = text
    }
}

/// A command that ends with our exit statuses, and gives its reason on standard error.
protocol SiteSubcommand: ParsableCommand {
    func perform(_ terminal: Terminal) throws
}

extension SiteSubcommand {
    func run() throws {
        let terminal = Terminal()
        do {
            try perform(terminal)
        } catch let failure as SiteCommandFailure {
            terminal.complain(ProblemText(sentence: failure.text), by: "boxsite")
            throw ExitCode(failure.status.rawValue)
        }
    }
}
