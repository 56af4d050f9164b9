/// Names a user within a site, in place of a name: 16 bytes that the site chose at random.
public struct SiteUserID: Sendable, Equatable {
    public static let byteCount = 16

    public let bytes: [UInt8]

    /// Nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
