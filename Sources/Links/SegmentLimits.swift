/// How long the segments of one link may be.
public struct SegmentLimits: Sendable, Hashable {
    /// The least that a carrier must take, in bytes: room for a header and a good part of a message.
    public static let leastBytes = 16

    /// The most bytes of a segment that is sent.
    public let sentBytes: Int
    /// The most bytes of a segment that may arrive; a longer one breaks the rules.
    public let receivedBytes: Int

    /// Less than `leastBytes` counts as `leastBytes`.
    public init(sentBytes: Int, receivedBytes: Int) {
        self.sentBytes = max(Self.leastBytes, sentBytes)
        self.receivedBytes = max(Self.leastBytes, receivedBytes)
    }
}
