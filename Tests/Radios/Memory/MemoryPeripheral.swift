import Links
import Synchronization
import Transport

/// The box's end of a radio in memory.
public final class MemoryPeripheral: PeripheralRadio {
    struct Shown: Sendable {
        var identity: [UInt8] = []
        var name: [UInt8] = []
        var mode = AdvertisingMode.off
        var place = 0
    }

    /// The most links that may wait to be accepted. Further links are refused.
    static let waitingLinks = 16

    private let air: MemoryAir
    private let shown = Mutex(Shown())
    private let arrived: AsyncStream<MemoryLink>
    private let arrival: AsyncStream<MemoryLink>.Continuation
    private let links = Mutex<[MemoryLink]>([])

    public init(in air: MemoryAir) {
        self.air = air
        (arrived, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingLinks))
    }

    /// The data that phones see, or nil while the box does not advertise.
    var advertised: Shown? { shown.withLock { $0.mode == .off ? nil : $0 } }

    /// Takes a link that a phone has opened. Returns false if too many links wait.
    func take(_ link: MemoryLink) -> Bool {
        guard case .enqueued = arrival.yield(link) else { return false }
        links.withLock { $0.append(link) }
        return true
    }

    public func start(identity: [UInt8], name: String) async throws(LinkError) {
        guard identity.count <= RadioLimits.identityBytes else { throw .messageTooLarge }
        let place = air.enter(self)
        shown.withLock { $0 = Shown(identity: identity, name: Array(name.utf8), place: place) }
    }

    public func show(identity: [UInt8], name: String) async {
        shown.withLock { ($0.identity, $0.name) = (identity, Array(name.utf8)) }
    }

    public func setAdvertising(_ mode: AdvertisingMode) async { shown.withLock { $0.mode = mode } }

    public func accept() async throws(LinkError) -> any PhoneLink {
        var iterator = arrived.makeAsyncIterator()
        guard let link = await iterator.next() else { throw Task.isCancelled ? .cancelled : .closed }
        return link
    }

    public func stop() async {
        air.leave(shown.withLock { $0.place })
        arrival.finish()
        for link in links.withLock({ $0 }) { await link.close() }
    }
}
