import AgentClient
import CommandTool
import ControlProtocol
import TextOutput

/// Exit statuses, as sysexits.h numbers them; part of the interface.
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

/// Why a command ends without having done what was asked.
struct CommandFailure: Error, Equatable {
    var status: ExitStatus
    /// What is wrong, ready to be shown.
    var what: String
    /// What to do next; may be empty.
    var cure: String
    /// Lines that stand above the sentence: what there is to choose from.
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
        // Paths come from the command line and may hold anything.
        self.init(status, Printable.text(error.what), cure: Printable.text(error.cure))
    }

    /// What the agent answered.
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

    /// What standard error says: what is wrong, and below it what to do.
    var problem: ProblemText { ProblemText(what, cures: cure.isEmpty ? [] : [cure]) }
}
