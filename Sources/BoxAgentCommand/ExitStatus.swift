import AgentClient
import ControlProtocol
import TextOutput

/// Exit statuses, as sysexits.h numbers them; part of the interface (boxagent(1)).
enum ExitStatus: Int32, Equatable {
    case done = 0
    /// Not found, declined, or the answer is no.
    case negative = 1
    /// EX_USAGE
    case usage = 64
    /// EX_DATAERR: the agent refuses what was asked as invalid.
    case invalid = 65
    /// EX_UNAVAILABLE: the agent does not run.
    case unavailable = 69
    /// EX_SOFTWARE: the agent failed.
    case fault = 70
    /// EX_TEMPFAIL: busy, or no answer in time.
    case tryAgain = 75
    /// EX_PROTOCOL: the agent's answer is not understood.
    case protocolMismatch = 76
    /// EX_NOPERM
    case notPermitted = 77
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

    /// One line for standard error.
    var line: String { "boxagent: " + what + (cure.isEmpty ? "" : "; " + cure) }
}
