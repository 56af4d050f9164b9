import EventLoop
import GATTProfile
import Links
import Transport

/// The phone's side of one connection. It also simulates the air: delay, reordering and loss.
public actor LoopbackCentralLink: CentralLink, PhoneLink {
    /// The longest time that simulated reordering holds back a packet, so that the next one overtakes it.
    static let holdLimit: Duration = .milliseconds(20)
    static let answerLimit: Duration = .seconds(5)

    public nonisolated var binding: [UInt8] { BearerBinding.gatt.bytes }
    public nonisolated var carrierName: String { BearerBinding.gatt.name }
    public nonisolated let peerDescription: String
    nonisolated var attMTU: Int { negotiated.value }
    public nonisolated var segmentLimits: SegmentLimits {
        SegmentLimits(
            sentBytes: Bearer.gatt.segmentBytes(mtu: attMTU), receivedBytes: Bearer.gatt.segmentLimitBytes)
    }
    /// The packets so far.
    public private(set) var counts = LoopbackPacketCounts()

    private let connection: SeqPacketConnection
    private let loop: EpollLoop
    private let conditions: LoopbackConditions
    private let preference: BearerPreference
    private nonisolated let negotiated = NegotiatedMTU()
    private let tag = LinkTag.random()
    private var notifications: [[UInt8]] = []
    /// True if an L2CAP channel has taken the connection over.
    private var hasChannel = false
    private var heldOutgoing: [UInt8]?
    private var heldIncoming: [UInt8]?
    private var shuffler: PacketShuffler?
    private var heldNumber = 0
    private var outgoingEvents: ConnectionEvents
    private var incomingEvents: ConnectionEvents

    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(
        connection: SeqPacketConnection, address: String, conditions: LoopbackConditions, preference: BearerPreference
    ) {
        self.connection = connection
        self.preference = preference
        self.conditions = conditions
        loop = connection.loop
        peerDescription = "loopback box \(Advertisement.escaped(Array(address.utf8)))"
        outgoingEvents = ConnectionEvents(
            intervalMilliseconds: conditions.connectionIntervalMilliseconds, start: connection.loop.now())
        incomingEvents = outgoingEvents
        shuffler = conditions.reorderSeed.map { PacketShuffler(seed: $0) }
    }

    func negotiate(until deadline: Duration) async throws(LinkError) {
        try? await connection.setBuffers(
            sendBytes: LoopbackLimits.socketBytes, receiveBytes: LoopbackLimits.socketBytes)
        let wanted = UInt16(min(max(conditions.attMTU, 23), AttributePDU.byteLimit))
        guard case .exchangeMTUResponse(let granted) = try await request(.exchangeMTURequest(wanted), until: deadline)
        else { throw .refused }
        negotiated.set(Int(min(max(granted, 23), wanted)))
    }

    public func signalStrength() async -> Int? { conditions.signalStrength }

    public func readIdentity() async throws(LinkError) -> [UInt8] {
        try await read(AttributePDU.Handle.identity)
    }

    public func open(for demand: LinkDemand) async throws(LinkError) -> OpenedLink {
        let wanted = preference.bearer(forMuch: demand == .much)
        if wanted == .l2cap, let channel = try await channel() { return OpenedLink(channel, carries: .much) }
        try await subscribe()
        return OpenedLink(
            self, carries: .little, shortcoming: wanted == .l2cap ? BearerPreference.withoutL2CAP : nil)
    }

    /// Opens an L2CAP channel. Returns nil, with the link unchanged, if the box offers or accepts no channel.
    private func channel() async throws(LinkError) -> (any PhoneLink)? {
        let psm = try await readPSM()
        guard GATTService.dynamicPSMs.contains(psm) else { return nil }
        do throws(LinkError) {
            return try await openChannel(psm: psm)
        } catch .refused {
            return nil
        }
    }

    func readPSM() async throws(LinkError) -> UInt16 {
        let value = try await read(AttributePDU.Handle.psm)
        guard value.count == 2 else { throw .refused }
        return UInt16(value[0]) | UInt16(value[1]) << 8
    }

    func subscribe() async throws(LinkError) {
        let pdu = AttributePDU.writeRequest(handle: AttributePDU.Handle.transferConfiguration, [0x01, 0x00])
        guard case .writeResponse = try await request(pdu, until: loop.now() + Self.answerLimit) else { throw .refused }
    }

    func openChannel(psm: UInt16) async throws(LinkError) -> any PhoneLink {
        guard !hasChannel else { throw .refused }
        counts.overhead += 2
        let deadline = loop.now() + Self.answerLimit
        let request = ChannelPDU.ConnectionRequest(identifier: 1, psm: psm, mtu: LoopbackChannel.mtu)
        try await wait(until: outgoingEvents.next(loop.now()))
        try await write(ChannelPDU.connectionRequest(request).bytes, until: deadline)
        guard let bytes = try await nextBytes(until: deadline) else { throw .timedOut }
        try await wait(until: incomingEvents.next(loop.now()))
        guard case .connectionResponse(let response)? = ChannelPDU(bytes), response.identifier == request.identifier,
            response.mtu >= ChannelPDU.leastMTU
        else { throw .closed }
        guard response.result == .success else { throw .refused }
        hasChannel = true
        return LoopbackChannel(
            connection: connection, psm: psm, mtu: min(response.mtu, LoopbackChannel.mtu),
            peerDescription: peerDescription + ", L2CAP", air: ChannelAir(conditions, now: loop.now()),
            conditions: conditions)
    }

    public func send(_ segment: [UInt8]) async throws(LinkError) {
        guard !hasChannel else { throw .refused }
        guard segment.count <= segmentLimits.sentBytes else { throw .messageTooLarge }
        try await wait(until: outgoingEvents.next(loop.now()))
        if let held = heldOutgoing {
            heldOutgoing = nil
            try await transmit(segment)
            return try await transmit(held)
        }
        guard shuffler?.holdsBack() == true else { return try await transmit(segment) }
        heldOutgoing = segment
        heldNumber += 1
        loop.spawn { [weak self, loop, heldNumber] in
            try? await loop.sleep(until: loop.now() + Self.holdLimit)
            await self?.releaseOutgoing(heldNumber)
        }
    }

    public func receive() async throws(LinkError) -> [UInt8] {
        guard !hasChannel else { throw .refused }
        while true {
            if !notifications.isEmpty { return notifications.removeFirst() }
            let deadline = heldIncoming == nil ? nil : loop.now() + Self.holdLimit
            switch try await nextPDU(until: deadline) {
            case nil:
                if let held = heldIncoming { notifications.append(held) }
                heldIncoming = nil
            case .notification(AttributePDU.Handle.transfer, let value)?:
                try await arrive(value)
            // Any other PDU would answer a request, but none was sent.
            case .some: throw .closed
            }
        }
    }

    public func close() async {
        await connection.close()
    }

    // MARK: - The air

    private func arrive(_ value: [UInt8]) async throws(LinkError) {
        guard let segment = tag.segment(of: value) else { return }
        counts.received += 1
        try loseLinkIfDue()
        try await wait(until: incomingEvents.next(loop.now()))
        if let every = conditions.dropNotificationEvery, every > 0, counts.received % every == 0 { return }
        if let held = heldIncoming {
            heldIncoming = nil
            notifications += [segment, held]
        } else if shuffler?.holdsBack() == true {
            heldIncoming = segment
        } else {
            notifications.append(segment)
        }
    }

    private func releaseOutgoing(_ number: Int) async {
        guard let segment = heldOutgoing, number == heldNumber else { return }
        heldOutgoing = nil
        try? await transmit(segment)
    }

    private func transmit(_ segment: [UInt8]) async throws(LinkError) {
        counts.sent += 1
        try loseLinkIfDue()
        let command = AttributePDU.writeCommand(handle: AttributePDU.Handle.transfer, tag.tagged(segment))
        try await write(command.bytes, until: nil)
    }

    private func loseLinkIfDue() throws(LinkError) {
        guard let limit = conditions.loseLinkAfterPackets, counts.sent + counts.received > limit else { return }
        let connection = connection
        loop.spawn { await connection.close() }
        throw .closed
    }

    /// Waits for a connection event, or returns at once if it is nil.
    private func wait(until event: Duration?) async throws(LinkError) {
        guard let event else { return }
        do {
            try await loop.sleep(until: event)
        } catch {
            throw .cancelled
        }
    }

    // MARK: - Requests, before data flows

    /// Reads a value in as many pieces as the MTU requires (Vol 3, Part G, 4.8.3).
    private func read(_ handle: UInt16) async throws(LinkError) -> [UInt8] {
        let deadline = loop.now() + Self.answerLimit
        guard case .readResponse(var value) = try await request(.readRequest(handle: handle), until: deadline)
        else { throw .refused }
        var piece = value.count
        while piece == attMTU - 1, value.count < GATTService.valueBytes {
            let next = AttributePDU.readBlobRequest(handle: handle, offset: UInt16(clamping: value.count))
            switch try await request(next, until: deadline) {
            case .readBlobResponse(let rest):
                piece = rest.count
                value += rest
            // The previous piece ended exactly with the value.
            case .errorResponse: piece = 0
            default: throw .refused
            }
        }
        guard value.count <= GATTService.valueBytes else { throw .refused }
        return value
    }

    private func request(_ pdu: AttributePDU, until deadline: Duration) async throws(LinkError) -> AttributePDU {
        guard !hasChannel else { throw .refused }
        counts.overhead += 2
        try await wait(until: outgoingEvents.next(loop.now()))
        try await write(pdu.bytes, until: deadline)
        while true {
            guard let answer = try await nextPDU(until: deadline) else { throw .timedOut }
            try await wait(until: incomingEvents.next(loop.now()))
            guard case .notification(AttributePDU.Handle.transfer, let value) = answer else { return answer }
            try await arrive(value)
        }
    }

    /// Returns nil if the deadline came before the next PDU.
    private func nextPDU(until deadline: Duration?) async throws(LinkError) -> AttributePDU? {
        guard let bytes = try await nextBytes(until: deadline) else { return nil }
        guard let pdu = AttributePDU(bytes) else { throw .closed }
        return pdu
    }

    private func nextBytes(until deadline: Duration?) async throws(LinkError) -> [UInt8]? {
        do {
            guard let bytes = try await connection.receive(limit: attMTU, until: deadline) else {
                throw LinkError.closed
            }
            return bytes
        } catch SocketError.timedOut {
            return nil
        } catch SocketError.cancelled {
            throw .cancelled
        } catch {
            throw .closed
        }
    }

    private func write(_ bytes: [UInt8], until deadline: Duration?) async throws(LinkError) {
        do {
            try await connection.transmit(bytes, until: deadline)
        } catch {
            throw switch error {
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            default: .closed
            }
        }
    }
}
