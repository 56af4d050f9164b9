import AgentClient
import CommandTool
import ControlProtocol
import TextOutput

/// Exit statuses with the numbers of sysexits.h; part of the interface.
enum ExitStatus: Int32, ExitStatuses {
    case done = 0
    /// The answer is no.
    case negative = 1
    /// EX_USAGE
    case usage = 64
    /// EX_DATAERR
    case invalid = 65
    /// EX_UNAVAILABLE
    case unavailable = 69
    /// EX_SOFTWARE
    case fault = 70
    /// EX_TEMPFAIL
    case tryAgain = 75
    /// EX_PROTOCOL
    case protocolMismatch = 76
    /// EX_NOPERM
    case notPermitted = 77

    var meaning: String {
        switch self {
        case .done: "done"
        case .negative: "not found, declined, or a fault was found"
        case .usage: "wrong usage"
        case .invalid: "the agent refused the request as invalid"
        case .unavailable: "the agent is not running"
        case .fault: "the agent failed"
        case .tryAgain: "busy, or no answer in time: try again"
        case .protocolMismatch: "the agent's reply is not valid: it has another version"
        case .notPermitted: "not permitted"
        }
    }
}

/// The reason why a command failed.
struct CommandFailure: Error, Equatable {
    var status: ExitStatus
    /// The problem, ready to be shown.
    var what: String
    /// The next step; may be empty.
    var cure: String
    /// Lines to print above the problem, such as the phones to choose from.
    var listing: [String]

    init(_ status: ExitStatus, _ what: String, cure: String = "", listing: [String] = []) {
        self.status = status
        self.what = what
        self.cure = cure
        self.listing = listing
    }

    init(_ error: AgentClientError) {
        let status: ExitStatus =
            switch error {
            case .notRunning, .closed: .unavailable
            case .notPermitted, .untrustedListener: .notPermitted
            case .pathTooLong: .usage
            case .busy, .timedOut: .tryAgain
            case .malformed: .protocolMismatch
            case .unsendable: .invalid
            case .system: .fault
            }
        // Paths come from the command line and may contain anything.
        self.init(status, Printable.text(error.what), cure: Printable.text(error.cure))
    }

    /// Converts a failure that the agent reported.
    init(_ kind: FailureKind, what: String, cure: String) {
        let status: ExitStatus =
            switch kind {
            case .notPermitted: .notPermitted
            case .notFound, .declined: .negative
            case .invalid: .invalid
            case .busy, .timedOut: .tryAgain
            case .fault: .fault
            }
        self.init(status, Printable.text(what), cure: Printable.text(cure))
    }

    /// The text for standard error: the problem, and below it the next step.
    var problem: ProblemText { ProblemText(what, cures: cure.isEmpty ? [] : [cure]) }
}
