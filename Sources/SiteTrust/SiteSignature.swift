import Secrets

/// Counts the signatures that were looked at: each costs a thin client about a tenth of a millisecond, and whoever is
/// unknown must not be able to ask for many.
public struct SignatureTally: Sendable, Equatable {
    public private(set) var count = 0

    public init() {}

    mutating func add() { count += 1 }
}

/// What every signed thing of a site has in common: its last 64 bytes are an Ed25519 signature over its context, the
/// site's id and all bytes before.
enum SiteSignature {
    /// Each kind has a context of its own: a signature of one kind is none of another.
    static let grant: StaticString = "boxlink-site-grant-1"
    static let boxCertificate: StaticString = "boxlink-site-box-1"
    static let document: StaticString = "boxlink-site-document-1"
    static let revocation: StaticString = "boxlink-site-revocation-1"
    static let head: StaticString = "boxlink-site-head-1"
    static let server: StaticString = "boxlink-site-server-1"
    static let siteKey: StaticString = "boxlink-site-key-statement-1"

    /// What the signature is over, besides the context.
    static func content(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](bytes.prefix(max(0, bytes.count - Ed25519.signatureBytes)))
    }

    /// `content` with its signature behind it.
    static func sign(
        _ content: [UInt8], _ context: StaticString, site: SiteID, by key: borrowing Ed25519KeyPair
    ) -> [UInt8] {
        content + key.sign(context: context, message: site.bytes + content)
    }

    /// Whether `key` (32 bytes) signed `bytes`; one more is counted, whatever comes out.
    static func isSigned(
        _ bytes: [UInt8], _ context: StaticString, site: SiteID, by key: [UInt8], tally: inout SignatureTally
    ) -> Bool {
        tally.add()
        return Ed25519.verify(
            signature: [UInt8](bytes.suffix(Ed25519.signatureBytes)), context: context,
            message: site.bytes + content(bytes), publicKey: key)
    }
}
