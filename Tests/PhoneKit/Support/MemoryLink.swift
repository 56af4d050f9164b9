import Links
import Transport

/// One end of a link in memory. Segments arrive in order. The link can be cut after a number of segments.
actor MemoryLink: CentralLink, PhoneLink {
    /// The state that both ends share.
    actor Air {
        /// The number of segments, in both directions, until the link is cut. Nil means never.
        private var segmentsLeft: Int?
        private(set) var segmentsSent = 0
        private(set) var isClosed = false
        /// The demand that the chosen carrier serves, for each opening of the phone's end, in order.
        private(set) var opened: [LinkDemand] = []
        private let hasQuickCarrier: Bool
        private var queues: [[[UInt8]]] = [[], []]
        private var waiting: [CheckedContinuation<Void, Never>?] = [nil, nil]
        private let world: VirtualWorld

        nonisolated var unownedExecutor: UnownedSerialExecutor { world.asUnownedSerialExecutor() }

        init(world: VirtualWorld, cutAfterSegments: Int?, hasQuickCarrier: Bool) {
            self.hasQuickCarrier = hasQuickCarrier
            self.world = world
            segmentsLeft = cutAfterSegments
        }

        /// Chooses a carrier, and returns the demand that the carrier serves.
        func open(for demand: LinkDemand) -> LinkDemand {
            opened.append(hasQuickCarrier ? demand : .little)
            return opened.last ?? demand
        }

        func send(_ segment: [UInt8], to end: Int) throws(LinkError) {
            guard !isClosed else { throw .closed }
            if let left = segmentsLeft {
                guard left > 0 else {
                    close()
                    throw .closed
                }
                segmentsLeft = left - 1
            }
            segmentsSent += 1
            queues[end].append(segment)
            wake(end)
        }

        func receive(at end: Int) async throws(LinkError) -> [UInt8] {
            while queues[end].isEmpty {
                guard !isClosed else { throw .closed }
                await withCheckedContinuation { waiting[end] = $0 }
            }
            return queues[end].removeFirst()
        }

        func close() {
            isClosed = true
            wake(0)
            wake(1)
        }

        private func wake(_ end: Int) {
            waiting[end]?.resume()
            waiting[end] = nil
        }
    }

    /// The bindings of the slow and of the quick carrier.
    static let slowBinding: [UInt8] = [0x4D]
    static let quickBinding: [UInt8] = [0x4D, 1]

    nonisolated var binding: [UInt8] { Self.slowBinding }
    nonisolated let carrierName = "memory"
    nonisolated let segmentLimits = SegmentLimits(sentBytes: 180, receivedBytes: 242)
    nonisolated let peerDescription = "memory"

    nonisolated let air: Air
    private let end: Int
    private let identity: [UInt8]
    private let world: VirtualWorld
    private(set) var identityReads = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { world.asUnownedSerialExecutor() }

    private init(air: Air, end: Int, identity: [UInt8], world: VirtualWorld) {
        self.air = air
        self.end = end
        self.identity = identity
        self.world = world
    }

    /// Returns the phone's end and the box's.
    static func pair(
        identity: [UInt8], cutAfterSegments: Int? = nil, hasQuickCarrier: Bool = false, in world: VirtualWorld
    ) -> (phone: MemoryLink, box: MemoryLink) {
        let air = Air(world: world, cutAfterSegments: cutAfterSegments, hasQuickCarrier: hasQuickCarrier)
        return (
            MemoryLink(air: air, end: 0, identity: identity, world: world),
            MemoryLink(air: air, end: 1, identity: identity, world: world)
        )
    }

    func send(_ segment: [UInt8]) async throws(LinkError) { try await air.send(segment, to: 1 - end) }
    func receive() async throws(LinkError) -> [UInt8] { try await air.receive(at: end) }
    func close() async { await air.close() }
    func readIdentity() async throws(LinkError) -> [UInt8] { identity }
    func signalStrength() async -> Int? { -63 }

    func open(for demand: LinkDemand) async throws(LinkError) -> OpenedLink {
        let carries = await air.open(for: demand)
        if carries == .much { return OpenedLink(QuickMemoryLink(link: self), carries: .much) }
        return OpenedLink(self, carries: .little, shortcoming: demand == .much ? "is slow today" : nil)
    }
}

/// The phone's end of a `MemoryLink` on the quick carrier.
final class QuickMemoryLink: PhoneLink {
    let binding = MemoryLink.quickBinding
    let carrierName = "quick memory"
    let segmentLimits = SegmentLimits(sentBytes: 180, receivedBytes: 242)
    let peerDescription = "quick memory"
    private let link: MemoryLink

    init(link: MemoryLink) {
        self.link = link
    }

    func send(_ segment: [UInt8]) async throws(LinkError) { try await link.send(segment) }
    func receive() async throws(LinkError) -> [UInt8] { try await link.receive() }
    func close() async { await link.close() }
}
