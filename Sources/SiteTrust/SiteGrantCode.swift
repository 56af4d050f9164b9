/// What a site's administrator hands back to a phone: the site's document and the phone's grant. Not secret, and good at that phone
/// only.
///
/// The text is `boxsite-grant:1/` and the base 32 of: length of the document (2) ‖ document ‖ grant.
public struct SiteGrantCode: Equatable, Sendable {
    private static let prefix = "boxsite-grant:1/"
    private static let lengthBytes = 2

    public let document: ClaimedSiteDocument
    public let grant: ClaimedGrant

    public init(document: ClaimedSiteDocument, grant: ClaimedGrant) {
        self.document = document
        self.grant = grant
    }

    /// Reads the text. Nothing in it is believed yet.
    public init(parsing text: [UInt8]) throws(SiteTextError) {
        let limit = Self.lengthBytes + SiteDocument.byteCountLimit + Grant.byteCounts.upperBound
        let bytes = try SiteText.parse(Self.prefix, text, limit: limit)
        do throws(SiteError) {
            guard bytes.count > Self.lengthBytes else { throw SiteError.wrongLength }
            let count = Int(bytes[0]) << 8 | Int(bytes[1])
            let content = bytes.dropFirst(Self.lengthBytes)
            document = try ClaimedSiteDocument(parsing: [UInt8](content.prefix(count)))
            grant = try ClaimedGrant(parsing: [UInt8](content.dropFirst(count)))
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .damaged
        }
    }

    /// In ASCII.
    public var text: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt8(truncatingIfNeeded: document.bytes.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: document.bytes.count))
        return SiteText.format(Self.prefix, bytes + document.bytes + grant.bytes)
    }
}
