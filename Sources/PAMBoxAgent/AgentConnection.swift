import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// The reason why there is no connection, for the log.
enum ConnectionProblem: Error {
    case noAgent
    case agentFull
    case notPermitted
    case stranger
    case system

    var line: TextLine {
        switch self {
        case .noAgent: TextLine("boxagentd is not running; see `systemctl status boxagentd-pam.socket`")
        case .agentFull: TextLine("boxagentd has too many connections; see `systemctl status boxagentd`")
        case .notPermitted: TextLine("this program's user may not ask boxagentd; only root's programs may")
        case .stranger:
            TextLine("the socket does not belong to boxagentd; nothing was sent. See pam_boxagent(8)")
        case .system: TextLine("this program cannot get a socket, memory or a descriptor")
        }
    }
}

/// A connection to boxagentd: SOCK_SEQPACKET, non-blocking, without SIGPIPE, close-on-exec.
struct AgentConnection: ~Copyable {
    /// −1 after `keep`.
    private var descriptor: Int32

    /// Connects, and checks the socket's owner before any byte is sent. Retries until `deadline` while the agent's
    /// queue is full.
    static func open(socketPath: [UInt8], deadline: Duration) throws(ConnectionProblem) -> AgentConnection {
        let first = socket(AF_UNIX, kind, 0)
        guard first >= 0 else { throw .system }
        let descriptor = first > 2 ? first : cpam_move_above_standard(first)
        if descriptor != first { _ = close(first) }
        guard descriptor >= 0 else { throw .system }
        let connection = AgentConnection(descriptor: descriptor)
        // SAFETY: the path is read only during the call.
        while !socketPath.withUnsafeBytes({ cpam_connect(descriptor, $0.baseAddress, $0.count) == 0 }) {
            switch cpam_errno() {
            case EINTR, EAGAIN:
                guard MonotonicClock.now() < deadline else { throw .agentFull }
                _ = poll(nil, 0, retryMilliseconds)
            case EACCES, EPERM: throw .notPermitted
            default: throw .noAgent
            }
        }
        guard isAgent(descriptor, socketPath) else { throw .stranger }
        return connection
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Gives up ownership, and returns the descriptor, over which the verdict will be reported.
    consuming func keep() -> Int32 {
        let kept = descriptor
        descriptor = -1
        return kept
    }

    func send(_ request: PAMRequest) -> Bool {
        AgentMessage.send(request, on: descriptor)
    }

    enum Received {
        case message(Int)
        case tooLarge
        case closed
        case nothingYet
    }

    /// Waits until a message arrives or `deadline` passes. Stores a message in `buffer`.
    func receive(into buffer: borrowing LockedBuffer, deadline: Duration) -> Received {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let wait = MonotonicClock.pollMilliseconds(until: deadline, now: MonotonicClock.now())
        // A signal or an error only ends the wait early. recv then reports the state.
        _ = poll(&watched, 1, wait)
        // SAFETY: at most `messageBytes` are written, and the buffer is larger. MSG_TRUNC returns the message's own
        // length, so that an oversized one is detected.
        let capacity = min(PAMLimits.messageBytes, buffer.bytes.count)
        let flags = Int32(truncatingIfNeeded: MSG_DONTWAIT | MSG_TRUNC)
        let count = recv(descriptor, buffer.bytes.baseAddress, capacity, flags)
        if count > capacity { return .tooLarge }
        if count > 0 { return .message(count) }
        if count == 0 { return .closed }
        // ECONNRESET comes once, before the agent's last messages (net/core/datagram.c, __skb_try_recv_datagram).
        return [EAGAIN, EINTR, ECONNRESET].contains(cpam_errno()) ? .nothingYet : .closed
    }

    private static var kind: Int32 {
        Int32(bitPattern: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    }
    private static let retryMilliseconds: Int32 = 10

    private static func isAgent(_ descriptor: Int32, _ socketPath: [UInt8]) -> Bool {
        var peer: uid_t = ListenerTrust.overflowUser
        guard cpam_peer_user(descriptor, &peer) == 0 else { return false }
        let own = geteuid()
        // The file system is examined only if user ids alone do not decide.
        if ListenerTrust.believes(peer: peer, own: own, directoryOwner: nil) { return true }
        let directories = PathSteps.directories(of: socketPath).map(SocketDirectory.look)
        return ListenerTrust.believes(
            peer: peer, own: own, directoryOwner: ListenerTrust.delegate(directories))
    }
}
