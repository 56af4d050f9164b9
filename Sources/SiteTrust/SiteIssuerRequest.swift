/// A server's request to the root to list its new issuer keys. It has public keys only and is not secret.
///
/// The text is `boxsite-issuers:1/` and the base 32 of: site id (16) ‖ count (1) ‖ 41 for each issuer, as in a site
/// document ‖ check (4), the first bytes of the SHA-256 of `boxlink-site-issuers-1` ‖ all before. It is not signed: the
/// holder of the root's key compares the key ids with those that the server shows.
public struct SiteIssuerRequest: Equatable, Sendable {
    private static let prefix = "boxsite-issuers:1/"
    private static let context = [UInt8]("boxlink-site-issuers-1".utf8)
    private static let byteLimit =
        SiteID.byteCount + 1 + SiteDocumentFacts.issuerLimit * SiteIssuer.byteCount + SiteTextCheck.byteCount
    /// The longest text, in bytes, without white space around it.
    public static let textLimit = prefix.utf8.count + (byteLimit * 8 + 4) / 5

    public let site: SiteID
    /// Ascending by role, then by key; 1 to 16.
    public let issuers: [SiteIssuer]

    /// Returns nil if there are no issuers, more than 16, or two with the same key.
    public init?(site: SiteID, issuers: [SiteIssuer]) {
        let sorted = issuers.sorted { $0.precedes($1) }
        guard (1...SiteDocumentFacts.issuerLimit).contains(sorted.count),
            Set(sorted.map { $0.keyID.value }).count == sorted.count
        else { return nil }
        self.site = site
        self.issuers = sorted
    }

    /// Reads the text. The request is not authenticated.
    public init(parsing text: [UInt8]) throws(SiteTextError) {
        let bytes = try SiteTextCheck.content(
            try SiteText.parse(Self.prefix, text, limit: Self.byteLimit), Self.context)
        guard let request = try? Self.read(bytes), request.content == bytes else { throw .damaged }
        self = request
    }

    private static func read(_ bytes: [UInt8]) throws(SiteError) -> SiteIssuerRequest {
        var fields = FieldReader(bytes)
        let site = SiteID(bytes: try fields.take(SiteID.byteCount))
        var issuers: [SiteIssuer] = []
        for _ in 0..<(try fields.byte()) { issuers.append(try SiteIssuer(reading: &fields)) }
        guard fields.isAtEnd, let site, let request = SiteIssuerRequest(site: site, issuers: issuers) else {
            throw .invalidField
        }
        return request
    }

    private var content: [UInt8] {
        site.bytes + [UInt8(truncatingIfNeeded: issuers.count)] + issuers.flatMap { $0.bytes }
    }

    /// The text in ASCII.
    public var text: [UInt8] { SiteText.format(Self.prefix, content + SiteTextCheck.of(content, Self.context)) }
}
