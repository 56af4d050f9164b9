import CTCP
import EventLoop
import Glibc

extension TCPConnection {
    /// Connects to an address, until a deadline in time since boot. Call it on the loop.
    ///
    /// - Parameters:
    ///   - queueLimit: Most bytes that wait to be sent.
    ///   - untilPeerSpeaks: For a protocol in which the peer speaks first. Returns once the peer has sent bytes or
    ///     closed, so the process is not woken for the connection alone. A silent peer throws `timedOut`.
    public static func connect(
        to address: TCPAddress, by deadline: Duration, on loop: EpollLoop, queueLimit: Int = TCPConnection.queueLimit,
        untilPeerSpeaks: Bool = false
    ) async throws(TCPError) -> TCPConnection {
        let descriptor = ctcp_socket(Int32(address.bytes.count))
        guard descriptor >= 0 else { throw failure(-descriptor, address) }
        do throws(TCPError) {
            let begun = ctcp_connect(descriptor, address.bytes, Int32(address.bytes.count), address.port)
            if begun < 0 {
                guard begun == -EINPROGRESS else { throw failure(-begun, address) }
                let interest: Readiness = untilPeerSpeaks ? .readable : .writable
                try await waitUntilConnected(descriptor, interest, address, until: deadline, on: loop)
            }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        let connection = try TCPConnection(owning: descriptor, on: loop, queueLimit: queueLimit)
        try await connection.begin()
        return connection
    }

    private static func waitUntilConnected(
        _ descriptor: Int32, _ interest: Readiness, _ address: TCPAddress, until deadline: Duration, on loop: EpollLoop
    ) async throws(TCPError) {
        let ready = WaitPoint(on: loop)
        var mark = ready.mark()
        let token: WatchToken
        do throws(SystemError) {
            token = try loop.watch(descriptor, for: interest) { readiness in
                if readiness.contains(interest) { ready.signal() }
            }
        } catch {
            throw .system(error)
        }
        defer { loop.unwatch(token) }
        while true {
            switch await ready.wait(since: mark, until: deadline) {
            case .signalled: break
            case .timedOut: throw .timedOut
            case .cancelled: throw .cancelled
            }
            mark = ready.mark()
            let error = ctcp_error(descriptor)
            if error < 0 { throw failure(-error, address) }
            if TCPAddress(.peer, of: descriptor) != nil { return }
        }
    }

    private static func failure(_ code: Int32, _ address: TCPAddress) -> TCPError {
        switch code {
        case ECONNREFUSED: .refused(address)
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: .unreachable(address)
        // RestrictAddressFamilies= of systemd.exec(5), and IPAddressDeny= of systemd.resource-control(5).
        case EAFNOSUPPORT, EACCES, EPERM: .notAllowed(address)
        case ETIMEDOUT: .timedOut
        case ECONNRESET, EPIPE: .closed
        default: .system(SystemError(code: code, attempt: "connect to \(address)"))
        }
    }
}
