import CLinux
import Glibc

/// A SOCK_SEQPACKET connection: whole messages in order, between local programs or over a Bluetooth L2CAP channel.
///
/// Nothing is buffered here: a peer that sends too fast is held back by its own send queue. An empty message looks like
/// the end of the connection, so peers never send one.
public actor SeqPacketConnection {
    /// Maximum number of callers that wait to send.
    public static let waitingSenders = 64

    public nonisolated let loop: EpollLoop
    public nonisolated let peer: PeerCredentials
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let descriptor: Int32
    private let token: WatchToken
    private let readable: WaitPoint
    private let writable: WaitPoint
    private let senders: Turnstile
    private let onClose: (@Sendable () -> Void)?
    /// True while the connection is idle: a full listener may close it for a new one. Its owner changes this with
    /// `setGivesWay`.
    public private(set) var givesWay = true
    private var isReceiving = false
    private var isClosed = false

    /// Takes over a connected descriptor, even if this initialiser throws. Calls `onClose` once, when the connection is
    /// closed or released. Linux names the peer unless the caller passes one.
    package init(
        owning descriptor: Int32, peer known: PeerCredentials? = nil, on loop: EpollLoop,
        onClose: (@Sendable () -> Void)? = nil
    ) throws(SocketError) {
        let readable = WaitPoint(on: loop)
        let writable = WaitPoint(on: loop)
        do throws(SystemError) {
            if let known { peer = known } else { peer = try Self.localPeer(of: descriptor) }
            token = try loop.watch(descriptor, for: [.readable, .writable]) { readiness in
                if readiness.contains(.readable) { readable.signal() }
                if readiness.contains(.writable) { writable.signal() }
            }
        } catch {
            Glibc.close(descriptor)
            throw .system(error)
        }
        self.loop = loop
        self.descriptor = descriptor
        self.readable = readable
        self.writable = writable
        self.onClose = onClose
        senders = Turnstile(on: loop, limit: Self.waitingSenders)
    }

    deinit {
        guard !isClosed else { return }
        loop.unwatch(token)
        Glibc.close(descriptor)
        onClose?()
    }

    private static func localPeer(of descriptor: Int32) throws(SystemError) -> PeerCredentials {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        _ = try checked(clinux_peer(descriptor, &process, &user, &group), "learn who has connected")
        return PeerCredentials(processID: process, userID: user, groupID: group)
    }

    public func setGivesWay(_ givesWay: Bool) {
        self.givesWay = givesWay
    }

    /// Closes the connection; waiting callers get `closed`. May be called again.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.unwatch(token)
        Glibc.close(descriptor)
        readable.signal()
        writable.signal()
        onClose?()
    }

    /// Limits the kernel's queues, in bytes as Linux counts them (about 1 KiB for a short message).
    public func setBuffers(sendBytes: Int, receiveBytes: Int) throws(SocketError) {
        guard !isClosed else { throw .closed }
        let result = clinux_set_buffers(descriptor, Int32(clamping: sendBytes), Int32(clamping: receiveBytes))
        if result < 0 { throw .system(SystemError(code: -result, attempt: "set a socket's buffers")) }
    }

    // MARK: Receiving

    /// Returns the next message of at most `limit` bytes, or nil once the peer has closed. Allows one caller at a time.
    public func receive(
        limit: Int, until deadline: Duration? = nil
    ) async throws(SocketError) -> [UInt8]? {
        try await withReceived(limit: limit, until: deadline) { bytes in
            var copy: [UInt8] = []
            copy.reserveCapacity(bytes.byteCount)
            // SAFETY: the bytes are copied while they are lent.
            bytes.withUnsafeBytes { copy.append(contentsOf: $0) }
            return copy
        }
    }

    /// Like `receive`, for messages with secrets: lends the bytes to `body` and wipes them afterwards.
    public func withReceived<Value: Sendable>(
        limit: Int, until deadline: Duration? = nil, _ body: @Sendable (RawSpan) -> Value
    ) async throws(SocketError) -> Value? {
        guard !isReceiving else { throw .busy }
        isReceiving = true
        defer { isReceiving = false }
        while true {
            guard !isClosed else { throw .closed }
            let mark = readable.mark()
            switch try receiveNow(limit: limit, body) {
            case .message(let value): return value
            case .end: return nil
            case .nothing: break
            }
            switch await readable.wait(since: mark, until: deadline) {
            case .signalled: continue
            case .timedOut: throw .timedOut
            case .cancelled: throw .cancelled
            }
        }
    }

    private enum Received<Value> {
        case message(Value)
        case end
        case nothing
    }

    private func receiveNow<Value>(
        limit: Int, _ body: (RawSpan) -> Value
    ) throws(SocketError) -> Received<Value> {
        // SAFETY: freed on every path, and the span that `body` sees cannot outlive the call.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(limit, 1), alignment: 8)
        defer { buffer.deallocate() }
        let count = clinux_receive(descriptor, buffer.baseAddress, buffer.count)
        switch count {
        case 1...:
            defer { clinux_wipe(buffer.baseAddress, min(count, buffer.count)) }
            guard count <= limit else { throw .messageTooLarge }
            return .message(body(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes))
        case 0: return .end
        case -Int(EAGAIN): return .nothing
        default: throw .system(SystemError(code: Int32(-count), attempt: "receive from a socket"))
        }
    }

    // MARK: Sending

    /// Sends one message after all earlier ones, and waits while the peer does not receive.
    public func send(_ bytes: [UInt8], until deadline: Duration? = nil) async throws(SocketError) {
        try await senders.enter(until: deadline)
        defer { senders.leave() }
        // SAFETY: the pointer is used during the call only.
        while try !bytes.withUnsafeBytes({ sendNow($0) }).get() {
            try await waitToSend(until: deadline)
        }
    }

    /// Like `send`, but as on the air: a message to a peer that has closed is lost without an error. The peer's last
    /// messages may still wait here; `receive` reports the end after them.
    public func transmit(_ bytes: [UInt8], until deadline: Duration? = nil) async throws(SocketError) {
        do throws(SocketError) {
            try await send(bytes, until: deadline)
        } catch {
            guard error == .closed, !isClosed else { throw error }
        }
    }

    /// Like `send`, for messages with secrets: `body` writes at most `limit` bytes and returns the count. The bytes are
    /// wiped.
    public func send(
        limit: Int, until deadline: Duration? = nil, writing body: @Sendable (inout MutableRawSpan) -> Int
    ) async throws(SocketError) {
        try await senders.enter(until: deadline)
        defer { senders.leave() }
        // SAFETY: wiped and freed on every path; no other code sees the pointer.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(limit, 1), alignment: 8)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        defer {
            clinux_wipe(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
        var span = buffer.mutableBytes
        let count = body(&span)
        guard (0...limit).contains(count) else { throw .messageTooLarge }
        // SAFETY: `count` was checked against the buffer's size.
        while try !sendNow(UnsafeRawBufferPointer(rebasing: buffer[..<count])).get() {
            try await waitToSend(until: deadline)
        }
    }

    private var sendMark: WaitPoint.Mark?

    /// Returns true if the whole message was accepted; false if there is no room now.
    private func sendNow(_ bytes: UnsafeRawBufferPointer) -> Result<Bool, SocketError> {
        guard !isClosed else { return .failure(.closed) }
        guard !bytes.isEmpty else { return .failure(.messageTooLarge) }
        sendMark = writable.mark()
        // SAFETY: pointer and count describe one buffer, which the caller holds during the call.
        let sent = clinux_send(descriptor, bytes.baseAddress, bytes.count)
        switch sent {
        case 0...: return .success(true)
        case -Int(EAGAIN): return .success(false)
        case -Int(EPIPE), -Int(ECONNRESET): return .failure(.closed)
        case -Int(EMSGSIZE): return .failure(.messageTooLarge)
        default: return .failure(.system(SystemError(code: Int32(-sent), attempt: "send to a socket")))
        }
    }

    private func waitToSend(until deadline: Duration?) async throws(SocketError) {
        switch await writable.wait(since: sendMark ?? writable.mark(), until: deadline) {
        case .signalled: return
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        }
    }
}

// MARK: Making connections

extension SeqPacketConnection {
    /// Interval between attempts while the accept queue is full.
    static let connectRetry = Duration.milliseconds(5)

    /// Connects to a listener's path, and waits while its accept queue is full.
    public static func connect(
        to path: String, on loop: EpollLoop, until deadline: Duration
    ) async throws(SocketError) -> SeqPacketConnection {
        let bytes = Array(path.utf8)
        while true {
            let descriptor = clinux_seqpacket()
            guard descriptor >= 0 else {
                throw .system(SystemError(code: -descriptor, attempt: "make a socket"))
            }
            let result = clinux_unix_connect(descriptor, bytes, bytes.count)
            if result >= 0 { return try SeqPacketConnection(owning: descriptor, on: loop) }
            Glibc.close(descriptor)
            switch -result {
            case EAGAIN: break
            case ENOENT: throw .notFound(path: path)
            case ECONNREFUSED: throw .refused(path: path)
            default: throw .system(SystemError(code: -result, attempt: "connect to \(path)"))
            }
            guard loop.now() < deadline else { throw .timedOut }
            do throws(CancellationError) {
                try await loop.sleep(until: min(deadline, loop.now() + connectRetry))
            } catch {
                throw .cancelled
            }
        }
    }

    /// Makes two ends of one connection inside this process.
    public static func pair(
        on loop: EpollLoop
    ) throws(SocketError) -> (SeqPacketConnection, SeqPacketConnection) {
        var descriptors: [Int32] = [-1, -1]
        let made = clinux_seqpacket_pair(&descriptors)
        guard made >= 0 else { throw .system(SystemError(code: -made, attempt: "make a pair of sockets")) }
        let second = descriptors[1]
        let first: SeqPacketConnection
        do throws(SocketError) {
            first = try SeqPacketConnection(owning: descriptors[0], on: loop)
        } catch {
            Glibc.close(second)
            throw error
        }
        return (first, try SeqPacketConnection(owning: second, on: loop))
    }
}
