import EventLoop
import Links
import Transport

/// The box's side of the loopback radio: a socket in the directory that replaces the air.
public actor LoopbackPeripheral: PeripheralRadio {
    /// The PSM of the box's L2CAP channel. A box without a channel shows 0.
    static let psm: UInt16 = 0x0080
    /// The most ready links that wait for `accept`. Further ones wait for a place, up to a time limit.
    static let acceptQueueLinks = 16
    /// The most links at once, with half-open ones and scans. Further ones wait in the kernel.
    static let linkLimit = 64

    private let loop: EpollLoop
    private let airDirectory: String
    private let adapter: UInt64?
    private let psm: UInt16
    private let arrived: WaitPoint
    private var listener: SeqPacketListener?
    private var waiting: [any PhoneLink] = []
    private var links: [WeakLink] = []
    private let placeFreed: WaitPoint
    private var table = LoopbackTable(identity: [], psm: 0, name: [])
    private var mode = AdvertisingMode.off
    private var stopped = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameter adapter: The number behind the box's address, which then stays the same at each start, as a real
    ///   adapter's does.
    public init(loop: EpollLoop, airDirectory: String, adapter: UInt64? = nil, offersL2CAP: Bool = true) {
        self.loop = loop
        self.airDirectory = airDirectory
        self.adapter = adapter
        psm = offersL2CAP ? Self.psm : 0
        arrived = WaitPoint(on: loop)
        placeFreed = WaitPoint(on: loop)
    }

    public func start(identity: [UInt8], name: String) async throws(LinkError) {
        table = LoopbackTable(identity: identity, psm: psm, name: Array(name.utf8))
        do {
            try Directories.makePrivate(airDirectory)
            let limits = PeerLimits(connections: Self.linkLimit, connectionsPerUser: Self.linkLimit)
            let path = LoopbackAir.socketPath(in: airDirectory, adapter: adapter)
            let listener = try SeqPacketListener(path: path, mode: 0o600, limits: limits, on: loop)
            self.listener = listener
            loop.spawn { await self.serve(listener) }
        } catch {
            throw .radio(
                "the loopback radio cannot use \(airDirectory): \(error); make the directory, or choose another")
        }
    }

    public func show(identity: [UInt8], name: String) async {
        table = LoopbackTable(identity: identity, psm: psm, name: Array(name.utf8))
    }

    public func setAdvertising(_ mode: AdvertisingMode) async {
        self.mode = mode
    }

    public func accept() async throws(LinkError) -> any PhoneLink {
        while true {
            guard !stopped else { throw .closed }
            let mark = arrived.mark()
            if !waiting.isEmpty {
                defer { placeFreed.signal() }
                return waiting.removeFirst()
            }
            guard await arrived.wait(since: mark) == .signalled else { throw .cancelled }
        }
    }

    public func stop() async {
        stopped = true
        await listener?.close()
        waiting = []
        arrived.signal()
        placeFreed.signal()
        for link in links { await link.value?.close() }
        links = []
    }

    private func serve(_ listener: SeqPacketListener) async {
        while let connection = try? await listener.accept() {
            let link = LoopbackPeripheralLink(connection: connection, table: table, advertised: mode != .off)
            links.removeAll { $0.value == nil }
            links.append(WeakLink(value: link))
            loop.spawn {
                if let ready = await link.becomeReady(within: LoopbackLimits.subscription) {
                    await self.take(ready)
                } else {
                    await link.close()
                }
            }
        }
    }

    private func take(_ link: any PhoneLink) async {
        let deadline = loop.now() + LoopbackLimits.acceptance
        while true {
            let mark = placeFreed.mark()
            if stopped { break }
            if waiting.count < Self.acceptQueueLinks {
                waiting.append(link)
                return arrived.signal()
            }
            guard await placeFreed.wait(since: mark, until: deadline) == .signalled else { break }
        }
        await link.close()
    }
}

private struct WeakLink {
    weak var value: LoopbackPeripheralLink?
}

/// The readable values of a box.
struct LoopbackTable: Sendable {
    let identity: [UInt8]
    let psm: UInt16
    let name: [UInt8]
}

enum LoopbackLimits {
    /// The time limit from the connection to the subscription or the L2CAP channel.
    static let subscription: Duration = .seconds(10)
    /// The time limit from subscription or channel to a place in the accept queue.
    static let acceptance: Duration = .seconds(10)
    /// The bytes that the kernel keeps for a slow reader in each direction, before senders wait.
    static let socketBytes = 16_384
}
