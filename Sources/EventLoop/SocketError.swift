/// The reason why a socket operation failed.
public enum SocketError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The connection has ended, or was closed here.
    case closed
    /// The given time limit has passed.
    case timedOut
    /// The waiting task was cancelled.
    case cancelled
    /// Another caller already waits to receive or accept here, or `waitingSenders` callers wait to send.
    case busy
    /// The message is longer than the receiver's limit; it is lost.
    case messageTooLarge
    /// The path does not exist.
    case notFound(path: String)
    /// No program listens at the path.
    case refused(path: String)
    /// Another program listens at the path to bind.
    case inUse(path: String)
    /// The path to bind exists and is not a socket; it is left unchanged.
    case notASocket(path: String)
    case system(SystemError)

    public var description: String {
        switch self {
        case .closed: "the connection has ended"
        case .timedOut: "no answer in time"
        case .cancelled: "cancelled"
        case .busy: "too many requests wait on this connection; try again in a moment"
        case .messageTooLarge: "the message is too long"
        case .notFound(let path): "the socket \(path) does not exist; start the service that creates it"
        case .refused(let path): "no program listens on \(path); start the service that does"
        case .inUse(let path): "another program already listens on \(path); stop it, or choose another path"
        case .notASocket(let path): "\(path) exists and is not a socket; move it, or choose another path"
        case .system(let error): error.description
        }
    }
}

/// The process at the other end, as Linux saw it when the connection was made (SO_PEERCRED of unix(7)).
public struct PeerCredentials: Sendable, Hashable {
    public let processID: Int32
    public let userID: UInt32
    public let groupID: UInt32

    /// A peer outside this machine, such as a Bluetooth peer. No user has this number.
    package static let remote = PeerCredentials(processID: 0, userID: .max, groupID: .max)

    public init(processID: Int32, userID: UInt32, groupID: UInt32) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
    }
}
