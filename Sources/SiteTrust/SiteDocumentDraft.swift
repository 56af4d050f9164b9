import Secrets

/// The changes that the holder of the root's key wants.
public struct SiteDocumentOrder: Sendable {
    /// The issuers to list.
    public var request: SiteIssuerRequest?
    /// Prefixes of key ids: these issuers stop signing for the site at once.
    public var dropped: [String] = []
    /// Prefixes of key ids: these issuers stay listed although they have expired.
    public var kept: [String] = []
    /// Starts a new generation, which resets revocations, numbers and time.
    public var beginsGeneration = false

    public init() {}
}

/// The reasons why a draft fails.
public enum SiteDraftError: Error, Equatable, Sendable {
    /// The request is of another site.
    case otherSite
    /// No issuer in the document has a key id that begins with this text.
    case noSuchIssuer(String)
    /// More than one issuer has a key id that begins with this text.
    case manyIssuers(String)
    /// The document lists this key of the request already, or the key is a root's.
    case listedAlready(IssuerKeyID)
    /// No issuer would be left for this role.
    case nobodyFor(IssuerRole)
    /// A document cannot hold this number of issuers.
    case tooMany(Int)
    case nothingChanges
    /// The key is neither that of the root that signed the document nor the next root's.
    case otherRoot
    /// The root's version numbers are used up.
    case noMoreVersions
}

/// The site document that follows another one, and the fate of each issuer. Not signed yet.
public struct SiteDocumentDraft: Equatable, Sendable {
    public enum Fate: Equatable, Sendable {
        case added
        case stays
        /// The issuer has expired, and so have the items that it signed.
        case ends
        /// The holder of the root's key dropped the issuer. All that the issuer signed is no longer valid.
        case dropped
    }

    /// The seconds for which an expired issuer of revocations stays listed, so that its entries outlive the grants that
    /// they revoke: a grant's 30 days, and a margin.
    public static let entryLife: UInt64 = 31 * 86_400

    public let facts: SiteDocumentFacts
    /// All issuers of the previous document, and the new ones.
    public let fates: [(issuer: SiteIssuer, fate: Fate)]
    public let beginsGeneration: Bool

    public static func == (left: SiteDocumentDraft, right: SiteDocumentDraft) -> Bool {
        left.facts == right.facts && left.fates.elementsEqual(right.fates, by: ==)
    }

    /// Creates the next document of the same root. `time` is the signer's calendar, in seconds since 1970.
    public init(
        after old: SiteDocumentFacts, _ order: SiteDocumentOrder, at time: UInt64
    ) throws(SiteDraftError) {
        let fates = try Self.fates(of: old, order, at: time)
        guard order.beginsGeneration || fates.contains(where: { $0.fate != .stays }) else { throw .nothingChanges }
        let generationCount = order.beginsGeneration ? old.generation.count &+ 1 : old.generation.count
        guard let version = SiteOrdinal(root: old.version.root, count: old.version.count &+ 1),
            let generation = SiteOrdinal(root: old.version.root, count: generationCount)
        else { throw .noMoreVersions }
        facts = try Self.facts(old.site, version, generation, root: old.rootKey, next: old.nextRootHash, fates)
        self.fates = fates
        beginsGeneration = order.beginsGeneration
    }

    /// Creates the first document of the next root, whose key is `root` (32 bytes). Its version and generation are
    /// above all of the previous root's. `next` is the public key of the root after it.
    public init(
        succeeding old: SiteDocumentFacts, by root: [UInt8], next: [UInt8], _ order: SiteDocumentOrder, at time: UInt64
    ) throws(SiteDraftError) {
        guard SHA256.hash(root) == old.nextRootHash else { throw .otherRoot }
        let fates = try Self.fates(of: old, order, at: time)
        guard old.version.root < .max, let first = SiteOrdinal(root: old.version.root + 1, count: 1) else {
            throw .noMoreVersions
        }
        facts = try Self.facts(old.site, first, first, root: root, next: SHA256.hash(next), fates)
        self.fates = fates
        beginsGeneration = true
    }

    private static func facts(
        _ site: SiteID, _ version: SiteOrdinal, _ generation: SiteOrdinal, root: [UInt8], next: [UInt8],
        _ fates: [(issuer: SiteIssuer, fate: Fate)]
    ) throws(SiteDraftError) -> SiteDocumentFacts {
        let listed = fates.filter { $0.fate == .added || $0.fate == .stays }.map { $0.issuer }
        guard listed.count <= SiteDocumentFacts.issuerLimit else { throw .tooMany(listed.count) }
        for role in IssuerRole.allCases where !listed.contains(where: { $0.role == role }) { throw .nobodyFor(role) }
        if let own = listed.first(where: { $0.key == root }) { throw .listedAlready(own.keyID) }
        do throws(SiteError) {
            return try SiteDocumentFacts(
                site: site, version: version, generation: generation, rootKey: root, nextRootHash: next,
                issuers: listed.sorted { $0.precedes($1) })
        } catch {
            throw .otherRoot
        }
    }

    private static func fates(
        of old: SiteDocumentFacts, _ order: SiteDocumentOrder, at time: UInt64
    ) throws(SiteDraftError) -> [(issuer: SiteIssuer, fate: Fate)] {
        var dropped: [UInt64] = []
        for text in order.dropped { dropped.append(try issuer(text, old).value) }
        var kept: [UInt64] = []
        for text in order.kept { kept.append(try issuer(text, old).value) }
        var fates: [(issuer: SiteIssuer, fate: Fate)] = []
        for issuer in old.issuers {
            let id = issuer.keyID.value
            let isOver = time >= issuer.expiry + (issuer.role == .revocations ? entryLife : 0)
            fates.append((issuer, dropped.contains(id) ? .dropped : isOver && !kept.contains(id) ? .ends : .stays))
        }
        guard let request = order.request else { return fates }
        guard request.site == old.site else { throw .otherSite }
        for issuer in request.issuers {
            guard old.issuer(issuer.keyID) == nil, issuer.key != old.rootKey else { throw .listedAlready(issuer.keyID) }
            fates.append((issuer, .added))
        }
        return fates
    }

    private static func issuer(_ text: String, _ old: SiteDocumentFacts) throws(SiteDraftError) -> IssuerKeyID {
        let wanted = text.lowercased()
        let found = old.issuers.map { $0.keyID }.filter { !wanted.isEmpty && $0.text.hasPrefix(wanted) }
        guard let first = found.first else { throw .noSuchIssuer(text) }
        guard found.count == 1 else { throw .manyIssuers(text) }
        return first
    }
}
