/// Why a call, or the bus, failed.
public enum DBusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The other side answered with an error: its name, and its words, safe to print.
    case reply(name: String, message: String)
    /// No answer in time.
    case timedOut
    /// The bus has gone; open a new connection.
    case disconnected
    case cancelled
    /// The answer has another type than it should.
    case unexpectedReply(String)
    /// More calls wait for answers, or more bytes wait to be sent, than the bound allows.
    case queueFull
    /// The bus cannot be reached: why.
    case unreachable(String)
    /// A name or a value that no message may carry.
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

    /// The error's name, when the other side answered with one.
    public var replyName: String? {
        if case .reply(let name, _) = self { name } else { nil }
    }
}
