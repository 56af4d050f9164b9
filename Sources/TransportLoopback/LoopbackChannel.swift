import EventLoop
import GATTProfile
import Links
import Transport

/// Either end of an L2CAP channel on the loopback radio. The channel takes over the connection. So an ATT PDU, such as
/// a write to the transfer characteristic, ends channel and connection.
actor LoopbackChannel: PhoneLink {
    /// The longest SDU that either side accepts, in bytes.
    static let mtu = Bearer.l2cap.segmentLimitBytes

    nonisolated let binding: [UInt8]
    nonisolated let carrierName: String
    nonisolated let segmentLimits: SegmentLimits
    nonisolated let peerDescription: String

    private let connection: SeqPacketConnection
    private var air: ChannelAir?
    /// Used only on the phone's side.
    private let conditions: LoopbackConditions

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(
        connection: SeqPacketConnection, psm: UInt16, mtu: Int, peerDescription: String, air: ChannelAir? = nil,
        conditions: LoopbackConditions = LoopbackConditions()
    ) {
        self.connection = connection
        let channel = BearerBinding.l2cap(psm: psm)
        binding = channel.bytes
        carrierName = channel.name
        segmentLimits = SegmentLimits(sentBytes: Bearer.l2cap.segmentBytes(mtu: mtu), receivedBytes: Self.mtu)
        self.peerDescription = peerDescription
        self.air = air
        self.conditions = conditions
    }

    func signalStrength() async -> Int? { conditions.signalStrength }

    func send(_ segment: [UInt8]) async throws(LinkError) {
        guard segment.count <= segmentLimits.sentBytes, !segment.isEmpty else { throw .messageTooLarge }
        if air != nil { try await wait(until: air?.sent(segment, now: connection.loop.now())) }
        do {
            try await connection.transmit(ChannelPDU.sdu(segment).bytes)
        } catch {
            throw error == .cancelled ? .cancelled : .closed
        }
    }

    func receive() async throws(LinkError) -> [UInt8] {
        let bytes: [UInt8]?
        do {
            bytes = try await connection.receive(limit: ChannelPDU.byteLimit)
        } catch {
            throw error == .cancelled ? .cancelled : .closed
        }
        guard let bytes, case .sdu(let segment)? = ChannelPDU(bytes) else {
            await connection.close()
            throw .closed
        }
        if air != nil { try await wait(until: air?.received(segment, now: connection.loop.now())) }
        return segment
    }

    func close() async {
        await connection.close()
    }

    /// Waits for the connection event of the last packet. Closes the connection if the air has lost the link.
    private func wait(until outcome: ChannelAir.Outcome?) async throws(LinkError) {
        switch outcome {
        case nil, .at(nil): return
        case .lost:
            await connection.close()
            throw .closed
        case .at(.some(let event)):
            do {
                try await connection.loop.sleep(until: event)
            } catch {
                throw .cancelled
            }
        }
    }
}

/// Simulates the air for an L2CAP channel. The link layer repeats lost packets and keeps their order, so the air only
/// delays packets or ends the link.
struct ChannelAir: Sendable {
    enum Outcome {
        case lost
        /// The time at which the last packet has arrived, or nil for at once.
        case at(Duration?)
    }

    /// The bytes of an SDU in one link-layer packet with data length extension: 251 without the L2CAP header.
    static let packetBytes = 247

    private let loseLinkAfterPackets: Int?
    private var packets = 0
    private var outgoing: ConnectionEvents
    private var incoming: ConnectionEvents

    /// Returns nil for a perfect air.
    init?(_ conditions: LoopbackConditions, now: Duration) {
        guard conditions.connectionIntervalMilliseconds > 0 || conditions.loseLinkAfterPackets != nil else {
            return nil
        }
        loseLinkAfterPackets = conditions.loseLinkAfterPackets
        outgoing = ConnectionEvents(intervalMilliseconds: conditions.connectionIntervalMilliseconds, start: now)
        incoming = outgoing
    }

    mutating func sent(_ sdu: [UInt8], now: Duration) -> Outcome {
        let needed = Self.packets(for: sdu)
        return carried(needed, at: outgoing.next(now, packets: needed))
    }

    mutating func received(_ sdu: [UInt8], now: Duration) -> Outcome {
        let needed = Self.packets(for: sdu)
        return carried(needed, at: incoming.next(now, packets: needed))
    }

    /// The first packet also carries the SDU's length, two bytes.
    private static func packets(for sdu: [UInt8]) -> Int {
        (sdu.count + 2 + packetBytes - 1) / packetBytes
    }

    private mutating func carried(_ more: Int, at event: Duration?) -> Outcome {
        packets += more
        if let loseLinkAfterPackets, packets > loseLinkAfterPackets { return .lost }
        return .at(event)
    }
}
