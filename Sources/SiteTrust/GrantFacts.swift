import Names
import Secrets

/// A site's statement about a phone: its user, and the boxes where it may log in.
public final class GrantFacts: Sendable, Equatable {
    /// The longest user name, in bytes. A user with a longer name gets no grant.
    public static let userBytesLimit = 64

    /// The phone's X25519 static public key for this site, 32 bytes.
    public let phoneKey: [UInt8]
    /// The account, 1 to 64 bytes as `UserName.isAllowed` requires.
    public let user: [UInt8]
    /// Identifies the same user without a name. Revocations use this id.
    public let userID: SiteUserID
    public let mode: GrantCredentialMode
    public let groups: SiteGroups
    /// The generation in which the grant was issued. `number` is the number of the signed status at that time.
    public let generation: SiteOrdinal
    public let number: UInt64
    /// The first second in which the grant is no longer valid.
    public let expiry: UInt64

    /// Throws `invalidField` unless the user name is allowed and short enough, and key and expiry are valid.
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
