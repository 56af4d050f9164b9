import Secrets

/// What a server needs to shake hands: its own key, and the secret from which the secrets of join codes follow.
public final class SiteServerKeys: Sendable {
    /// Length of the site's secret, in bytes.
    public static let secretBytes = 32

    let staticKey: X25519KeyPair
    private let secret: SecretBytes
    /// Thousands of channels share their guarded pages.
    let pool = SecretArenaPool()

    /// Throws `wrongLength` unless the site's secret has 32 bytes.
    public init(staticKey: consuming X25519KeyPair, siteSecret: consuming SecretBytes) throws(SecretsError) {
        guard siteSecret.count == Self.secretBytes else { throw .wrongLength }
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
}
