/// The text that a site's administrator returns to a phone: the site's document, the phone's grant, and the site key
/// statement for a site-held credential. It is not secret, and only that phone can use it.
///
/// The text is `boxsite-grant:1/` and the base 32 of: length of the document (2) ‖ document ‖ grant ‖ statement (105;
/// only after a grant of mode 2).
public struct SiteGrantCode: Equatable, Sendable {
    private static let prefix = "boxsite-grant:1/"
    private static let lengthBytes = 2

    public let document: ClaimedSiteDocument
    public let grant: ClaimedGrant
    /// Present exactly if the grant's mode is `siteHeld`.
    public let siteKey: ClaimedSiteKeyStatement?

    /// - Parameter siteKey: Required with a grant of mode `siteHeld`, and not allowed with another mode.
    public init(document: ClaimedSiteDocument, grant: ClaimedGrant, siteKey: ClaimedSiteKeyStatement? = nil) {
        self.document = document
        self.grant = grant
        self.siteKey = siteKey
    }

    /// Reads the text. Verifies no signature.
    public init(parsing text: [UInt8]) throws(SiteTextError) {
        let limit =
            Self.lengthBytes + SiteDocument.byteCountLimit + Grant.byteCounts.upperBound + SiteKeyStatement.byteCount
        let bytes = try SiteText.parse(Self.prefix, text, limit: limit)
        do throws(SiteError) {
            guard bytes.count > Self.lengthBytes else { throw SiteError.wrongLength }
            let count = Int(bytes[0]) << 8 | Int(bytes[1])
            let content = bytes.dropFirst(Self.lengthBytes)
            document = try ClaimedSiteDocument(parsing: [UInt8](content.prefix(count)))
            (grant, siteKey) = try Self.read([UInt8](content.dropFirst(count)))
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .damaged
        }
    }

    /// The grant's mode tells whether a statement follows.
    private static func read(_ bytes: [UInt8]) throws(SiteError) -> (ClaimedGrant, ClaimedSiteKeyStatement?) {
        let mode = bytes.dropFirst(Grant.modeOffset).first
        guard mode == GrantCredentialMode.siteHeld.rawValue else { return (try ClaimedGrant(parsing: bytes), nil) }
        let statement = [UInt8](bytes.suffix(SiteKeyStatement.byteCount))
        return (
            try ClaimedGrant(parsing: [UInt8](bytes.dropLast(SiteKeyStatement.byteCount))),
            try ClaimedSiteKeyStatement(parsing: statement)
        )
    }

    /// The text in ASCII.
    public var text: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt8(truncatingIfNeeded: document.bytes.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: document.bytes.count))
        return SiteText.format(Self.prefix, bytes + document.bytes + grant.bytes + (siteKey?.bytes ?? []))
    }
}
