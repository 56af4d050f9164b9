/// What a phone of a site shows with its hello, in place of an enrolment at this box (docs/reference/site-protocol.md, 6). Not secret.
public enum ShownGrant: Equatable, Sendable {
    /// The grant, 151 to 228 bytes.
    case whole([UInt8])
    /// Its hash, 16 bytes, for a box that has seen it.
    case hash([UInt8])

    /// Lengths of a grant, in bytes.
    public static let grantBytes = 151...228
    /// Length of its hash, in bytes.
    public static let hashBytes = 16

    /// Nil where there are neither as many bytes as a grant has, nor as its hash.
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
