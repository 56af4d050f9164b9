import PhoneMessages
import VaultPort

/// What an errand finds out about sites beside what is kept: who has not the grant that it should have, and a newer grant.
struct SiteVisits {
    let desk: SiteDesk?
    /// The box at the other end of the channel.
    private var box: KnownBox?
    /// Keys of boxes that have asked for the whole grant.
    private var misses: [[UInt8]] = []
    private var renewed: (id: [UInt8], grant: [UInt8])?

    init(_ desk: SiteDesk?) {
        self.desk = desk
    }

    /// A channel to this box begins; what its hello shows.
    mutating func begin(_ box: KnownBox) -> ShownGrant? {
        self.box = box
        guard let site = box.site, let desk else { return nil }
        let isKnownThere = site.holders.contains(box.boxKey) && !misses.contains(box.boxKey)
        return desk.shown(current(site), !isKnownThere)
    }

    /// The site with the newest grant of this errand. No box is known to have that one.
    private func current(_ site: KnownSite) -> KnownSite {
        guard let renewed, renewed.id == site.id else { return site }
        return KnownSite(
            id: site.id, phoneKey: site.phoneKey, document: site.document, grant: renewed.grant, entry: site.entry,
            hasCredential: site.hasCredential, holders: [])
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
        case (.siteEntry(let entry), _):
            return (desk.takesBack(site, entry, desk.clock(at: now)) ? delivery : .kept, nil)
        case (.siteGrant(let new), _):
            guard desk.renews(site, new, desk.clock(at: now)) else { return (.kept, nil) }
            renewed = (site.id, new)
            return (.kept, .keepSiteGrant(new, of: site.id, inPlaceOf: site.grant))
        default: return (delivery, nil)
        }
    }
}
