import Names
import Secrets

/// What a site says about a phone: whose it is, and where it may log in.
public final class GrantFacts: Sendable, Equatable {
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

    /// Throws `invalidField` for a user name that is not allowed or over 64 bytes, for other bytes than a public key, or for an expiry
    /// that is not a time.
    public init(
        phoneKey: [UInt8], user: [UInt8], userID: SiteUserID, mode: GrantCredentialMode, groups: SiteGroups,
        generation: SiteOrdinal, number: UInt64, expiry: UInt64
    ) throws(SiteError) {
        guard X25519KeyPair.isPublicKey(phoneKey), user.count <= Self.userBytesLimit, UserName.isAllowed(user),
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

    public static func == (left: GrantFacts, right: GrantFacts) -> Bool {
        left === right
            || left.phoneKey == right.phoneKey
                && left.user == right.user
                && left.userID == right.userID
                && left.mode == right.mode
                && left.groups == right.groups
                && left.generation == right.generation
                && left.number == right.number
                && left.expiry == right.expiry
    }
}
