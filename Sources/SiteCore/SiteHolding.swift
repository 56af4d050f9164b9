import SiteLink
import SiteTrust
import VaultPort

/// By what a server holds credentials of phones: the site's key, what the root says of it, and how many tries a PIN has.
public struct SiteHolding: Sendable {
    public let keys: SiteServerKeys
    /// Verified; nil: phones cannot know the site's key, and no credential is held.
    public let statement: SiteKeyStatement?
    public let policy: AttemptPolicy

    /// The tries that a person has, 3 to 10.
    public var limit: UInt8 { UInt8(policy.limit) }

    public init(keys: SiteServerKeys, statement: SiteKeyStatement?, policy: AttemptPolicy) {
        self.keys = keys
        // Of another secret than the one that is here: what phones seal to that key, nobody here opens.
        self.statement = statement?.key == keys.sitePublicKey ? statement : nil
        self.policy = policy
    }
}
