/// Identifies a user within a site without the name: 16 bytes that the site chose at random.
public struct SiteUserID: Sendable, Equatable {
    public static let byteCount = 16

    public let bytes: [UInt8]

    /// Returns nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
