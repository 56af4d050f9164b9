import Secrets

/// The newest site document that a phone or box accepted. Root, version and generation never go back.
public struct SitePin: Sendable, Equatable {
    /// The effect of a document.
    public enum Change: Sendable, Equatable {
        /// The document is the pinned one.
        case none
        case newerVersion
        /// The new generation resets revocations, numbers and time.
        case newGeneration
    }

    public private(set) var document: SiteDocument

    public var facts: SiteDocumentFacts { document.facts }
    public var site: SiteID { facts.site }
    /// The stored form; see `init(kept:)`.
    public var bytes: [UInt8] { document.bytes }

    /// Pins a site for the first time. `root` (Ed25519 public key, 32 bytes) must come with an enrolment or from the
    /// administrator. All trust derives from it. Throws `otherRoot` or `notSigned`.
    public init(
        root: [UInt8], document claimed: ClaimedSiteDocument, tally: inout SignatureTally
    ) throws(SiteError) {
        guard claimed.facts.rootKey == root else { throw .otherRoot }
        document = try claimed.verifyByOwnRoot(&tally)
    }

    /// Reads back a pin that this program stored. The signature only detects damage: the first pin decided the root.
    public init(kept bytes: [UInt8], tally: inout SignatureTally) throws(SiteError) {
        document = try ClaimedSiteDocument(parsing: bytes).verifyByOwnRoot(&tally)
    }

    /// Accepts a newer document of the pinned root or of the next root. Checks at most one signature.
    ///
    /// A root cannot change its successor. So a thief of the root's key can list issuers only until the next root takes
    /// over for good.
    public mutating func take(
        _ claimed: ClaimedSiteDocument, tally: inout SignatureTally
    ) throws(SiteError) -> Change {
        guard claimed.bytes != document.bytes else { return .none }
        let new = claimed.facts
        guard new.site == site else { throw .otherSite }
        if new.rootKey == facts.rootKey {
            guard new.version.root == facts.version.root else { throw .wrongRootNumber }
            guard new.version >= facts.version else { throw .olderVersion }
            guard new.generation >= facts.generation else { throw .olderGeneration }
            guard new.nextRootHash == facts.nextRootHash else { throw .nextRootChanged }
        } else {
            guard SHA256.hash(new.rootKey) == facts.nextRootHash else { throw .otherRoot }
            guard facts.version.root < .max, new.version.root == facts.version.root + 1 else { throw .wrongRootNumber }
        }
        let taken = try claimed.verifyByOwnRoot(&tally)
        guard new.version > facts.version else { throw .contradictsPinned }
        let change: Change = new.generation > facts.generation ? .newGeneration : .newerVersion
        document = taken
        return change
    }
}
