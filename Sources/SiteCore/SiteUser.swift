import SiteTrust

/// The point in a site's history at which a grant was issued. An entry that revokes a user's grants covers those up to
/// such a point.
public struct GrantPlace: Sendable, Equatable, Comparable {
    public let generation: SiteOrdinal
    /// The number of the site's signed status at that moment.
    public let number: UInt64

    public init(generation: SiteOrdinal, number: UInt64) {
        self.generation = generation
        self.number = number
    }

    public init(of grant: GrantFacts) {
        self.init(generation: grant.generation, number: grant.number)
    }

    public static func < (left: GrantPlace, right: GrantPlace) -> Bool {
        (left.generation, left.number) < (right.generation, right.number)
    }
}

/// A user as stored by the site.
public struct SiteUser: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case active
        /// All grants were revoked. The next phone makes the user active again.
        case revoked
    }

    public let userID: SiteUserID
    /// The account, 1 to 64 bytes that `UserName.isAllowed` accepts.
    public let name: String
    public let state: State
    /// Grants that were issued up to here are revoked. Nil if none was ever revoked.
    public let revokedUpTo: GrantPlace?

    public init(userID: SiteUserID, name: String, state: State, revokedUpTo: GrantPlace?) {
        self.userID = userID
        self.name = name
        self.state = state
        self.revokedUpTo = revokedUpTo
    }
}
