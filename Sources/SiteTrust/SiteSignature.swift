import Secrets

/// Counts signature checks. Each check costs a thin client about 0.1 ms, so an unknown peer must not cause many.
public struct SignatureTally: Sendable, Equatable {
    public private(set) var count = 0

    public init() {}

    mutating func add() { count += 1 }
}

/// The common form of all signed items. The last 64 bytes are an Ed25519 signature over a context, the site's id and
/// the bytes before.
enum SiteSignature {
    /// Each kind has its own context, so that a signature of one kind is not valid for another.
    static let grant: StaticString = "boxlink-site-grant-1"
    static let boxCertificate: StaticString = "boxlink-site-box-1"
    static let document: StaticString = "boxlink-site-document-1"
    static let revocation: StaticString = "boxlink-site-revocation-1"
    static let head: StaticString = "boxlink-site-head-1"
    static let server: StaticString = "boxlink-site-server-1"
    static let siteKey: StaticString = "boxlink-site-key-statement-1"

    /// Returns the signed bytes, without the context.
    static func content(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](bytes.prefix(max(0, bytes.count - Ed25519.signatureBytes)))
    }

    /// Returns `content` with its signature appended.
    static func sign(
        _ content: [UInt8], _ context: StaticString, site: SiteID, by key: borrowing Ed25519KeyPair
    ) -> [UInt8] {
        content + key.sign(context: context, message: site.bytes + content)
    }

    /// Returns whether `key` (32 bytes) signed `bytes`. Counts the check in every case.
    static func isSigned(
        _ bytes: [UInt8], _ context: StaticString, site: SiteID, by key: [UInt8], tally: inout SignatureTally
    ) -> Bool {
        tally.add()
        return Ed25519.verify(
            signature: [UInt8](bytes.suffix(Ed25519.signatureBytes)), context: context,
            message: site.bytes + content(bytes), publicKey: key)
    }
}
