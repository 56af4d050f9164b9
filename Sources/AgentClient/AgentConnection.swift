import CLinux
import ControlProtocol
import Wire

/// A blocking connection to the agent's control socket, for commands and greeters.
///
/// Before it sends anything, it checks which user owns the listener. Replies are decoded in place. Their bytes are
/// wiped after the caller has seen them, because the reply with an enrolment code contains a secret.
public struct AgentConnection: ~Copyable {
    /// The agent's socket, unless another path is configured.
    public static let defaultPath = "/run/boxagent/control.sock"

    private let socket: OwnedDescriptor
    private var buffer: WipedBuffer

    /// Connects to the socket at `path`. While the agent's queue is full, it retries for at most `timeLimit`.
    public init(path: String, timeLimit: Duration) throws(AgentClientError) {
        try self.init(path: path, timeLimit: timeLimit, trust: .ofThisMachine())
    }

    init(path: String, timeLimit: Duration, trust: ListenerTrust) throws(AgentClientError) {
        socket = try Self.connect(path: path, timeLimit: timeLimit, trust: trust)
        buffer = WipedBuffer(count: ControlLimits.messageBytes)
    }

    /// The descriptor for poll(2), for programs with other events. A reply or a close makes it readable.
    public var descriptor: Int32 { socket.number }

    private static func connect(
        path: String, timeLimit: Duration, trust: ListenerTrust
    ) throws(AgentClientError) -> OwnedDescriptor {
        let made = clinux_seqpacket()
        guard made >= 0 else { throw failure("socket", made) }
        let socket = OwnedDescriptor(number: made)
        let deadline = Deadline(in: timeLimit)
        let bytes = Array(path.utf8)
        var status = clinux_unix_connect(socket.number, bytes, bytes.count)
        while status == -EAGAIN {
            // AF_UNIX reports no readiness for a full queue (connect(2)), so this loop retries ten times a second.
            guard deadline.remainingMilliseconds > 0 else { throw .busy }
            _ = clinux_wait(-1, 0, min(100, deadline.remainingMilliseconds))
            status = clinux_unix_connect(socket.number, bytes, bytes.count)
        }
        guard status >= 0 else { throw failure(connectingTo: path, status) }
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        let peer = clinux_peer(socket.number, &process, &user, &group)
        guard peer >= 0 else { throw failure("getsockopt", peer) }
        guard trust.trusts(user) else { throw .untrustedListener(path: path, user: user) }
        return socket
    }

    /// Sends a request. Waits at most `timeLimit` until the socket accepts it.
    public mutating func send(_ request: ControlRequest, timeLimit: Duration) throws(AgentClientError) {
        try send(timeLimit: timeLimit) { output throws(ControlMessageError) in try request.encode(into: &output) }
    }

    /// Sends a join code in the same way. The message buffer, which holds a copy of the code, is wiped.
    public mutating func sendJoin(code: RawSpan, timeLimit: Duration) throws(AgentClientError) {
        try send(timeLimit: timeLimit) { output throws(ControlMessageError) in
            try ControlRequest.encodeJoin(code: code, into: &output)
        }
    }

    private func send(
        timeLimit: Duration, _ encode: (inout MutableRawSpan) throws(ControlMessageError) -> Int
    ) throws(AgentClientError) {
        var message = WipedBuffer(count: ControlLimits.messageBytes)
        let count: Int
        do {
            count = try message.withMutableBytes { output throws(ControlMessageError) in try encode(&output) }
        } catch {
            throw .unsendable(error)
        }
        let deadline = Deadline(in: timeLimit)
        while true {
            let descriptor = socket.number
            let sent = message.withPointer { bytes, _ in clinux_send(descriptor, bytes, count) }
            if sent == count { return }
            guard sent == -Int(EAGAIN) else {
                if sent == -Int(EPIPE) || sent == -Int(ECONNRESET) { throw .closed }
                throw Self.failure("send", Int32(clamping: sent))
            }
            guard try wait(for: CLINUX_WRITABLE, until: deadline) else { throw .timedOut }
        }
    }

    /// Waits at most `timeLimit` for a reply. Passes it to `body` with the bytes that its ranges refer to. Returns
    /// nil if no reply came.
    public mutating func receive<Result>(
        timeLimit: Duration, _ body: (ControlReply, RawSpan) -> Result
    ) throws(AgentClientError) -> Result? {
        let deadline = Deadline(in: timeLimit)
        while true {
            let descriptor = socket.number
            let count = buffer.withPointer { clinux_receive(descriptor, $0, $1) }
            if count == -Int(EAGAIN) {
                guard try wait(for: CLINUX_READABLE, until: deadline) else { return nil }
                continue
            }
            if count == 0 { throw .closed }
            guard count > 0 else { throw Self.failure("recv", Int32(clamping: count)) }
            guard count <= buffer.count else { throw .malformed(.notAMessage(.tooLarge)) }
            defer { buffer.wipe() }
            do {
                return try buffer.withBytes(first: count) { bytes throws(ControlMessageError) in
                    body(try ControlReply.decode(bytes), bytes)
                }
            } catch {
                throw .malformed(error)
            }
        }
    }

    /// Returns true if the descriptor became ready before the deadline.
    private func wait(for interest: Int, until deadline: Deadline) throws(AgentClientError) -> Bool {
        while true {
            let ready = clinux_wait(socket.number, UInt32(interest), deadline.remainingMilliseconds)
            if ready > 0 { return true }
            if ready == 0 && deadline.remainingMilliseconds == 0 { return false }
            guard ready == 0 || ready == -EINTR else { throw Self.failure("poll", ready) }
        }
    }

    private static func failure(_ operation: String, _ status: Int32) -> AgentClientError {
        // SAFETY: the text is a constant of libc.
        let reason = String(cString: clinux_reason(-status))
        return .system(operation: operation, reason: reason)
    }

    private static func failure(connectingTo path: String, _ status: Int32) -> AgentClientError {
        switch -status {
        case ENOENT, ECONNREFUSED, ENOTDIR: .notRunning(path: path)
        case EACCES, EPERM: .notPermitted(path: path)
        case ENAMETOOLONG: .pathTooLong(path: path)
        // A socket of a type other than SOCK_SEQPACKET.
        case EPROTOTYPE: .notRunning(path: path)
        default: failure("connect", status)
        }
    }
}

/// A descriptor that deinit closes. The type is public because Embedded Swift compiles deinit in the owner's module.
public struct OwnedDescriptor: ~Copyable {
    let number: Int32

    deinit {
        clinux_close(number)
    }
}
