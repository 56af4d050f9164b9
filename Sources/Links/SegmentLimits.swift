/// The longest segments of one link.
public struct SegmentLimits: Sendable, Hashable {
    /// The minimum that a carrier must support, in bytes: room for a header and a useful part of a message.
    public static let leastBytes = 16

    /// The longest segment that is sent, in bytes.
    public let sentBytes: Int
    /// The longest segment that may arrive, in bytes. A longer one violates the protocol.
    public let receivedBytes: Int

    /// Raises each limit to `leastBytes` if it is smaller.
    public init(sentBytes: Int, receivedBytes: Int) {
        self.sentBytes = max(Self.leastBytes, sentBytes)
        self.receivedBytes = max(Self.leastBytes, receivedBytes)
    }
}
