import EventLoop
import GATTProfile
import Links
import Transport

/// Either end of an L2CAP channel on the loopback radio. It has taken the connection over: an ATT PDU on it, and so a
/// write to the transfer characteristic while the channel is open, ends both.
actor LoopbackChannel: PhoneLink {
    /// The longest SDU that either side takes, in bytes.
    static let mtu = Bearer.l2cap.segmentLimitBytes

    nonisolated let binding: [UInt8]
    nonisolated let carrierName: String
    nonisolated let segmentLimits: SegmentLimits
    nonisolated let peerDescription: String

    private let connection: SeqPacketConnection
    private var air: ChannelAir?
    /// The phone's end only.
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

    /// Waits for the connection event that carries the last packet; an air that has lost the link ends it.
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

/// What the air does to an L2CAP channel: the link layer repeats what is lost and keeps the order, so there is only
/// waiting for connection events, and the end.
struct ChannelAir: Sendable {
    enum Outcome {
        case lost
        /// When it has gone over; nil: at once.
        case at(Duration?)
    }

    /// Of an SDU in one packet of the link layer with data length extension: 251 less the L2CAP header.
    static let packetBytes = 247

    private let loseLinkAfterPackets: Int?
    private var packets = 0
    private var outgoing: ConnectionEvents
    private var incoming: ConnectionEvents

    /// Nil for a perfect air.
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

    /// The first packet carries the SDU's length, of two bytes, as well.
    private static func packets(for sdu: [UInt8]) -> Int {
        (sdu.count + 2 + packetBytes - 1) / packetBytes
    }

    private mutating func carried(_ more: Int, at event: Duration?) -> Outcome {
        packets += more
        if let loseLinkAfterPackets, packets > loseLinkAfterPackets { return .lost }
        return .at(event)
    }
}
