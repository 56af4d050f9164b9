import CTCP
import EventLoop
import Glibc

/// A TCP connection: bytes in order, in both directions. Outgoing bytes wait in a bounded queue; nothing blocks.
///
/// It lives on its loop. Call the functions that do not wait (`send`, `close`, `queuedBytes`) on the loop.
public actor TCPConnection {
    /// The default for the most bytes that wait to be sent.
    public static let queueLimit = 65_536
    /// The connection ends if sent bytes are not acknowledged for this time, in milliseconds (TCP_USER_TIMEOUT).
    static let userTimeoutMilliseconds: Int32 = 20_000
    /// The most bytes of a peer to discard at the end, so that closing does not reset the connection while the peer
    /// still reads.
    private static let discardBytes = 65_536

    public nonisolated let loop: EpollLoop
    public nonisolated let peer: TCPAddress
    public nonisolated let local: TCPAddress
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let descriptor: Int32
    private let readable: WaitPoint
    private let written: WaitPoint
    private var token: WatchToken?
    private var queue: TCPOutQueue
    private var isReceiving = false
    private var isClosed = false

    /// Takes ownership of a connected socket, even if it throws. Call `begin` next.
    init(owning descriptor: Int32, on loop: EpollLoop, queueLimit: Int) throws(TCPError) {
        guard let peer = TCPAddress(.peer, of: descriptor), let local = TCPAddress(.ours, of: descriptor) else {
            Glibc.close(descriptor)
            throw .closed
        }
        let prepared = ctcp_prepare(descriptor, Self.userTimeoutMilliseconds)
        guard prepared >= 0 else {
            Glibc.close(descriptor)
            throw .system(SystemError(code: -prepared, attempt: "prepare a connection"))
        }
        self.descriptor = descriptor
        self.loop = loop
        self.peer = peer
        self.local = local
        readable = WaitPoint(on: loop)
        written = WaitPoint(on: loop)
        queue = TCPOutQueue(limit: queueLimit)
    }

    deinit {
        guard !isClosed else { return }
        if let token { loop.unwatch(token) }
        Glibc.close(descriptor)
    }

    func begin() throws(TCPError) {
        do throws(SystemError) {
            token = try loop.watch(descriptor, for: [.readable, .writable]) { [weak self] readiness in
                // SAFETY: handlers run on the loop, which is this connection's executor.
                self?.assumeIsolated { $0.isReady(readiness) }
            }
        } catch {
            closeNow()
            throw .system(error)
        }
    }

    private func isReady(_ readiness: Readiness) {
        guard !isClosed else { return }
        if readiness.contains(.readable) { readable.signal() }
        if readiness.contains(.writable) { flush() }
    }

    // MARK: Receiving

    /// Returns the next bytes, 1 to `limit`, or an empty array once the other side has closed. One caller at a time.
    public func receive(upTo limit: Int) async throws(TCPError) -> [UInt8] {
        guard !isReceiving else { throw .busy }
        isReceiving = true
        defer { isReceiving = false }
        while true {
            guard !isClosed else { throw .closed }
            let mark = readable.mark()
            if let bytes = try receiveNow(upTo: limit) { return bytes }
            if await readable.wait(since: mark) == .cancelled { throw .cancelled }
        }
    }

    /// Returns nil if no bytes are there now.
    private func receiveNow(upTo limit: Int) throws(TCPError) -> [UInt8]? {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(limit, 1)) { buffer, filled in
            // SAFETY: pointer and count describe one buffer; only bytes that the kernel has written count as filled.
            count = ctcp_receive(descriptor, buffer.baseAddress, buffer.count)
            filled = max(count, 0)
        }
        switch count {
        case 0...: return bytes
        case -Int(EAGAIN): return nil
        // The connection broke: it was reset, no acknowledgement came for too long, or the route was lost.
        case -Int(ECONNRESET), -Int(ETIMEDOUT), -Int(EHOSTUNREACH), -Int(ENETUNREACH), -Int(EPIPE): throw .closed
        default: throw .system(SystemError(code: Int32(-count), attempt: "receive from \(peer)"))
        }
    }

    // MARK: Sending

    /// Bytes that wait for the socket to take them.
    public nonisolated var queuedBytes: Int {
        // SAFETY: called on the loop, as the type says; `assumeIsolated` stops the program otherwise.
        assumeIsolated { $0.queue.count }
    }

    /// Queues the bytes and sends as many as the socket takes. Returns false if the queue is full or the connection is
    /// over. The caller must then drop the connection.
    public nonisolated func send(_ bytes: [UInt8]) -> Bool {
        // SAFETY: called on the loop, as the type says; `assumeIsolated` stops the program otherwise.
        assumeIsolated { connection in
            guard !connection.isClosed, connection.queue.add(bytes) else { return false }
            connection.flush()
            return !connection.isClosed
        }
    }

    /// Queues the bytes; the next `send` or `sendHeld` sends them in one system call. Returns false as `send` does.
    public nonisolated func hold(_ bytes: [UInt8]) -> Bool {
        // SAFETY: called on the loop, as the type says; `assumeIsolated` stops the program otherwise.
        assumeIsolated { !$0.isClosed && $0.queue.add(bytes) }
    }

    /// Sends the bytes that `hold` queued.
    public nonisolated func sendHeld() {
        // SAFETY: called on the loop, as the type says; `assumeIsolated` stops the program otherwise.
        assumeIsolated { if !$0.isClosed { $0.flush() } }
    }

    private func flush() {
        while queue.count > 0 {
            // SAFETY: pointer and count describe the slice, which outlives the call.
            let sent = queue.unsent.withUnsafeBytes { ctcp_send(descriptor, $0.baseAddress, $0.count) }
            guard sent > 0 else {
                if sent != -Int(EAGAIN) { closeNow() }
                break
            }
            queue.dropFirst(sent)
        }
        written.signal()
    }

    /// Returns when fewer than `bytes` bytes (at least 1) wait, the connection is over, or the task is cancelled.
    public func drained(below bytes: Int) async {
        _ = await drained(below: bytes, until: nil)
    }

    private func drained(below bytes: Int, until deadline: Duration?) async -> Bool {
        while true {
            let mark = written.mark()
            if isClosed || queue.count < max(bytes, 1) { return true }
            if await written.wait(since: mark, until: deadline) != .signalled { return false }
        }
    }

    // MARK: Closing

    /// Sends the queued bytes until a deadline in time since boot, then closes.
    public func finish(by deadline: Duration) async {
        _ = await drained(below: 1, until: deadline)
        guard !isClosed else { return }
        _ = ctcp_end_sending(descriptor)
        // Unread bytes would make close(2) reset the connection and lose the bytes just sent (RFC 2525, 2.17).
        var discarded = 0
        while discarded < Self.discardBytes, let bytes = try? receiveNow(upTo: 4_096), !bytes.isEmpty {
            discarded += bytes.count
        }
        closeNow()
    }

    /// Closes the connection at once. Waiting callers get `closed`. Further calls do nothing.
    public nonisolated func close() {
        // SAFETY: called on the loop, as the type says; `assumeIsolated` stops the program otherwise.
        assumeIsolated { $0.closeNow() }
    }

    private func closeNow() {
        guard !isClosed else { return }
        isClosed = true
        if let token { loop.unwatch(token) }
        Glibc.close(descriptor)
        queue.clear()
        readable.signal()
        written.signal()
    }
}
