import EventLoop
import Transport

/// Either end of an L2CAP channel of the kernel: an SDU is a segment. The kernel keeps order and holds senders back.
actor L2CAPLink: PhoneLink {
    static let options = L2CAPOptions(receiveMTU: Bearer.l2cap.segmentLimitBytes)

    nonisolated let bearer = Bearer.l2cap
    nonisolated let psm: UInt16
    nonisolated let attMTU: Int
    nonisolated let peerDescription: String
    private let connection: SeqPacketConnection
    private let measure: @Sendable () async -> Int?
    private let onClose: @Sendable () async -> Void
    private var isOpen = true

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    /// `onClose` is called once, when the link was closed on this side.
    init(
        connection: SeqPacketConnection, psm: UInt16, sendMTU: Int, peerDescription: String,
        measure: @escaping @Sendable () async -> Int? = { nil }, onClose: @escaping @Sendable () async -> Void
    ) {
        self.connection = connection
        self.psm = psm
        attMTU = sendMTU
        self.peerDescription = peerDescription
        self.measure = measure
        self.onClose = onClose
    }

    func signalStrength() async -> Int? { await measure() }

    func send(_ segment: [UInt8]) async throws(LinkError) {
        guard segment.count <= segmentBytes, !segment.isEmpty else { throw .messageTooLarge }
        do {
            try await connection.send(segment)
        } catch {
            throw error == .cancelled ? .cancelled : .closed
        }
    }

    func receive() async throws(LinkError) -> [UInt8] {
        let segment: [UInt8]?
        do {
            segment = try await connection.receive(limit: bearer.segmentLimitBytes)
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
