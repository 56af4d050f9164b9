import Secrets

/// A grant as it came from outside: well-formed, its signature not looked at.
public struct ClaimedGrant: Sendable, Equatable {
    static let version: UInt8 = 1
    private static let hashContext = [UInt8]("boxlink-site-grant-hash-1".utf8)

    public let issuer: IssuerKeyID
    public let facts: GrantFacts
    public let bytes: [UInt8]

    /// Reads the 151 to 228 bytes of a grant.
    public init(parsing bytes: [UInt8]) throws(SiteError) {
        guard let version = bytes.first else { throw .wrongLength }
        guard version == Self.version else { throw .unknownVersion }
        guard Grant.byteCounts.contains(bytes.count) else { throw .wrongLength }
        var fields = FieldReader(bytes)
        _ = try fields.byte()
        issuer = IssuerKeyID(try fields.number())
        let phoneKey = try fields.take(X25519KeyPair.keyBytes)
        guard let userID = SiteUserID(bytes: try fields.take(SiteUserID.byteCount)),
            let mode = GrantCredentialMode(rawValue: try fields.byte())
        else { throw .invalidField }
        let generation = try SiteOrdinal(try fields.number())
        let number = try fields.number()
        let expiry = try fields.number()
        let groups = try SiteGroups(parsing: try fields.take(2 * Int(try fields.byte())))
        let user = try fields.take(Int(try fields.byte()))
        guard bytes.count == Grant.fixedBytes + 2 * groups.numbers.count + user.count else { throw .wrongLength }
        facts = try GrantFacts(
            phoneKey: phoneKey, user: user, userID: userID, mode: mode, groups: groups, generation: generation,
            number: number, expiry: expiry)
        self.bytes = bytes
    }

    /// The first 16 bytes of the SHA-256 of a context and the grant. It names a grant that the other side knows already; it
    /// proves nothing.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(hashContext + bytes).prefix(Grant.hashBytes))
    }

    /// See `hash(_:)`.
    public var hash: [UInt8] { Self.hash(bytes) }
}
