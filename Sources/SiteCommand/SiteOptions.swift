import ArgumentParser
import CommandTool

/// What every command that asks the server takes.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's control socket.", valueName: "path"))
    var socket: String = "/run/boxsite/control.sock"
}

struct ListingOptions: ParsableArguments {
    @Flag(help: "Print JSON, one document on one line.")
    var json = false
}

/// Exit statuses, as sysexits.h numbers them; part of the interface (boxsite(1)).
enum SiteExitStatus: Int32, Equatable {
    case done = 0
    case negative = 1
    case usage = 64
    case invalid = 65
    case unavailable = 69
    case fault = 70
    case tryAgain = 75
    case protocolMismatch = 76
    case notPermitted = 77
    case configuration = 78
}

/// Why a command ends without having done what was asked.
struct SiteCommandFailure: Error, Equatable {
    let status: SiteExitStatus
    /// What is wrong, and what to do next; ready to be shown.
    let text: String

    init(_ status: SiteExitStatus, _ text: String) {
        self.status = status
        self.text = text
    }
}

/// A command that ends with our exit statuses, its reason on standard error.
protocol SiteSubcommand: ParsableCommand {
    func perform(_ terminal: Terminal) throws
}

extension SiteSubcommand {
    func run() throws {
        let terminal = Terminal()
        do {
            try perform(terminal)
        } catch let failure as SiteCommandFailure {
            terminal.say("boxsite: " + failure.text, to: .error)
            throw ExitCode(failure.status.rawValue)
        }
    }
}
