/// The grant in the hello of a phone that is not enrolled at this box (docs/reference/site-protocol.md, 6). Not secret.
public enum ShownGrant: Equatable, Sendable {
    /// The grant, 151 to 228 bytes.
    case whole([UInt8])
    /// The grant's hash, 16 bytes, for a box that has seen the grant.
    case hash([UInt8])

    /// The length of a grant, in bytes.
    public static let grantBytes = 151...228
    /// The length of a grant's hash, in bytes.
    public static let hashBytes = 16

    /// Returns nil if the length is neither that of a grant nor that of a hash.
    public init?(_ bytes: [UInt8]) {
        if bytes.count == Self.hashBytes {
            self = .hash(bytes)
        } else if Self.grantBytes.contains(bytes.count) {
            self = .whole(bytes)
        } else {
            return nil
        }
    }

    public var bytes: [UInt8] {
        switch self {
        case .whole(let bytes), .hash(let bytes): bytes
        }
    }
}
