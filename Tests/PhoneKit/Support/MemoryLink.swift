import Transport

/// One end of a link between two ends in memory. Segments arrive in order; after a number of them the link is cut.
actor MemoryLink: CentralLink {
    /// What both ends share.
    actor Air {
        /// Segments either way until the link is cut; nil: never.
        private var segmentsLeft: Int?
        private(set) var segmentsSent = 0
        private(set) var isClosed = false
        /// Of the phone's channel; 0 on GATT.
        private(set) var psm: UInt16 = 0
        private(set) var subscriptions = 0
        private let takesChannels: Bool
        private var queues: [[[UInt8]]] = [[], []]
        private var waiting: [CheckedContinuation<Void, Never>?] = [nil, nil]
        private let world: VirtualWorld

        nonisolated var unownedExecutor: UnownedSerialExecutor { world.asUnownedSerialExecutor() }

        init(world: VirtualWorld, cutAfterSegments: Int?, takesChannels: Bool) {
            self.takesChannels = takesChannels
            self.world = world
            segmentsLeft = cutAfterSegments
        }

        func subscribe() { subscriptions += 1 }

        func openChannel(_ psm: UInt16) -> Bool {
            if takesChannels { self.psm = psm }
            return takesChannels
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

    nonisolated let bearer = Bearer.gatt
    nonisolated let attMTU = 185
    nonisolated let peerDescription = "memory"

    nonisolated let air: Air
    /// 0: the box offers no L2CAP channel.
    private let offeredPSM: UInt16
    private let end: Int
    private let identity: [UInt8]
    private let world: VirtualWorld
    private(set) var identityReads = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { world.asUnownedSerialExecutor() }

    private init(air: Air, end: Int, identity: [UInt8], offeredPSM: UInt16, world: VirtualWorld) {
        self.offeredPSM = offeredPSM
        self.air = air
        self.end = end
        self.identity = identity
        self.world = world
    }

    /// The phone's end and the box's.
    static func pair(
        identity: [UInt8], cutAfterSegments: Int? = nil, offeredPSM: UInt16 = 0,
        takesChannels: Bool = true, in world: VirtualWorld
    ) -> (phone: MemoryLink, box: MemoryLink) {
        let air = Air(world: world, cutAfterSegments: cutAfterSegments, takesChannels: takesChannels)
        return (
            MemoryLink(air: air, end: 0, identity: identity, offeredPSM: offeredPSM, world: world),
            MemoryLink(air: air, end: 1, identity: identity, offeredPSM: offeredPSM, world: world)
        )
    }

    func send(_ segment: [UInt8]) async throws(LinkError) { try await air.send(segment, to: 1 - end) }
    func receive() async throws(LinkError) -> [UInt8] { try await air.receive(at: end) }
    func close() async { await air.close() }
    func readIdentity() async throws(LinkError) -> [UInt8] { identity }
    func signalStrength() async -> Int? { -63 }

    func readPSM() async throws(LinkError) -> UInt16 { offeredPSM }
    func subscribe() async throws(LinkError) {
        await air.subscribe()
    }

    func openChannel(psm: UInt16) async throws(LinkError) -> any PhoneLink {
        guard psm == offeredPSM, await air.openChannel(psm) else { throw .refused }
        return MemoryChannel(link: self, psm: psm)
    }
}

/// The phone's L2CAP channel on such a link.
final class MemoryChannel: PhoneLink {
    let bearer = Bearer.l2cap
    let psm: UInt16
    /// Its segments fit GATT's limit as well, which is the one that the box in memory has.
    let attMTU = 180
    let peerDescription = "memory, L2CAP"
    private let link: MemoryLink

    init(link: MemoryLink, psm: UInt16) {
        self.link = link
        self.psm = psm
    }

    func send(_ segment: [UInt8]) async throws(LinkError) { try await link.send(segment) }
    func receive() async throws(LinkError) -> [UInt8] { try await link.receive() }
    func close() async { await link.close() }
}
