import SiteLink
import SiteTrust

/// Grants that the site was asked to renew, over one link.
struct SiteRenewals: Sendable {
    /// The most renewals on one link, which lasts an hour at most.
    static let limit = 60
    /// A grant that is valid for at least this long is not renewed: 20 days.
    static let enoughSeconds: UInt64 = 1_728_000

    private var link: SiteLinkID?
    private var asked = 0
    /// The keys of phones whose new grants have not come yet.
    private var open: Set<[UInt8]> = []

    /// Returns whether to ask the site for a new grant.
    mutating func begin(_ grant: GrantFacts, at seconds: UInt64?, over current: SiteLinkID) -> Bool {
        if link != current { self = SiteRenewals(link: current) }
        guard let seconds, grant.expiry < seconds + Self.enoughSeconds, asked < Self.limit else { return false }
        guard open.insert(grant.phoneKey).inserted else { return false }
        asked += 1
        return true
    }

    /// Returns whether the site was asked for this grant.
    mutating func end(_ claimed: ClaimedGrant, over current: SiteLinkID) -> Bool {
        link == current && open.remove(claimed.facts.phoneKey) != nil
    }

    init() {}

    private init(link: SiteLinkID) {
        self.link = link
    }
}
