import EventLoop

/// The reasons why a TCP socket failed.
public enum TCPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The connection has broken, or was closed here.
    case closed
    /// The given deadline has passed.
    case timedOut
    /// The waiting task was cancelled.
    case cancelled
    /// Another task already waits to receive or accept here.
    case busy
    /// The machine is there, but no program listens.
    case refused(TCPAddress)
    /// There is no route to the address.
    case unreachable(TCPAddress)
    /// A rule of this machine, such as the unit's, forbids the connection.
    case notAllowed(TCPAddress)
    /// Another program already listens on the address.
    case inUse(TCPAddress)
    /// This machine does not have the address to listen on.
    case notOurs(TCPAddress)
    case system(SystemError)

    public var description: String {
        switch self {
        case .closed: "the connection has ended"
        case .timedOut: "no answer in time"
        case .cancelled: "cancelled"
        case .busy: "another request already waits on this connection"
        case .refused(let address): "no program listens on \(address); start the server, or check its address"
        case .unreachable(let address): "there is no route to \(address); check this machine's network"
        case .notAllowed(let address):
            "this program may not connect to \(address); 'boxagent setup --site-server \(address.host)' allows it, unless a firewall forbids it"
        case .inUse(let address): "another program already listens on \(address); stop it, or choose another port"
        case .notOurs(let address): "this machine has no address \(address.host); choose one that it has"
        case .system(let error): error.description
        }
    }
}
