import Links
import Transport

/// The phone's end of a radio in memory.
public final class MemoryCentral: CentralRadio {
    /// The time between two looks at the air during a scan.
    static let scanPause = Duration.milliseconds(10)

    private let air: MemoryAir
    private let clock: any LinkClock

    public init(in air: MemoryAir, clock: any LinkClock) {
        self.air = air
        self.clock = clock
    }

    public func scan(
        for duration: Duration, found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(LinkError) {
        let end = clock.now() + duration
        while clock.now() < end {
            for (place, box) in air.all {
                guard let shown = box.advertised else { continue }
                if await found(Advertisement(name: shown.name, address: String(place), rssi: nil)) { return }
            }
            do {
                try await clock.sleep(until: min(end, clock.now() + Self.scanPause))
            } catch {
                throw .cancelled
            }
        }
    }

    public func connect(to address: String) async throws(LinkError) -> any CentralLink {
        guard let place = Int(address), let box = air.box(at: place) else { throw .notFound }
        guard let shown = box.advertised else { throw .refused }
        return MemoryConnection(to: box, identity: shown.identity)
    }
}

/// A connection that has no link yet.
final class MemoryConnection: CentralLink {
    private let box: MemoryPeripheral
    private let identity: [UInt8]

    init(to box: MemoryPeripheral, identity: [UInt8]) {
        self.box = box
        self.identity = identity
    }

    func readIdentity() async throws(LinkError) -> [UInt8] { identity }

    func open(for demand: LinkDemand) async throws(LinkError) -> OpenedLink {
        let (phone, other) = MemoryLink.pair()
        guard box.take(other) else { throw .refused }
        return OpenedLink(phone, carries: .much)
    }

    func close() async {}
}
