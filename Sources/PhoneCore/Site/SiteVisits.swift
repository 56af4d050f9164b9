import PhoneMessages
import VaultPort

/// The site data that an operation learns: boxes that lack the grant or the document, and newer site data.
struct SiteVisits {
    /// The most exchanges of documents in one operation. Each accepted document is newer than the last.
    private static let exchangeLimit = 4

    let desk: SiteDesk?
    /// The box at the other end of the channel.
    private var box: KnownBox?
    /// The keys of boxes that have asked for the whole grant.
    private var misses: [[UInt8]] = []
    /// The keys of boxes that lack this phone's site document, and whether each was shown it.
    private var lacking: [(key: [UInt8], isShown: Bool)] = []
    private var exchanges = 0
    /// The sites with newer data since the operation began.
    private var newer: [KnownSite] = []

    init(_ desk: SiteDesk?) {
        self.desk = desk
    }

    /// Begins a channel to this box, and returns the grant for hello.
    mutating func begin(_ box: KnownBox) -> ShownGrant? {
        self.box = box
        guard let kept = box.site, let desk else { return nil }
        let site = current(kept)
        let isKnownThere = site.holders.contains(box.boxKey) && !misses.contains(box.boxKey)
        return desk.shown(site, !isKnownThere)
    }

    /// Returns the site with its newest data.
    func current(_ site: KnownSite) -> KnownSite {
        newer.first { $0.id == site.id } ?? site
    }

    mutating func changed(_ site: KnownSite) {
        newer.removeAll { $0.id == site.id }
        newer.append(site)
    }

    /// Counts one more exchange of documents, and returns whether it is allowed.
    mutating func mayExchange() -> Bool {
        exchanges += 1
        return desk != nil && exchanges <= Self.exchangeLimit
    }

    /// Returns this phone's site document, if the box lacks it and was not shown it yet.
    mutating func owed(to box: KnownBox) -> [UInt8]? {
        guard let site = box.site,
            let index = lacking.firstIndex(where: { $0.key == box.boxKey && !$0.isShown }), mayExchange()
        else { return nil }
        lacking[index].isShown = true
        return current(site).document
    }

    /// Returns the vault command for a request about the site-held credential, or nil if the phone cannot ask.
    func unlocking(_ question: BoxQuestion, _ box: KnownBox) -> PhoneVaultCommand? {
        box.site.flatMap { desk?.credentials?.unlocking($0, question) }
    }

    /// Returns the sealed request for the box to carry to the site.
    func sealed(
        _ question: BoxQuestion, _ unlocking: SiteUnlocking, _ box: KnownBox, _ channel: [UInt8]
    ) -> [UInt8]? {
        box.site.flatMap { desk?.credentials?.seal($0, question, unlocking, box.boxKey, channel) }
    }

    /// Filters out statements that the site did not sign. Returns the remaining delivery, and a command for the vault.
    mutating func heard(
        _ delivery: ChannelConversation.Delivery, showing grant: ShownGrant?, at now: Duration
    ) -> (ChannelConversation.Delivery, PhoneVaultCommand?) {
        guard let box, let kept = box.site, let desk else { return (delivery, nil) }
        let site = current(kept)
        switch (delivery, grant) {
        case (.agreed, .whole):
            return (delivery, .noteSiteBox(box.boxKey, of: site.id, hasGrant: true))
        case (.refusedGrant(.grantWanted), _):
            misses.append(box.boxKey)
            return (delivery, .noteSiteBox(box.boxKey, of: site.id, hasGrant: false))
        case (.refusedGrant(.siteDocumentNeeded), _) where !lacking.contains(where: { $0.key == box.boxKey }):
            // After the document, the box may want the grant.
            lacking.append((box.boxKey, false))
            misses.append(box.boxKey)
            return (.refusedGrant(.grantWanted), nil)
        case (.siteEntry(let entry), _):
            return (desk.takesBack(site, entry, desk.clock(at: now)) ? delivery : .kept, nil)
        case (.siteGrant(let new), _):
            guard desk.renews(site, new, desk.clock(at: now)) else { return (.kept, nil) }
            changed(site.with(grant: new))
            return (.kept, .keepSiteGrant(new, of: site.id, inPlaceOf: site.grant))
        default: return (delivery, nil)
        }
    }
}
