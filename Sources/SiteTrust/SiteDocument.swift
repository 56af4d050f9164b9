import Secrets

/// A site document that was verified or signed by this program. A document from outside is a `ClaimedSiteDocument`.
/// `SitePin` decides whether a document may replace another.
public struct SiteDocument: Sendable, Equatable {
    /// Layout version (1) ‖ site id (16) ‖ version (8) ‖ generation (8) ‖ root key (32) ‖ hash of the next root's key
    /// (32) ‖ count of issuers (1) ‖ 41 for each ‖ signature (64).
    static let fixedBytes = 162
    /// The longest document, in bytes.
    public static let byteCountLimit = fixedBytes + SiteDocumentFacts.issuerLimit * SiteIssuer.byteCount

    public let facts: SiteDocumentFacts
    /// The encoded document.
    public let bytes: [UInt8]

    init(verified claimed: ClaimedSiteDocument) {
        facts = claimed.facts
        bytes = claimed.bytes
    }

    /// The form for a recipient that has not verified the document yet.
    public var claimed: ClaimedSiteDocument { ClaimedSiteDocument(self) }

    /// Signs a document. Throws `otherRoot` if `root` is not the key that the document names.
    public static func sign(
        _ facts: SiteDocumentFacts, root: borrowing Ed25519KeyPair
    ) throws(SiteError) -> SiteDocument {
        guard root.publicKey == facts.rootKey else { throw .otherRoot }
        var content = [ClaimedSiteDocument.version] + facts.site.bytes
        content.append(bigEndian: facts.version.value)
        content.append(bigEndian: facts.generation.value)
        content += facts.rootKey + facts.nextRootHash + [UInt8(truncatingIfNeeded: facts.issuers.count)]
        for issuer in facts.issuers { content += issuer.bytes }
        let bytes = SiteSignature.sign(content, SiteSignature.document, site: facts.site, by: root)
        return SiteDocument(verified: try ClaimedSiteDocument(parsing: bytes))
    }
}

/// A well-formed site document from outside. Its signature is not verified yet.
public struct ClaimedSiteDocument: Sendable, Equatable {
    static let version: UInt8 = 1

    public let facts: SiteDocumentFacts
    public let bytes: [UInt8]

    fileprivate init(_ document: SiteDocument) {
        facts = document.facts
        bytes = document.bytes
    }

    /// Reads the 162 to 818 bytes of a document.
    public init(parsing bytes: [UInt8]) throws(SiteError) {
        guard let version = bytes.first else { throw .wrongLength }
        // Check the version before the length, which may differ by version: a person can act on an unknown version.
        guard version == Self.version else { throw .unknownVersion }
        guard (SiteDocument.fixedBytes...SiteDocument.byteCountLimit).contains(bytes.count) else { throw .wrongLength }
        var fields = FieldReader(bytes)
        _ = try fields.byte()
        guard let site = SiteID(bytes: try fields.take(SiteID.byteCount)) else { throw .invalidField }
        let documentVersion = try SiteOrdinal(try fields.number())
        let generation = try SiteOrdinal(try fields.number())
        let rootKey = try fields.take(Ed25519.keyBytes)
        let nextRootHash = try fields.take(SHA256.digestBytes)
        let count = Int(try fields.byte())
        guard bytes.count == SiteDocument.fixedBytes + count * SiteIssuer.byteCount else { throw .wrongLength }
        var issuers: [SiteIssuer] = []
        for _ in 0..<count { issuers.append(try SiteIssuer(reading: &fields)) }
        facts = try SiteDocumentFacts(
            site: site, version: documentVersion, generation: generation, rootKey: rootKey, nextRootHash: nextRootHash,
            issuers: issuers)
        self.bytes = bytes
    }

    /// Returns the document if the root that it names signed it. This signature proves little: anyone can name a root.
    func verifyByOwnRoot(_ tally: inout SignatureTally) throws(SiteError) -> SiteDocument {
        guard
            SiteSignature.isSigned(
                bytes, SiteSignature.document, site: facts.site, by: facts.rootKey, tally: &tally)
        else { throw .notSigned }
        return SiteDocument(verified: self)
    }
}
