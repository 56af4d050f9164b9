import Secrets

/// What whoever has the root's key wants changed.
public struct SiteDocumentOrder: Sendable {
    /// Issuers that are to be listed.
    public var request: SiteIssuerRequest?
    /// Beginnings of key ids: these sign for the site no more, at once.
    public var dropped: [String] = []
    /// Beginnings of key ids: these stay, though their time is over.
    public var kept: [String] = []
    /// Revocations, numbers and time begin anew.
    public var beginsGeneration = false

    public init() {}
}

/// Why there is no new document.
public enum SiteDraftError: Error, Equatable, Sendable {
    /// The request is of another site.
    case otherSite
    /// No issuer in the document has a key id that begins so.
    case noSuchIssuer(String)
    /// More than one issuer has.
    case manyIssuers(String)
    /// The document lists this key of the request already, or it is a root's.
    case listedAlready(IssuerKeyID)
    /// Nobody would sign for this role any more.
    case nobodyFor(IssuerRole)
    /// So many issuers are more than a document holds.
    case tooMany(Int)
    case nothingChanges
    /// The key is neither the root's that signed the document, nor the next root's.
    case otherRoot
    /// The root has counted up to the end.
    case noMoreVersions
}

/// The site document that comes after another one: what it says, and what becomes of each issuer. Not signed yet.
public struct SiteDocumentDraft: Equatable, Sendable {
    public enum Fate: Equatable, Sendable {
        case added
        case stays
        /// Its time is over, and so is that of what it has signed.
        case ends
        /// As it was wanted: whatever it has signed counts no more.
        case dropped
    }

    /// How long an entry lives after its issuer at most, in seconds, unless what it takes back lives longer: a grant's 30 days, and
    /// a margin.
    public static let entryLife: UInt64 = 31 * 86_400

    public let facts: SiteDocumentFacts
    /// All issuers of the document before, and the new ones.
    public let fates: [(issuer: SiteIssuer, fate: Fate)]
    public let beginsGeneration: Bool

    public static func == (left: SiteDocumentDraft, right: SiteDocumentDraft) -> Bool {
        left.facts == right.facts && left.fates.elementsEqual(right.fates, by: ==)
    }

    /// The next document of the same root. `time`: the calendar of whoever signs, in seconds since 1970.
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

    /// The first document of the next root, with the key `root` (32 bytes): its version and generation are above all of the root
    /// before. `next`: the public key of the root after it.
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
