import CBluetooth
import EventLoop
import Glibc

/// The options of an L2CAP channel.
public struct L2CAPOptions: Sendable {
    /// The kernel's security levels. `none` relies on Noise above L2CAP. The others need a paired peer.
    public enum Security: Int32, Sendable {
        case none = 1
        case encrypted = 2
        case authenticated = 3
    }

    /// The longest SDU that can be received, in bytes: 23 to 65,535.
    public var receiveMTU: Int
    public var security: Security

    public init(receiveMTU: Int, security: Security = .none) {
        self.receiveMTU = min(max(receiveMTU, 23), 65_535)
        self.security = security
    }
}

/// A phone's L2CAP channel from the listener.
public struct AcceptedChannel: Sendable {
    public let connection: SeqPacketConnection
    public let peer: BluetoothAddress
    /// The longest SDU that the peer accepts, in bytes.
    public let sendMTU: Int
}

/// A listening L2CAP socket of Bluetooth LE, on a PSM assigned by the kernel.
public actor L2CAPListener {
    /// The dynamic PSMs, which need no privilege (Core Specification, Vol 3, Part A, 4.22).
    static let psms: ClosedRange<UInt16> = 0x0080...0x00FF
    static let acceptQueueConnections: Int32 = 16

    public nonisolated let loop: EpollLoop
    public nonisolated let psm: UInt16
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let descriptor: Int32
    private let token: WatchToken
    private let ready: WaitPoint
    private let limit: Int
    private var openConnections = 0
    private var isAccepting = false
    private var isClosed = false

    /// Listens on one adapter or on all. At most `connections` are open at once. Further ones wait in the kernel.
    public init(
        on adapter: BluetoothAddress = .any, options: L2CAPOptions, connections: Int = 64, loop: EpollLoop
    ) throws(SocketError) {
        let (descriptor, psm) = try Self.bind(to: adapter, options)
        let ready = WaitPoint(on: loop)
        do throws(SystemError) {
            _ = try checked(
                cbluetooth_l2cap_listen(descriptor, Self.acceptQueueConnections), "listen for L2CAP channels")
            token = try loop.watch(descriptor, for: .readable) { _ in ready.signal() }
        } catch {
            Glibc.close(descriptor)
            throw .system(error)
        }
        self.loop = loop
        self.descriptor = descriptor
        self.psm = psm
        self.ready = ready
        limit = connections
    }

    deinit {
        guard !isClosed else { return }
        loop.unwatch(token)
        Glibc.close(descriptor)
    }

    /// Stops listening, and keeps open connections. It is safe to call this again.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.unwatch(token)
        Glibc.close(descriptor)
        ready.signal()
    }

    /// Waits for the next channel. Throws `busy` if another caller is waiting.
    public func accept() async throws(SocketError) -> AcceptedChannel {
        guard !isAccepting else { throw .busy }
        isAccepting = true
        defer { isAccepting = false }
        while true {
            guard !isClosed else { throw .closed }
            let mark = ready.mark()
            var pause: Duration?
            if openConnections < limit {
                switch try AcceptedDescriptor(from: descriptor) {
                case .descriptor(let accepted):
                    if let channel = try admit(accepted) { return channel }
                    continue
                case .left: continue
                case .exhausted: pause = loop.now() + SeqPacketListener.exhaustedPause
                case .nothing: break
                }
            }
            if await ready.wait(since: mark, until: pause) == .cancelled { throw .cancelled }
        }
    }

    /// Returns nil if the phone has already disconnected.
    private func admit(_ descriptor: Int32) throws(SocketError) -> AcceptedChannel? {
        guard let peer = BluetoothAddress(peerOf: descriptor), let mtu = L2CAPSocket.sendMTU(of: descriptor) else {
            Glibc.close(descriptor)
            return nil
        }
        L2CAPSocket.enlargeBuffers(of: descriptor)
        let loop = loop
        let connection = try SeqPacketConnection(owning: descriptor, peer: .remote, on: loop) { [weak self] in
            // SAFETY: posted closures run on the loop, which is this listener's executor.
            loop.post { [weak self] in self?.assumeIsolated { $0.release() } }
        }
        openConnections += 1
        return AcceptedChannel(connection: connection, peer: peer, sendMTU: mtu)
    }

    private func release() {
        openConnections -= 1
        ready.signal()
    }

    /// Returns a socket bound to a PSM that the kernel chose, or else to the first free one.
    private static func bind(
        to adapter: BluetoothAddress, _ options: L2CAPOptions
    ) throws(SocketError) -> (descriptor: Int32, psm: UInt16) {
        var failure = SystemError(code: EADDRINUSE, attempt: "find a free PSM for L2CAP")
        for wanted in [0] + Array(psms) {
            let descriptor = try L2CAPSocket.make()
            do throws(SystemError) {
                try L2CAPSocket.bind(descriptor, to: adapter, psm: wanted, options)
                let given = try checked(cbluetooth_l2cap_psm(descriptor), "learn the PSM of an L2CAP socket")
                if let psm = UInt16(exactly: given), psms.contains(psm) { return (descriptor, psm) }
            } catch {
                failure = error
            }
            Glibc.close(descriptor)
            guard [EADDRINUSE, EINVAL, EACCES].contains(failure.code) else { break }
        }
        throw .system(failure)
    }
}
