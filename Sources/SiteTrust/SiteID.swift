import Secrets

/// Names a site for as long as it lives, whoever its root is: 16 bytes, the beginning of the SHA-256 of its first root's key.
///
/// It stands in what is signed for the site, also where it is not sent: a signature for one site is none for another.
public struct SiteID: Sendable, Equatable {
    public static let byteCount = 16
    /// Length of a tag, in bytes.
    public static let tagBytes = 6

    public let bytes: [UInt8]

    /// Nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The id of the site whose first root has the public key `key` (Ed25519, 32 bytes).
    public init(firstRoot key: [UInt8]) {
        bytes = [UInt8](SHA256.hash(key).prefix(Self.byteCount))
    }

    /// The first 6 bytes: which site a box says that it is of. A hint: what counts is the id in what is signed.
    public var tag: [UInt8] { [UInt8](bytes.prefix(Self.tagBytes)) }
}
