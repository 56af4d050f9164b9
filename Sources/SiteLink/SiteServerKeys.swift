import Secrets

/// What a server needs to shake hands: its own key, and the secret from which the secrets of join codes follow.
public final class SiteServerKeys: Sendable {
    /// Length of the site's secret, in bytes.
    public static let secretBytes = 32

    let staticKey: X25519KeyPair
    private let secret: SecretBytes
    /// The site's X25519 key, which every server has: what phones say to their site, boxes carry and cannot read. Each protocol that
    /// uses it has a prologue of its own.
    let siteKey: X25519KeyPair
    /// Thousands of channels share their guarded pages.
    let pool = SecretArenaPool(groups: 1_024)

    /// Throws `wrongLength` unless the site's secret has 32 bytes.
    public init(staticKey: consuming X25519KeyPair, siteSecret: consuming SecretBytes) throws(SecretsError) {
        guard siteSecret.count == Self.secretBytes else { throw .wrongLength }
        siteKey = try X25519KeyPair(
            privateKey: try KeyedHash.derive(key: siteSecret, context: "boxlink-site-key-1") { _ in })
        self.staticKey = staticKey
        secret = siteSecret
    }

    /// The server's X25519 public key, 32 bytes.
    public var publicKey: [UInt8] { staticKey.publicKey }

    /// The one-time secret of a join code, 32 bytes. It follows from the code's id, so that no database has it: whoever reads that
    /// joins no box. Whether the code is good is looked up once the handshake has shown that the box has its secret.
    public func joinSecret(codeID: [UInt8]) throws(SecretsError) -> SecretBytes {
        try KeyedHash.derive(key: secret, context: "boxlink-site-join-1") { $0.add(codeID) }
    }

    /// The one-time secret of a phone's enrolment code, 32 bytes; it follows from the code's id in the same way.
    public func enrolmentSecret(codeID: [UInt8]) throws(SecretsError) -> SecretBytes {
        try KeyedHash.derive(key: secret, context: "boxlink-site-enrol-1") { $0.add(codeID) }
    }

    /// The public half of the site's key, 32 bytes.
    public var sitePublicKey: [UInt8] { siteKey.publicKey }
}
