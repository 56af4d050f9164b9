import Secrets

/// A site document as administrators carry it: from a server to the root's key, and back. Not secret.
///
/// The text is `boxsite-document:1/` and the base 32 of: document ‖ check (4), the first bytes of the SHA-256 of
/// `boxlink-site-document-text-1` ‖ the document. The check tells a damaged text from one that the root did not sign.
public struct SiteDocumentCode: Equatable, Sendable {
    private static let prefix = "boxsite-document:1/"
    private static let context = [UInt8]("boxlink-site-document-text-1".utf8)
    /// Longest text, in bytes, without white space around it.
    public static let textLimit =
        prefix.utf8.count + Base32.characterCount(byteCount: SiteDocument.byteCountLimit + SiteTextCheck.byteCount)

    public let document: ClaimedSiteDocument

    public init(_ document: ClaimedSiteDocument) {
        self.document = document
    }

    /// Reads the text. Nothing in it is believed yet.
    public init(parsing text: [UInt8]) throws(SiteTextError) {
        let limit = SiteDocument.byteCountLimit + SiteTextCheck.byteCount
        let bytes = try SiteTextCheck.content(try SiteText.parse(Self.prefix, text, limit: limit), Self.context)
        do throws(SiteError) {
            document = try ClaimedSiteDocument(parsing: bytes)
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .damaged
        }
    }

    /// In ASCII.
    public var text: [UInt8] {
        SiteText.format(Self.prefix, document.bytes + SiteTextCheck.of(document.bytes, Self.context))
    }
}

/// The bytes behind a text's content that show mistakes: a wrong character is said as such, not as a wrong signature.
enum SiteTextCheck {
    static let byteCount = 4

    static func of(_ content: [UInt8], _ context: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(context + content).prefix(byteCount))
    }

    /// What stands before the check. Throws `damaged` where they do not belong together.
    static func content(_ bytes: [UInt8], _ context: [UInt8]) throws(SiteTextError) -> [UInt8] {
        guard bytes.count > byteCount else { throw .damaged }
        let content = [UInt8](bytes.dropLast(byteCount))
        guard of(content, context) == [UInt8](bytes.suffix(byteCount)) else { throw .damaged }
        return content
    }
}
