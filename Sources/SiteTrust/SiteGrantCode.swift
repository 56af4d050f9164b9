/// What a site's administrator hands back to a phone: the site's document and the phone's grant, and the statement of the site's key
/// where the site is to hold the credential. Not secret, and good at that phone only.
///
/// The text is `boxsite-grant:1/` and the base 32 of: length of the document (2) ‖ document ‖ grant ‖ statement (105; only behind a
/// grant of mode 2).
public struct SiteGrantCode: Equatable, Sendable {
    private static let prefix = "boxsite-grant:1/"
    private static let lengthBytes = 2

    public let document: ClaimedSiteDocument
    public let grant: ClaimedGrant
    /// There exactly where the grant's mode is that the site holds the credential.
    public let siteKey: ClaimedSiteKeyStatement?

    /// - Parameter siteKey: Only, and always, with a grant of that mode.
    public init(document: ClaimedSiteDocument, grant: ClaimedGrant, siteKey: ClaimedSiteKeyStatement? = nil) {
        self.document = document
        self.grant = grant
        self.siteKey = siteKey
    }

    /// Reads the text. Nothing in it is believed yet.
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

    /// The grant's own mode tells whether a statement follows.
    private static func read(_ bytes: [UInt8]) throws(SiteError) -> (ClaimedGrant, ClaimedSiteKeyStatement?) {
        let mode = bytes.dropFirst(Grant.modeOffset).first
        guard mode == GrantCredentialMode.siteHeld.rawValue else { return (try ClaimedGrant(parsing: bytes), nil) }
        let statement = [UInt8](bytes.suffix(SiteKeyStatement.byteCount))
        return (
            try ClaimedGrant(parsing: [UInt8](bytes.dropLast(SiteKeyStatement.byteCount))),
            try ClaimedSiteKeyStatement(parsing: statement)
        )
    }

    /// In ASCII.
    public var text: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt8(truncatingIfNeeded: document.bytes.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: document.bytes.count))
        return SiteText.format(Self.prefix, bytes + document.bytes + grant.bytes + (siteKey?.bytes ?? []))
    }
}
