import PhoneMessages
import VaultPort

/// What an errand finds out about sites beside what is kept: who has not the grant that it should have, and what is newer.
struct SiteVisits {
    /// Documents that are asked for in one errand. Each that is taken is newer than the one before; whoever shows others is left alone.
    private static let exchangeLimit = 4

    let desk: SiteDesk?
    /// The box at the other end of the channel.
    private var box: KnownBox?
    /// Keys of boxes that have asked for the whole grant.
    private var misses: [[UInt8]] = []
    /// Keys of boxes that lack this phone's site document, and whether it was shown to them.
    private var lacking: [(key: [UInt8], isShown: Bool)] = []
    private var exchanges = 0
    /// Sites of which something was written down since the errand began.
    private var newer: [KnownSite] = []

    init(_ desk: SiteDesk?) {
        self.desk = desk
    }

    /// A channel to this box begins; what its hello shows.
    mutating func begin(_ box: KnownBox) -> ShownGrant? {
        self.box = box
        guard let kept = box.site, let desk else { return nil }
        let site = current(kept)
        let isKnownThere = site.holders.contains(box.boxKey) && !misses.contains(box.boxKey)
        return desk.shown(site, !isKnownThere)
    }

    /// The site as it is by now.
    func current(_ site: KnownSite) -> KnownSite {
        newer.first { $0.id == site.id } ?? site
    }

    mutating func changed(_ site: KnownSite) {
        newer.removeAll { $0.id == site.id }
        newer.append(site)
    }

    /// Whether a document may be asked for once more.
    mutating func mayExchange() -> Bool {
        exchanges += 1
        return desk != nil && exchanges <= Self.exchangeLimit
    }

    /// This phone's site document, where the box lacks it and was not shown it.
    mutating func owed(to box: KnownBox) -> [UInt8]? {
        guard let site = box.site,
            let index = lacking.firstIndex(where: { $0.key == box.boxKey && !$0.isShown }), mayExchange()
        else { return nil }
        lacking[index].isShown = true
        return current(site).document
    }

    /// What the vault has to give for a question about what the site holds; nil: it cannot be asked.
    func unlocking(_ question: BoxQuestion, _ box: KnownBox) -> PhoneVaultCommand? {
        box.site.flatMap { desk?.credentials?.unlocking($0, question) }
    }

    /// What the box carries to the site.
    func sealed(
        _ question: BoxQuestion, _ unlocking: SiteUnlocking, _ box: KnownBox, _ channel: [UInt8]
    ) -> [UInt8]? {
        box.site.flatMap { desk?.credentials?.seal($0, question, unlocking, box.boxKey, channel) }
    }

    /// What remains of what the box said, once what its site has signed is told apart from the box's word; and what the vault is told.
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
            // Shown the document, the box may want the grant.
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
