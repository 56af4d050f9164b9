import Secrets

/// The content of a site document: the issuers that sign for the site.
public final class SiteDocumentFacts: Sendable, Equatable {
    /// The most issuers of all roles: two of each role during a change, on two servers with their own keys.
    public static let issuerLimit = 16

    public let site: SiteID
    public let version: SiteOrdinal
    /// A new generation resets revocations, numbers and time.
    public let generation: SiteOrdinal
    /// Ed25519 public key of the root that signs this document, 32 bytes.
    public let rootKey: [UInt8]
    /// SHA-256 of the next root's public key, 32 bytes.
    public let nextRootHash: [UInt8]
    /// Ascending by role, then by key; each key once.
    public let issuers: [SiteIssuer]

    /// Throws `invalidField` unless the lengths are right, version and generation name one root, and a first root's key
    /// matches the site's id. There may be at most 16 issuers, in order, each key once, none the root's.
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

    /// Returns the issuer with that id, in any role.
    public func issuer(_ id: IssuerKeyID) -> SiteIssuer? {
        for issuer in issuers where issuer.keyID == id { return issuer }
        return nil
    }

    /// Returns the issuer with that public key (32 bytes), in any role. Used for items that the key verified before.
    package func issuer(key: [UInt8]) -> SiteIssuer? {
        for issuer in issuers where issuer.key == key { return issuer }
        return nil
    }

    /// Returns the issuer with that id, in `role`.
    func issuer(_ id: IssuerKeyID, _ role: IssuerRole) throws(SiteError) -> SiteIssuer {
        guard let issuer = issuer(id) else { throw .unknownIssuer }
        guard issuer.role == role else { throw .wrongRole }
        return issuer
    }

    /// Compares ids too: two keys with one id would be ambiguous.
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
