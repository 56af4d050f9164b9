import SiteLink
import SiteTrust
import VaultPort

/// A box that belongs to a site: what it believes, where its link stands, what the vault is writing.
///
/// What comes from the site counts once it is on disk. A head with nothing new but its time counts at once: the disk is written once
/// an hour, not with each head (docs/reference/site-protocol.md, 10).
struct SiteMember: Sendable {
    var belief: SiteBelief
    var servers: [SiteAddress] { belief.servers }
    var link: SiteLinkState
    var pause = SitePause()
    /// One write at a time.
    var writing: SiteWrite?
    var inbox = SiteInbox()
    var shown = ShownDocuments()
    /// A bundle that is being brought. One at a time.
    var importing: SiteImport?
    var askings = PhoneAskings()
    var carries = SiteCarries()
    /// When the last fresh head came in this run of the agent.
    var freshAt: Duration?
    /// When the next hour is due, by what was looked at last; after the vault has failed, when it is asked again.
    var hour: (at: Duration?, retryAt: Duration?) = (nil, nil)
    /// Why the last link ended, and since when it is so.
    var problem: (text: String, since: Duration)?

    init(_ belief: SiteBelief, link: SiteLinkState) {
        self.belief = belief
        self.link = link
    }

    /// Reads back what was kept.
    init(_ kept: StoredSite, now: BootClock, link: SiteLinkState) throws(SiteError) {
        self.init(try SiteBelief(kept, now: now), link: link)
    }
}
