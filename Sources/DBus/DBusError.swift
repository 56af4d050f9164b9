/// The reason why a call or the connection to the bus failed.
public enum DBusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The peer replied with an error. Has its name, and its message in printable characters.
    case reply(name: String, message: String)
    /// No reply came in time.
    case timedOut
    /// The connection to the bus ended. Open a new one.
    case disconnected
    case cancelled
    /// The reply has an unexpected type.
    case unexpectedReply(String)
    /// The number of pending calls or of queued bytes is over its bound.
    case queueFull
    /// The bus cannot be reached, for the given reason.
    case unreachable(String)
    /// A name or a value that a message cannot carry.
    case invalidArgument(String)

    public var description: String {
        switch self {
        case .reply(let name, let message): message.isEmpty ? name : "\(message) (\(name))"
        case .timedOut: "the D-Bus call timed out"
        case .disconnected: "the connection to D-Bus has ended"
        case .cancelled: "cancelled"
        case .unexpectedReply(let what): "a reply over D-Bus is not valid: \(what)"
        case .queueFull: "too many D-Bus calls wait for a reply"
        case .unreachable(let why): "D-Bus cannot be reached: \(why)"
        case .invalidArgument(let what): "D-Bus cannot carry \(what)"
        }
    }

    /// The error's name, if the peer replied with an error.
    public var replyName: String? {
        if case .reply(let name, _) = self { name } else { nil }
    }
}
