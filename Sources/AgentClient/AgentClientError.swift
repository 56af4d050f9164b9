import ControlProtocol

/// Why the agent could not be asked. Each says what is wrong and what to do next.
public enum AgentClientError: Error, Equatable, Sendable {
    /// Nobody listens at the path.
    case notRunning(path: String)
    /// The socket's permissions keep this user out.
    case notPermitted(path: String)
    /// Somebody else than root, the agent's user or this user listens at the path.
    case untrustedListener(path: String, user: UInt32)
    /// The path does not fit into a socket's address.
    case pathTooLong(path: String)
    /// The agent has as many connections as it takes.
    case busy
    /// No answer within the time.
    case timedOut
    /// The agent ended the connection.
    case closed
    /// The agent and this program do not understand one another.
    case malformed(ControlMessageError)
    /// A message cannot say what was to be said.
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
