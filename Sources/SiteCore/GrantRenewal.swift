import SiteTrust

/// What a box wants for a phone that it has let in.
public struct RenewalWish: Sendable, Equatable {
    /// The grant that the phone has: verified, and taken back by no entry that this server knows.
    public let shown: GrantFacts
    /// The box's row, its name, and its groups.
    public let boxID: Int64
    public let box: String
    public let boxGroups: SiteGroups
    public let generation: SiteOrdinal
    /// The time by which this server signs, in seconds since 1970.
    public let time: UInt64
}

/// What became of it.
public enum RenewalAnswer: Sendable, Equatable {
    case issued(ClaimedGrant)
    /// Why not, for the log: to be read behind "a phone".
    case refused(String)
}

/// Whether a phone gets another grant.
public enum RenewalVerdict: Sendable, Equatable {
    case issues
    /// It got one within the last day.
    case has(ClaimedGrant)
    case refused(String)

    /// A grant that expired longer ago is not issued anew, in seconds.
    static let expiredLimit: UInt64 = 400 * 86_400
    /// A newer grant than this is said again, in seconds.
    static let freshFor: UInt64 = 86_400

    /// - Parameters:
    ///   - phone: The phone with the key of the grant that is shown; nil: the site has none.
    ///   - time: The database's clock.
    public static func judge(
        _ phone: SitePhone?, _ wish: RenewalWish, at time: UInt64, _ issuing: SiteIssuing
    ) -> RenewalVerdict {
        guard let phone else { return .refused("the site does not know its key") }
        guard phone.owner.userID == wish.shown.userID else { return .refused("it belongs to another user now") }
        guard phone.state == .active, phone.owner.state == .active else { return .refused("it is revoked") }
        if let end = phone.owner.revokedUpTo, GrantPlace(of: wish.shown) <= end {
            return .refused("all grants of its user are revoked")
        }
        guard phone.groups.meet(wish.boxGroups) else { return .refused("it has no group in common with the box") }
        guard time < wish.shown.expiry + expiredLimit else { return .refused("its grant expired too long ago") }
        let isFresh = phone.times.issued <= time && time < phone.times.issued + freshFor
        // By a key that is the site's no more, of another generation, or with groups that the phone has no more, it would be of no use.
        guard isFresh, issuing.hasIssued(phone.grant), phone.grant.facts.generation == wish.generation,
            phone.grant.facts.expiry >= wish.shown.expiry, phone.grant.facts.groups == phone.groups
        else { return .issues }
        return .has(phone.grant)
    }
}
