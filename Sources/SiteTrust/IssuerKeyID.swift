import Secrets

/// Names an issuer's key in signed items: the first 8 bytes of the SHA-256 of its public key.
public struct IssuerKeyID: Sendable, Equatable {
    public static let byteCount = 8

    public let value: UInt64

    /// Creates the id of a public key (Ed25519, 32 bytes).
    public init(of key: [UInt8]) {
        value = UInt64(bigEndian: SHA256.hash(key).prefix(Self.byteCount))
    }

    init(_ value: UInt64) { self.value = value }

    /// The form for people: 16 hexadecimal digits.
    public var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 2 * Self.byteCount - digits.utf8.count) + digits
    }
}
