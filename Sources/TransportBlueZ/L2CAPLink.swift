import Bluetooth
import EventLoop
import GATTProfile
import Links
import Transport

/// Either end of an L2CAP channel. Each SDU is a segment. The kernel keeps order and controls flow.
actor L2CAPLink: PhoneLink {
    static let options = L2CAPOptions(receiveMTU: Bearer.l2cap.segmentLimitBytes)

    nonisolated let binding: [UInt8]
    nonisolated let carrierName: String
    nonisolated let segmentLimits: SegmentLimits
    nonisolated let peerDescription: String
    private let connection: SeqPacketConnection
    private let measure: @Sendable () async -> Int?
    private let onClose: @Sendable () async -> Void
    private var isOpen = true

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    /// `onClose` is called once, after the link was closed on this side.
    init(
        connection: SeqPacketConnection, psm: UInt16, sendMTU: Int, peerDescription: String,
        measure: @escaping @Sendable () async -> Int? = { nil }, onClose: @escaping @Sendable () async -> Void
    ) {
        self.connection = connection
        let channel = BearerBinding.l2cap(psm: psm)
        binding = channel.bytes
        carrierName = channel.name
        segmentLimits = SegmentLimits(
            sentBytes: Bearer.l2cap.segmentBytes(mtu: sendMTU), receivedBytes: Bearer.l2cap.segmentLimitBytes)
        self.peerDescription = peerDescription
        self.measure = measure
        self.onClose = onClose
    }

    func signalStrength() async -> Int? { await measure() }

    func send(_ segment: [UInt8]) async throws(LinkError) {
        guard segment.count <= segmentLimits.sentBytes, !segment.isEmpty else { throw .messageTooLarge }
        do {
            try await connection.transmit(segment)
        } catch {
            throw error == .cancelled ? .cancelled : .closed
        }
    }

    func receive() async throws(LinkError) -> [UInt8] {
        let segment: [UInt8]?
        do {
            segment = try await connection.receive(limit: segmentLimits.receivedBytes)
        } catch {
            throw error == .cancelled ? .cancelled : .closed
        }
        guard let segment else { throw .closed }
        return segment
    }

    func close() async {
        guard isOpen else { return }
        isOpen = false
        await connection.close()
        await onClose()
    }
}
