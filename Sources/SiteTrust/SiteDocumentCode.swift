import Secrets

/// A site document as a text that administrators carry from a server to the root's key, and back. Not secret.
///
/// The text is `boxsite-document:1/` and the base 32 of: document ‖ check (4), the first bytes of the SHA-256 of
/// `boxlink-site-document-text-1` ‖ the document. The check tells damage from a wrong signature.
public struct SiteDocumentCode: Equatable, Sendable {
    private static let prefix = "boxsite-document:1/"
    private static let context = [UInt8]("boxlink-site-document-text-1".utf8)
    /// The longest text, in bytes, without white space around it.
    public static let textLimit =
        prefix.utf8.count + Base32.characterCount(byteCount: SiteDocument.byteCountLimit + SiteTextCheck.byteCount)

    public let document: ClaimedSiteDocument

    public init(_ document: ClaimedSiteDocument) {
        self.document = document
    }

    /// Reads the text. Verifies no signature.
    public init(parsing text: [UInt8]) throws(SiteTextError) {
        let limit = SiteDocument.byteCountLimit + SiteTextCheck.byteCount
        let bytes = try SiteTextCheck.content(try SiteText.parse(Self.prefix, text, limit: limit), Self.context)
        do throws(SiteError) {
            document = try ClaimedSiteDocument(parsing: bytes)
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .damaged
        }
    }

    /// The text in ASCII.
    public var text: [UInt8] {
        SiteText.format(Self.prefix, document.bytes + SiteTextCheck.of(document.bytes, Self.context))
    }
}

/// The check bytes at the end of a text. They report a wrong character as damage, not as a wrong signature.
enum SiteTextCheck {
    static let byteCount = 4

    static func of(_ content: [UInt8], _ context: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(context + content).prefix(byteCount))
    }

    /// Returns the bytes before the check. Throws `damaged` if the check does not match.
    static func content(_ bytes: [UInt8], _ context: [UInt8]) throws(SiteTextError) -> [UInt8] {
        guard bytes.count > byteCount else { throw .damaged }
        let content = [UInt8](bytes.dropLast(byteCount))
        guard of(content, context) == [UInt8](bytes.suffix(byteCount)) else { throw .damaged }
        return content
    }
}
