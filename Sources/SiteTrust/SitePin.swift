import Secrets

/// What a phone or a box keeps of its site, and never goes back behind: root, version and generation, in the document that
/// has them all.
public struct SitePin: Sendable, Equatable {
    /// What a document changed.
    public enum Change: Sendable, Equatable {
        /// It is the pinned one.
        case none
        case newerVersion
        /// Revocations, numbers and time begin anew.
        case newGeneration
    }

    public private(set) var document: SiteDocument

    public var facts: SiteDocumentFacts { document.facts }
    public var site: SiteID { facts.site }
    /// The pin as it is kept; see `init(kept:)`.
    public var bytes: [UInt8] { document.bytes }

    /// Pins a site for the first time. `root` (Ed25519 public key, 32 bytes) came with an enrolment or from the administrator:
    /// everything else follows from it. Throws `otherRoot` or `notSigned`.
    public init(
        root: [UInt8], document claimed: ClaimedSiteDocument, tally: inout SignatureTally
    ) throws(SiteError) {
        guard claimed.facts.rootKey == root else { throw .otherRoot }
        document = try claimed.verifyByOwnRoot(&tally)
    }

    /// Reads back what this program itself kept. Its signature is looked at, against damage; whose it is, was decided when
    /// it was pinned.
    public init(kept bytes: [UInt8], tally: inout SignatureTally) throws(SiteError) {
        document = try ClaimedSiteDocument(parsing: bytes).verifyByOwnRoot(&tally)
    }

    /// Takes a document that is newer: by the pinned root, or by the next root. At most one signature is looked at.
    ///
    /// A root may not change who comes next. A thief of the root's key can therefore list issuers, for a time, and the
    /// holder of the next root's key ends that for good.
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
