import Secrets

/// What a site document says: who signs for the site.
public final class SiteDocumentFacts: Sendable, Equatable {
    /// Most issuers of all roles together: two of each role while they change, on two servers with keys of their own.
    public static let issuerLimit = 16

    public let site: SiteID
    public let version: SiteOrdinal
    /// A new one resets revocations, numbers and time: they begin anew.
    public let generation: SiteOrdinal
    /// Ed25519 public key of the root that signs this document, 32 bytes.
    public let rootKey: [UInt8]
    /// SHA-256 of the next root's public key, 32 bytes.
    public let nextRootHash: [UInt8]
    /// Ascending by role, then by key; each key once.
    public let issuers: [SiteIssuer]

    /// Throws `invalidField` unless the lengths are right, version and generation name the same root, the first root's key
    /// is the one that the site's id was made of, and the issuers are at most 16, in order, each key once and none the
    /// root's.
    public init(
        site: SiteID, version: SiteOrdinal, generation: SiteOrdinal, rootKey: [UInt8], nextRootHash: [UInt8],
        issuers: [SiteIssuer]
    ) throws(SiteError) {
        guard rootKey.count == Ed25519.keyBytes, nextRootHash.count == SHA256.digestBytes,
            version.root == generation.root,
            version.root > 1 || site == SiteID(firstRoot: rootKey),
            Self.areInOrder(issuers, rootKey)
        else { throw .invalidField }
        self.site = site
        self.version = version
        self.generation = generation
        self.rootKey = rootKey
        self.nextRootHash = nextRootHash
        self.issuers = issuers
    }

    /// The issuer with that id, whatever its role.
    public func issuer(_ id: IssuerKeyID) -> SiteIssuer? {
        for issuer in issuers where issuer.keyID == id { return issuer }
        return nil
    }

    /// The issuer with that public key (32 bytes), whatever its role: for what was verified before, by that very key.
    package func issuer(key: [UInt8]) -> SiteIssuer? {
        for issuer in issuers where issuer.key == key { return issuer }
        return nil
    }

    /// The issuer with that id, in `role`.
    func issuer(_ id: IssuerKeyID, _ role: IssuerRole) throws(SiteError) -> SiteIssuer {
        guard let issuer = issuer(id) else { throw .unknownIssuer }
        guard issuer.role == role else { throw .wrongRole }
        return issuer
    }

    /// By ids too: of two keys with one id nobody could say which one is meant.
    private static func areInOrder(_ issuers: [SiteIssuer], _ rootKey: [UInt8]) -> Bool {
        guard issuers.count <= issuerLimit else { return false }
        for (index, issuer) in issuers.enumerated() {
            if issuer.key == rootKey { return false }
            for other in issuers[..<index] where other.keyID == issuer.keyID || !other.precedes(issuer) { return false }
        }
        return true
    }

    public static func == (left: SiteDocumentFacts, right: SiteDocumentFacts) -> Bool {
        left === right
            || left.site == right.site
                && left.version == right.version
                && left.generation == right.generation
                && left.rootKey == right.rootKey
                && left.nextRootHash == right.nextRootHash
                && left.issuers == right.issuers
    }
}
