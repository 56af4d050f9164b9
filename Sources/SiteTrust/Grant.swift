import Names
import Secrets

/// What a site says about a phone: whose it is, and where it may log in.
public struct GrantFacts: Sendable, Equatable {
    /// Longest user name, in bytes. A user with a longer one gets no grant.
    public static let userBytesLimit = 64

    /// The phone's X25519 static public key for this site, 32 bytes.
    public let phoneKey: [UInt8]
    /// The account, 1 to 64 bytes as `UserName.isAllowed` has them.
    public let user: [UInt8]
    /// The same user, without a name: revocations name it.
    public let userID: SiteUserID
    public let mode: GrantCredentialMode
    public let groups: SiteGroups
    /// The generation and the head's number at which it was issued.
    public let generation: SiteOrdinal
    public let number: UInt64
    /// The first second in which the grant is no good any more.
    public let expiry: UInt64

    /// Throws `invalidField` for a user name that is not allowed or over 64 bytes, a key that has not 32, or an expiry that
    /// is no time.
    public init(
        phoneKey: [UInt8], user: [UInt8], userID: SiteUserID, mode: GrantCredentialMode, groups: SiteGroups,
        generation: SiteOrdinal, number: UInt64, expiry: UInt64
    ) throws(SiteError) {
        guard phoneKey.count == X25519KeyPair.keyBytes, user.count <= Self.userBytesLimit, UserName.isAllowed(user),
            SiteSeconds.isValid(expiry)
        else { throw .invalidField }
        self.phoneKey = phoneKey
        self.user = user
        self.userID = userID
        self.mode = mode
        self.groups = groups
        self.generation = generation
        self.number = number
        self.expiry = expiry
    }
}

/// A grant whose signature was verified, or which was issued here. What came from outside is a `ClaimedGrant`; whether the
/// phone may log in now, `GrantCheck` decides, each time anew.
public struct Grant: Sendable, Equatable {
    /// Its version (1) ‖ issuer's key id (8) ‖ phone key (32) ‖ user id (16) ‖ mode (1) ‖ generation (8) ‖ number (8) ‖
    /// expiry (8) ‖ count of groups (1) ‖ 2 for each ‖ length of user (1) ‖ user ‖ signature (64).
    static let fixedBytes = 148
    /// Lengths of grants, in bytes.
    public static let byteCounts = fixedBytes + 3...fixedBytes + SiteGroups.fieldBytes + GrantFacts.userBytesLimit
    /// Length of a grant's hash, in bytes.
    public static let hashBytes = 16

    public let facts: GrantFacts
    /// The grant as it is sent.
    public let bytes: [UInt8]
    /// The public key of the issuer that signed it, 32 bytes.
    public let issuerKey: [UInt8]

    init(verified claimed: ClaimedGrant, issuerKey: [UInt8]) {
        facts = claimed.facts
        bytes = claimed.bytes
        self.issuerKey = issuerKey
    }

    /// Reads back `kept`. Only for what this program verified itself and kept where nobody else writes: no signature is
    /// looked at.
    public init(kept: [UInt8]) throws(SiteError) {
        guard kept.count > Ed25519.keyBytes else { throw .wrongLength }
        let claimed = try ClaimedGrant(parsing: [UInt8](kept.dropFirst(Ed25519.keyBytes)))
        self.init(verified: claimed, issuerKey: [UInt8](kept.prefix(Ed25519.keyBytes)))
    }

    /// What a cache keeps: the issuer's whole key, then the grant.
    public var kept: [UInt8] { issuerKey + bytes }

    /// Stands for the grant where both sides have it; see `ClaimedGrant.hash`.
    public var hash: [UInt8] { ClaimedGrant.hash(bytes) }

    /// Signs a grant, by an issuer of role `phones`.
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
