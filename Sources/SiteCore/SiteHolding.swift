import SiteLink
import SiteTrust
import VaultPort

/// The means to hold credentials of phones: the site's key, the root's statement about it, and the number of PIN tries.
public struct SiteHolding: Sendable {
    public let keys: SiteServerKeys
    /// Verified. Nil if phones cannot know the site's key, so that no credential is held.
    private let statement: SiteKeyStatement?
    public let policy: AttemptPolicy

    /// The tries that a person has, 3 to 10.
    public var limit: UInt8 { UInt8(policy.limit) }

    /// Returns the statement about the site's key if the root of `document` signed it, otherwise nil. Phones refuse a
    /// statement of an earlier root.
    public func statement(by document: SiteDocument) -> SiteKeyStatement? {
        statement?.number.root == document.facts.version.root ? statement : nil
    }

    public init(keys: SiteServerKeys, statement: SiteKeyStatement?, policy: AttemptPolicy) {
        self.keys = keys
        // The statement must be about this server's secret, which opens what phones seal to the site's key.
        self.statement = statement?.key == keys.sitePublicKey ? statement : nil
        self.policy = policy
    }
}
