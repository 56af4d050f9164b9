import CTCP
import EventLoop
import Glibc

/// A listening TCP socket. Its user decides how many connections may be open at once.
public actor TCPListener {
    /// The pause if Linux has no descriptor or memory left.
    static let exhaustedPause = Duration.milliseconds(100)

    public nonisolated let loop: EpollLoop
    /// The address, with the port that the kernel chose.
    public nonisolated let address: TCPAddress
    public nonisolated var port: UInt16 { address.port }
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let descriptor: Int32
    private let token: WatchToken
    private let ready: WaitPoint
    private let queueLimit: Int
    private var isAccepting = false
    private var isClosed = false

    /// Listens on an address of this machine. An IPv6 address serves IPv6 only. Port 0 lets the kernel choose.
    ///
    /// - Parameters:
    ///   - backlog: Most connections that wait to be accepted.
    ///   - queueLimit: Most bytes that wait to be sent in each connection.
    public init(
        on wanted: TCPAddress, loop: EpollLoop, backlog: Int32 = 1_024, queueLimit: Int = TCPConnection.queueLimit
    ) throws(TCPError) {
        let descriptor = ctcp_socket(Int32(wanted.bytes.count))
        guard descriptor >= 0 else { throw .system(SystemError(code: -descriptor, attempt: "make a TCP socket")) }
        let ready = WaitPoint(on: loop)
        do throws(TCPError) {
            let bound = ctcp_listen(descriptor, wanted.bytes, Int32(wanted.bytes.count), wanted.port, backlog)
            guard bound >= 0 else { throw Self.failure(-bound, wanted) }
            guard let address = TCPAddress(.ours, of: descriptor) else { throw .closed }
            self.address = address
            token = try Self.watch(descriptor, ready, on: loop)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.loop = loop
        self.descriptor = descriptor
        self.ready = ready
        self.queueLimit = queueLimit
    }

    deinit {
        guard !isClosed else { return }
        loop.unwatch(token)
        Glibc.close(descriptor)
    }

    /// Stops listening. Waiting callers get `closed`; connections stay open. Call it on the loop; it may be repeated.
    public nonisolated func close() {
        // SAFETY: called on the loop, which is this listener's executor; it stops the program otherwise.
        assumeIsolated { $0.closeNow() }
    }

    private func closeNow() {
        guard !isClosed else { return }
        isClosed = true
        loop.unwatch(token)
        Glibc.close(descriptor)
        ready.signal()
    }

    /// Returns the next connection. One caller at a time. It skips peers that have left. If Linux has no resources
    /// left, or reports a network error, it pauses and continues.
    public func accept() async throws(TCPError) -> TCPConnection {
        guard !isAccepting else { throw .busy }
        isAccepting = true
        defer { isAccepting = false }
        while true {
            guard !isClosed else { throw .closed }
            let mark = ready.mark()
            var pause: Duration?
            switch Self.acceptNow(from: descriptor) {
            case .descriptor(let accepted):
                if let connection = admit(accepted) { return connection }
                continue
            case .left: continue
            case .exhausted: pause = loop.now() + Self.exhaustedPause
            case .nothing: break
            }
            if await ready.wait(since: mark, until: pause) == .cancelled { throw .cancelled }
        }
    }

    /// accept(2) also reports network errors of the new connection. None of them ends the listener.
    private static func acceptNow(from descriptor: Int32) -> AcceptedDescriptor {
        do throws(SocketError) { return try AcceptedDescriptor(from: descriptor) } catch { return .exhausted }
    }

    /// Returns nil if the peer has left already.
    private func admit(_ accepted: Int32) -> TCPConnection? {
        guard let connection = try? TCPConnection(owning: accepted, on: loop, queueLimit: queueLimit) else {
            return nil
        }
        // SAFETY: this listener and the connection have the same executor, the loop.
        let hasBegun = connection.assumeIsolated { (try? $0.begin()) != nil }
        return hasBegun ? connection : nil
    }

    private static func watch(
        _ descriptor: Int32, _ ready: WaitPoint, on loop: EpollLoop
    ) throws(TCPError) -> WatchToken {
        do throws(SystemError) {
            return try loop.watch(descriptor, for: .readable) { _ in ready.signal() }
        } catch {
            throw .system(error)
        }
    }

    private static func failure(_ code: Int32, _ address: TCPAddress) -> TCPError {
        switch code {
        case EADDRINUSE: .inUse(address)
        case EADDRNOTAVAIL: .notOurs(address)
        default: .system(SystemError(code: code, attempt: "listen on \(address)"))
        }
    }
}
