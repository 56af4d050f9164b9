import Secrets

/// A key that signs for the site in one role, while the site document lists it and it has not expired.
public struct SiteIssuer: Sendable, Equatable {
    /// role (1) ‖ key (32) ‖ expiry (8).
    static let byteCount = 41

    public let role: IssuerRole
    /// Ed25519 public key, 32 bytes.
    public let key: [UInt8]
    /// The first second in which the key may not sign any more.
    public let expiry: UInt64
    public let keyID: IssuerKeyID

    /// Returns nil if the key does not have 32 bytes, or the expiry is not a time.
    public init?(role: IssuerRole, key: [UInt8], expiry: UInt64) {
        guard key.count == Ed25519.keyBytes, SiteSeconds.isValid(expiry) else { return nil }
        self.role = role
        self.key = key
        self.expiry = expiry
        keyID = IssuerKeyID(of: key)
    }

    init(reading fields: inout FieldReader) throws(SiteError) {
        guard let role = IssuerRole(rawValue: try fields.byte()) else { throw .invalidField }
        let key = try fields.take(Ed25519.keyBytes)
        guard let issuer = SiteIssuer(role: role, key: key, expiry: try fields.number()) else { throw .invalidField }
        self = issuer
    }

    var bytes: [UInt8] {
        var bytes = [role.rawValue] + key
        bytes.append(bigEndian: expiry)
        return bytes
    }

    /// Returns whether this issuer precedes `other` in a document: by role, then by key.
    func precedes(_ other: SiteIssuer) -> Bool {
        guard role == other.role else { return role.rawValue < other.role.rawValue }
        return key.lexicographicallyPrecedes(other.key)
    }
}
