import Secrets

/// The text that a phone gives to the administrator who adds it: the phone's key for the site. Not secret.
///
/// The text is `boxsite-phone:1/` and the base 32 of: phone key (32) ‖ check (4), the first bytes of the SHA-256 of
/// `boxlink-site-phone-1` ‖ the key. The check detects typing errors: a grant for a wrong key would fit no phone.
public struct SitePhoneCode: Equatable, Sendable {
    private static let prefix = "boxsite-phone:1/"
    private static let context = [UInt8]("boxlink-site-phone-1".utf8)
    private static let checkBytes = 4

    /// The phone's X25519 static public key, 32 bytes.
    public let phoneKey: [UInt8]

    /// Returns nil if the bytes are not a public key.
    public init?(phoneKey: [UInt8]) {
        guard X25519KeyPair.isPublicKey(phoneKey) else { return nil }
        self.phoneKey = phoneKey
    }

    public init(parsing text: [UInt8]) throws(SiteTextError) {
        let bytes = try SiteText.parse(Self.prefix, text, limit: X25519KeyPair.keyBytes + Self.checkBytes)
        guard let code = SitePhoneCode(phoneKey: [UInt8](bytes.prefix(X25519KeyPair.keyBytes))), code.bytes == bytes
        else {
            throw .damaged
        }
        self = code
    }

    private var bytes: [UInt8] { phoneKey + SHA256.hash(Self.context + phoneKey).prefix(Self.checkBytes) }

    /// The text in ASCII.
    public var text: [UInt8] { SiteText.format(Self.prefix, bytes) }
}
