import Secrets

/// The key to which a phone seals what only its site may read, as the phone keeps it. What was believed when it came stays good, also
/// under a next root: else every phone of a site would need a text that day.
public struct KeptSiteKey: Sendable, Equatable {
    /// Number (8) ‖ key (32).
    public static let byteCount = 40

    /// Of the root's statement, which begins at 1.1; 0 for the key in an enrolment code, which any statement replaces.
    private let number: UInt64
    /// X25519 public key, 32 bytes.
    public let key: [UInt8]

    /// What the root has said.
    public init(_ statement: SiteKeyStatement) {
        (number, key) = (statement.number.value, statement.key)
    }

    /// What stood in the code by which the phone was enrolled, 32 bytes. Throws `wrongLength` or `invalidField`.
    public init(code key: [UInt8]) throws(SiteError) {
        try self.init(number: 0, key: key)
    }

    /// As it was kept. Throws `wrongLength` or `invalidField`.
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

    /// What takes its place: never an earlier one, whose secret somebody may have by now. Throws `contradictsPinned` where the root has
    /// said two things under one number.
    public func replaced(by new: KeptSiteKey) throws(SiteError) -> KeptSiteKey {
        guard number >= new.number, number > 0 else { return new }
        guard number > new.number || key == new.key else { throw .contradictsPinned }
        return self
    }
}
