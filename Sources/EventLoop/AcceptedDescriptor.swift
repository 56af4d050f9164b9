import CLinux
import Glibc

/// The result of one accept(2).
package enum AcceptedDescriptor {
    case descriptor(Int32)
    /// No connection is waiting.
    case nothing
    /// The peer has already closed the connection.
    case left
    /// Linux has no free descriptor or memory; try again later.
    case exhausted

    package init(from listener: Int32) throws(SocketError) {
        let accepted = clinux_accept(listener)
        switch -accepted {
        case ...0: self = .descriptor(accepted)
        case EAGAIN: self = .nothing
        case EINTR, ECONNABORTED, EPROTO: self = .left
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: self = .exhausted
        default: throw .system(SystemError(code: -accepted, attempt: "accept a connection"))
        }
    }
}
