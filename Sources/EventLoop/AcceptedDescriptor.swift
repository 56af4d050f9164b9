import CLinux
import Glibc

/// What came of one accept(2).
package enum AcceptedDescriptor {
    case descriptor(Int32)
    /// Nobody waits.
    case nothing
    /// The peer has left already.
    case left
    /// Linux has no descriptor or memory left: later.
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
