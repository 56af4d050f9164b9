import SiteLink
import SiteTrust
import VaultPort

/// A box that belongs to a site: the trusted data, the state of the link, and the write in progress.
///
/// Data from the site takes effect once it is stored. A signed status with only a new time takes effect at once. The
/// disk is thus written once an hour, not for each status (docs/reference/site-protocol.md, 10).
struct SiteMember: Sendable {
    var belief: SiteBelief
    var servers: [SiteAddress] { belief.servers }
    var link: SiteLinkState
    var pause = SitePause()
    /// The write in progress. One at a time.
    var writing: SiteWrite?
    var inbox = SiteInbox()
    var shown = ShownDocuments()
    /// The bundle that is being imported. One at a time.
    var importing: SiteImport?
    var askings = PhoneAskings()
    var carries = SiteCarries()
    /// The time of the last fresh signed status in this run of the agent.
    var freshAt: Duration?
    /// The time at which the next hour of the offline allowance must be written, as last computed. After a failed
    /// write, `retryAt` is the time of the next try.
    var hour: (at: Duration?, retryAt: Duration?) = (nil, nil)
    /// The reason why the last link ended, and the time since when it applies.
    var problem: (text: String, since: Duration)?

    init(_ belief: SiteBelief, link: SiteLinkState) {
        self.belief = belief
        self.link = link
    }

    /// Restores the data from the vault.
    init(_ kept: StoredSite, now: BootClock, link: SiteLinkState) throws(SiteError) {
        self.init(try SiteBelief(kept, now: now), link: link)
    }
}
