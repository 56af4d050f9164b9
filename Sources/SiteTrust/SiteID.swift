import Secrets

/// Identifies a site across all of its roots: the first 16 bytes of the SHA-256 of its first root's key.
///
/// Every signature covers the id, even where the id is not sent. So a signature for one site is not valid for another.
public struct SiteID: Sendable, Equatable {
    public static let byteCount = 16
    /// The length of a tag, in bytes.
    public static let tagBytes = 6

    public let bytes: [UInt8]

    /// Returns nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Creates the id of the site whose first root has the public key `key` (Ed25519, 32 bytes).
    public init(firstRoot key: [UInt8]) {
        bytes = [UInt8](SHA256.hash(key).prefix(Self.byteCount))
    }

    /// The first 6 bytes, by which a box claims a site. Only a hint: signatures cover the whole id.
    public var tag: [UInt8] { [UInt8](bytes.prefix(Self.tagBytes)) }
}
