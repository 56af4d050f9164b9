import Secrets

/// A grant that was verified or issued by this program. A grant from outside is a `ClaimedGrant`. `GrantCheck` decides
/// at each login whether the phone may log in.
public struct Grant: Sendable, Equatable {
    /// Layout version (1) ‖ issuer's key id (8) ‖ phone key (32) ‖ user id (16) ‖ mode (1) ‖ generation (8) ‖ number
    /// (8) ‖ expiry (8) ‖ count of groups (1) ‖ 2 for each ‖ length of user (1) ‖ user ‖ signature (64).
    static let fixedBytes = 148
    /// The offset of the mode.
    static let modeOffset = 57
    /// The possible lengths of a grant, in bytes.
    public static let byteCounts = fixedBytes + 3...fixedBytes + SiteGroups.fieldBytes + GrantFacts.userBytesLimit
    /// The length of a grant's hash, in bytes.
    public static let hashBytes = 16

    public let facts: GrantFacts
    /// The encoded grant.
    public let bytes: [UInt8]
    /// The public key of the issuer that signed the grant, 32 bytes.
    public let issuerKey: [UInt8]

    init(verified claimed: ClaimedGrant, issuerKey: [UInt8]) {
        facts = claimed.facts
        bytes = claimed.bytes
        self.issuerKey = issuerKey
    }

    /// Reads back `kept` without checking the signature. Use this only for data that this program verified and stored
    /// where no other program writes.
    public init(kept: [UInt8]) throws(SiteError) {
        guard kept.count > Ed25519.keyBytes else { throw .wrongLength }
        let claimed = try ClaimedGrant(parsing: [UInt8](kept.dropFirst(Ed25519.keyBytes)))
        self.init(verified: claimed, issuerKey: [UInt8](kept.prefix(Ed25519.keyBytes)))
    }

    /// The form in a cache: the issuer's whole key, then the grant.
    public var kept: [UInt8] { issuerKey + bytes }

    /// Names the grant to a side that already has the grant; see `ClaimedGrant.hash`.
    public var hash: [UInt8] { ClaimedGrant.hash(bytes) }

    /// Signs a grant with the key of an issuer of role `phones`.
    public static func issue(
        _ facts: GrantFacts, site: SiteID, issuer: borrowing Ed25519KeyPair
    ) throws(SiteError) -> Grant {
        var content = [ClaimedGrant.version]
        content.append(bigEndian: IssuerKeyID(of: issuer.publicKey).value)
        content += facts.phoneKey + facts.userID.bytes + [facts.mode.rawValue]
        content.append(bigEndian: facts.generation.value)
        content.append(bigEndian: facts.number)
        content.append(bigEndian: facts.expiry)
        content.append(UInt8(truncatingIfNeeded: facts.groups.numbers.count))
        content += facts.groups.bytes
        content.append(UInt8(truncatingIfNeeded: facts.user.count))
        content += facts.user
        let bytes = SiteSignature.sign(content, SiteSignature.grant, site: site, by: issuer)
        return Grant(verified: try ClaimedGrant(parsing: bytes), issuerKey: issuer.publicKey)
    }
}

/// A well-formed grant from outside. Its signature is not verified yet.
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

    /// Returns the grant if a listed issuer of phones signed it. `GrantCheck` checks expiry and revocations.
    public func verify(_ pin: SitePin, tally: inout SignatureTally) throws(SiteError) -> Grant {
        let issuer = try pin.facts.issuer(issuer, .phones)
        guard SiteSignature.isSigned(bytes, SiteSignature.grant, site: pin.site, by: issuer.key, tally: &tally) else {
            throw .notSigned
        }
        return Grant(verified: self, issuerKey: issuer.key)
    }

    /// Returns the first 16 bytes of the SHA-256 of a context and the grant. The hash names a grant that the other side
    /// knows, and proves nothing.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(hashContext + bytes).prefix(Grant.hashBytes))
    }

    /// See `hash(_:)`.
    public var hash: [UInt8] { Self.hash(bytes) }
}
