import ControlProtocol

/// The reason why a request to the agent failed. Each case has a problem and a cure.
public enum AgentClientError: Error, Equatable, Sendable {
    /// No process listens at the path.
    case notRunning(path: String)
    /// The permissions of the socket keep this user out.
    case notPermitted(path: String)
    /// The listener at the path is neither root, the agent's user nor this user.
    case untrustedListener(path: String, user: UInt32)
    /// The path is too long for a socket address.
    case pathTooLong(path: String)
    /// The agent's queue of new connections stayed full until the deadline.
    case busy
    /// The agent did not answer within the time limit.
    case timedOut
    /// The agent closed the connection.
    case closed
    /// The agent sent bytes that are not a valid reply.
    case malformed(ControlMessageError)
    /// A value of the request does not fit into a message.
    case unsendable(ControlMessageError)
    case system(operation: String, reason: String)

    public var what: String {
        switch self {
        case .notRunning(let path): "the agent does not answer at \(path)"
        case .notPermitted(let path): "this user may not connect to \(path)"
        case .untrustedListener(let path, let user): "\(path) belongs to user \(user), not to boxagentd"
        case .pathTooLong(let path): "the path \(path) is too long for a socket"
        case .busy: "the agent is busy with other commands"
        case .timedOut: "the agent did not answer in time"
        case .closed: "the agent ended the connection"
        case .malformed(let error): "the agent's reply is not valid: \(error.text)"
        case .unsendable(let error): "the request cannot be sent: \(error.text)"
        case .system(let operation, let reason): "\(operation) failed: \(reason)"
        }
    }

    public var cure: String {
        switch self {
        case .notRunning: "start it with: systemctl start boxagentd; or name its socket with --socket"
        case .notPermitted: "run the command as root, or fix the directory with: chmod 755 /run/boxagent"
        case .untrustedListener: "find out who created this socket; nothing was sent to it"
        case .pathTooLong: "use a path of at most 107 bytes"
        case .busy: "try again in a moment"
        case .timedOut: "see what it is doing: journalctl -u boxagentd"
        case .closed: "see why: journalctl -u boxagentd"
        case .malformed: "install the same version of boxagentd and boxagent, then restart boxagentd"
        case .unsendable: "use another value"
        case .system: "remove the cause, then try again"
        }
    }
}
