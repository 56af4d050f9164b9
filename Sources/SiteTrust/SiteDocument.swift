import Secrets

/// A site document whose signature was verified, or which was signed here. What came from outside is a
/// `ClaimedSiteDocument`; whether it may take the place of another one, `SitePin` decides.
public struct SiteDocument: Sendable, Equatable {
    /// Its version (1) ‖ site id (16) ‖ version (8) ‖ generation (8) ‖ root key (32) ‖ hash of the next root's key (32) ‖
    /// count of issuers (1) ‖ 41 for each ‖ signature (64).
    static let fixedBytes = 162
    /// Longest document, in bytes.
    public static let byteCountLimit = fixedBytes + SiteDocumentFacts.issuerLimit * SiteIssuer.byteCount

    public let facts: SiteDocumentFacts
    /// The document as it is sent.
    public let bytes: [UInt8]

    init(verified claimed: ClaimedSiteDocument) {
        facts = claimed.facts
        bytes = claimed.bytes
    }

    /// As it goes to somebody who does not believe it yet.
    public var claimed: ClaimedSiteDocument { ClaimedSiteDocument(self) }

    /// Signs a document. Throws `otherRoot` where `root` is not the key that the document names.
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

/// A site document as it came from outside: well-formed, its signature not looked at.
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
        // Another version may have another length: the version is what a person can act on.
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

    /// The document, if the root that it names signed it. That says nothing yet: whoever likes to be root can do that.
    func verifyByOwnRoot(_ tally: inout SignatureTally) throws(SiteError) -> SiteDocument {
        guard
            SiteSignature.isSigned(
                bytes, SiteSignature.document, site: facts.site, by: facts.rootKey, tally: &tally)
        else { throw .notSigned }
        return SiteDocument(verified: self)
    }
}
