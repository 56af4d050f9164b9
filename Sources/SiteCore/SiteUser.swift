import SiteTrust

/// Where in the life of a site a grant was issued. An entry that takes back a user's grants reaches up to one such place.
public struct GrantPlace: Sendable, Equatable, Comparable {
    public let generation: SiteOrdinal
    /// That of the site's head at that moment.
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

/// A user as the site keeps it.
public struct SiteUser: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case active
        /// All grants were taken back. The next phone makes the user active again.
        case revoked
    }

    public let userID: SiteUserID
    /// The account, 1 to 64 bytes as `UserName.isAllowed` has them.
    public let name: String
    public let state: State
    /// What was issued up to here is taken back; nil: nothing ever was.
    public let revokedUpTo: GrantPlace?

    public init(userID: SiteUserID, name: String, state: State, revokedUpTo: GrantPlace?) {
        self.userID = userID
        self.name = name
        self.state = state
        self.revokedUpTo = revokedUpTo
    }
}
