import DBus
import EventLoop
import GATTProfile
import Links
import Transport

/// One phone's link over GATT: a tag on one device's connection.
actor BlueZLink: PhoneLink {
    /// The most waiting segments: a sender may have a window of them in flight, with acknowledgements.
    static let inboxSegments = 4 * Segmentation.windowSegments

    nonisolated var binding: [UInt8] { BearerBinding.gatt.bytes }
    nonisolated var carrierName: String { BearerBinding.gatt.name }
    nonisolated let segmentLimits: SegmentLimits
    nonisolated let peerDescription: String
    nonisolated var connectionName: String { device.text }
    nonisolated let device: ObjectPath
    nonisolated let tag: LinkTag
    private let loop: EpollLoop
    private let transmit: @Sendable ([UInt8], ObjectPath) async throws(LinkError) -> Void
    private let onClose: @Sendable (BlueZLink) -> Void
    private let arrived: WaitPoint
    private var inbox: [[UInt8]] = []
    private var isOpen = true

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        loop: EpollLoop, device: ObjectPath, tag: LinkTag, attMTU: Int,
        transmit: @escaping @Sendable ([UInt8], ObjectPath) async throws(LinkError) -> Void,
        onClose: @escaping @Sendable (BlueZLink) -> Void
    ) {
        self.loop = loop
        self.device = device
        self.tag = tag
        segmentLimits = SegmentLimits(
            sentBytes: Bearer.gatt.boxSegmentBytes(mtu: attMTU), receivedBytes: Bearer.gatt.segmentLimitBytes)
        self.transmit = transmit
        self.onClose = onClose
        arrived = WaitPoint(on: loop)
        peerDescription = "phone \(device.text.split(separator: "/").last ?? ""), link \(tag)"
    }

    func send(_ segment: [UInt8]) async throws(LinkError) {
        guard isOpen else { throw .closed }
        guard segment.count <= segmentLimits.sentBytes else { throw .messageTooLarge }
        try await transmit(tag.tagged(segment), device)
    }

    func receive() async throws(LinkError) -> [UInt8] {
        while true {
            if !inbox.isEmpty { return inbox.removeFirst() }
            guard isOpen else { throw .closed }
            let mark = arrived.mark()
            guard await arrived.wait(since: mark) == .signalled else { throw .cancelled }
        }
    }

    func close() async {
        end()
    }

    /// Takes a segment from the phone. A segment above the limit ends the link, because the sender ignored its window.
    func take(_ segment: [UInt8]) {
        guard isOpen else { return }
        guard inbox.count < Self.inboxSegments else { return end() }
        inbox.append(segment)
        arrived.signal()
    }

    func end() {
        guard isOpen else { return }
        isOpen = false
        arrived.signal()
        onClose(self)
    }
}
