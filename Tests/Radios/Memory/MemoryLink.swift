import Links
import Transport

/// One end of a link in memory. Segments are never lost or reordered.
public final class MemoryLink: PhoneLink {
    /// A kind that differs from the bytes of GATT and L2CAP.
    static let kind: UInt8 = 0x4D
    /// The most segments that may wait in the inbox. One more segment ends the link.
    static let inboxSegments = 4 * Segmentation.windowSegments

    public let binding = [kind]
    public let carrierName = "memory"
    public let segmentLimits = SegmentLimits(sentBytes: 1_000, receivedBytes: 1_000)
    public let peerDescription = "memory"

    private let incoming: AsyncStream<[UInt8]>
    private let own: AsyncStream<[UInt8]>.Continuation
    private let other: AsyncStream<[UInt8]>.Continuation

    private init(
        incoming: AsyncStream<[UInt8]>, own: AsyncStream<[UInt8]>.Continuation,
        other: AsyncStream<[UInt8]>.Continuation
    ) {
        self.incoming = incoming
        self.own = own
        self.other = other
    }

    static func pair() -> (MemoryLink, MemoryLink) {
        let one = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(inboxSegments))
        let two = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(inboxSegments))
        return (
            MemoryLink(incoming: one.stream, own: one.continuation, other: two.continuation),
            MemoryLink(incoming: two.stream, own: two.continuation, other: one.continuation)
        )
    }

    public func send(_ segment: [UInt8]) async throws(LinkError) {
        guard segment.count <= segmentLimits.sentBytes else { throw .messageTooLarge }
        switch other.yield(segment) {
        case .enqueued: return
        case .dropped: await close()
        default: break
        }
        throw .closed
    }

    public func receive() async throws(LinkError) -> [UInt8] {
        var iterator = incoming.makeAsyncIterator()
        guard let segment = await iterator.next() else { throw Task.isCancelled ? .cancelled : .closed }
        return segment
    }

    public func close() async {
        own.finish()
        other.finish()
    }
}
