import SiteTrust

/// A box's request to renew the grant of a phone that it has admitted.
public struct RenewalWish: Sendable, Equatable {
    /// The phone's grant: verified, and not revoked by an entry that this server knows.
    public let shown: GrantFacts
    /// The box's row number, name and groups.
    public let boxID: Int64
    public let box: String
    public let boxGroups: SiteGroups
    public let generation: SiteOrdinal
    /// The server's signing time, in seconds since 1970.
    public let time: UInt64
}

/// The result of a renewal.
public enum RenewalAnswer: Sendable, Equatable {
    case issued(ClaimedGrant)
    /// The reason, for the log. The words "it" and "its" in the text mean the phone.
    case refused(String)
}

/// The decision whether a phone gets another grant.
public enum RenewalVerdict: Sendable, Equatable {
    case issues
    /// The phone got this grant within the last day.
    case has(ClaimedGrant)
    case refused(String)

    /// A grant that expired longer ago than this is not renewed, in seconds.
    static let expiredLimit: UInt64 = 400 * 86_400
    /// A grant younger than this many seconds is sent again instead of being replaced.
    static let freshFor: UInt64 = 86_400

    /// - Parameters:
    ///   - phone: The phone with the key of the shown grant, or nil if the site has none.
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
        // Sends the newest grant again only if it is fresh, lasts long enough, and matches the phone's groups, the
        // generation and the listed issuers.
        guard isFresh, issuing.hasIssued(phone.grant), phone.grant.facts.generation == wish.generation,
            phone.grant.facts.expiry >= wish.shown.expiry, phone.grant.facts.groups == phone.groups
        else { return .issues }
        return .has(phone.grant)
    }
}
