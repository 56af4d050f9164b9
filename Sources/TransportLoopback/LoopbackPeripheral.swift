import EventLoop
import Transport

/// The box's end of the loopback radio: a socket in the directory that is the air.
public actor LoopbackPeripheral: PeripheralRadio {
    /// Links that have subscribed and wait to be accepted; while there are as many, further ones wait unsubscribed.
    static let acceptQueueLinks = 16
    /// Links at once, half-open ones included.
    static let linkLimit = 64

    private let loop: EpollLoop
    private let airDirectory: String
    private let arrived: WaitPoint
    private var listener: SeqPacketListener?
    private var waiting: [LoopbackPeripheralLink] = []
    private var table = LoopbackTable(identity: [], psm: 0, name: [])
    private var mode = AdvertisingMode.off
    private var stopped = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    public init(loop: EpollLoop, airDirectory: String) {
        self.loop = loop
        self.airDirectory = airDirectory
        arrived = WaitPoint(on: loop)
    }

    public func start(identity: [UInt8], psm: UInt16, name: String) async throws(LinkError) {
        table = LoopbackTable(identity: identity, psm: psm, name: Array(name.utf8))
        do {
            try Directories.makePrivate(airDirectory)
            let limits = PeerLimits(connections: Self.linkLimit, connectionsPerUser: Self.linkLimit)
            let path = LoopbackAir.newSocketPath(in: airDirectory)
            let listener = try SeqPacketListener(path: path, mode: 0o600, limits: limits, on: loop)
            self.listener = listener
            loop.spawn { await self.serve(listener) }
        } catch {
            throw .radio(
                "the loopback radio cannot use \(airDirectory): \(error); make the directory, or choose another")
        }
    }

    public func setAdvertising(_ mode: AdvertisingMode) async {
        self.mode = mode
    }

    public func accept() async throws(LinkError) -> any PhoneLink {
        while true {
            guard !stopped else { throw .closed }
            let mark = arrived.mark()
            if !waiting.isEmpty { return waiting.removeFirst() }
            guard await arrived.wait(since: mark) == .signalled else { throw .cancelled }
        }
    }

    public func stop() async {
        stopped = true
        await listener?.close()
        for link in waiting { await link.close() }
        waiting = []
        arrived.signal()
    }

    private func serve(_ listener: SeqPacketListener) async {
        while let connection = try? await listener.accept() {
            let (table, advertised) = (table, mode != .off)
            loop.spawn {
                let link = LoopbackPeripheralLink(connection: connection, table: table, advertised: advertised)
                guard await link.becomeSubscribed(within: LoopbackLimits.subscription) else {
                    return await link.close()
                }
                await self.take(link)
            }
        }
    }

    private func take(_ link: LoopbackPeripheralLink) async {
        guard !stopped, waiting.count < Self.acceptQueueLinks else { return await link.close() }
        waiting.append(link)
        arrived.signal()
    }
}

/// What a box offers to read.
struct LoopbackTable: Sendable {
    let identity: [UInt8]
    let psm: UInt16
    let name: [UInt8]
}

enum LoopbackLimits {
    /// From the connection to the subscription.
    static let subscription: Duration = .seconds(10)
    /// Bytes that the kernel keeps for a slow reader, either way; then senders wait.
    static let socketBytes = 16_384
}
