import SiteLink
import SiteTrust

/// Grants that the site was asked to issue anew, over one link.
struct SiteRenewals: Sendable {
    /// On one link, which lasts an hour at most.
    static let limit = 60
    /// Of a grant that has this much left, or more, none is asked for: 20 days.
    static let enoughSeconds: UInt64 = 1_728_000

    private var link: SiteLinkID?
    private var asked = 0
    /// Keys of the phones whose grants the site has not sent yet.
    private var open: Set<[UInt8]> = []

    /// Whether the site is to be asked for the phone's.
    mutating func begin(_ grant: GrantFacts, at seconds: UInt64?, over current: SiteLinkID) -> Bool {
        if link != current { self = SiteRenewals(link: current) }
        guard let seconds, grant.expiry < seconds + Self.enoughSeconds, asked < Self.limit else { return false }
        guard open.insert(grant.phoneKey).inserted else { return false }
        asked += 1
        return true
    }

    /// Whether the site was asked for it.
    mutating func end(_ claimed: ClaimedGrant, over current: SiteLinkID) -> Bool {
        link == current && open.remove(claimed.facts.phoneKey) != nil
    }

    init() {}

    private init(link: SiteLinkID) {
        self.link = link
    }
}
