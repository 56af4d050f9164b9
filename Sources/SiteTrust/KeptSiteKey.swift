import Secrets

/// The stored site key, to which the phone seals data for its site alone. The key stays valid when the next root takes
/// over. Otherwise every phone of a site would need a new text on that day.
public struct KeptSiteKey: Sendable, Equatable {
    /// Number (8) ‖ key (32).
    public static let byteCount = 40

    /// The number of the root's statement, from 1.1 on. A key from an enrolment code has 0; any statement replaces it.
    private let number: UInt64
    /// X25519 public key, 32 bytes.
    public let key: [UInt8]

    /// Takes the key from the root's statement.
    public init(_ statement: SiteKeyStatement) {
        (number, key) = (statement.number.value, statement.key)
    }

    /// Takes the key in an enrolment code, 32 bytes. Throws `wrongLength` or `invalidField`.
    public init(code key: [UInt8]) throws(SiteError) {
        try self.init(number: 0, key: key)
    }

    /// Reads back the stored bytes. Throws `wrongLength` or `invalidField`.
    public init(kept bytes: [UInt8]) throws(SiteError) {
        guard bytes.count == Self.byteCount else { throw .wrongLength }
        try self.init(number: UInt64(bigEndian: bytes.prefix(8)), key: [UInt8](bytes.dropFirst(8)))
    }

    private init(number: UInt64, key: [UInt8]) throws(SiteError) {
        guard key.count == X25519KeyPair.keyBytes else { throw .wrongLength }
        guard X25519KeyPair.isPublicKey(key) else { throw .invalidField }
        (self.number, self.key) = (number, key)
    }

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: number)
        return bytes + key
    }

    /// Returns the key to use after `new` came: never an earlier key, whose secret may be known. Throws
    /// `contradictsPinned` if the root has signed two keys under one number.
    public func replaced(by new: KeptSiteKey) throws(SiteError) -> KeptSiteKey {
        guard number >= new.number, number > 0 else { return new }
        guard number > new.number || key == new.key else { throw .contradictsPinned }
        return self
    }
}
