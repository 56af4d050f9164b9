import Secrets
import SecureChannel
import SiteTrust

/// What a server needs to shake hands and to open what is sealed to its site: its own key, and the secret of the site, from which the
/// secrets of join codes and the site's key follow.
public final class SiteServerKeys: Sendable {
    /// Length of the site's secret, in bytes.
    public static let secretBytes = 32

    let staticKey: X25519KeyPair
    let secret: SecretBytes
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

    /// The key that wraps a credential's own, 32 bytes: BLAKE2b-256, keyed with the site's secret, of the credential's salt (16, random
    /// for each storing), the phone's key (32) and the PIN key (32). So the database opens nothing, nor does the site's secret, nor
    /// does a phone.
    public func wrappingKey(
        salt: [UInt8], phoneKey: [UInt8], pinKey: borrowing SecretBytes
    ) throws(SecretsError) -> SecretBytes {
        guard salt.count == 16, phoneKey.count == X25519KeyPair.keyBytes, pinKey.count == 32 else { throw .wrongLength }
        var hash = try KeyedHash(key: secret, context: "boxlink-site-credential-1", from: pool)
        hash.add(salt)
        hash.add(phoneKey)
        hash.add(pinKey)
        return hash.finish()
    }

    /// Opens what a phone has sealed to the site's key: what it asks, and whose key has made it. `channel`: of the box that carries it,
    /// with the phone. Nil for anything that was not made for this box and channel.
    public func open(
        _ sealed: [UInt8], site: SiteID, boxKey: [UInt8], channel: [UInt8]
    ) -> (phoneKey: [UInt8], request: HeldRequest)? {
        let prologue = HeldRequest.prologue(site: site, boxKey: boxKey, channel: channel)
        guard
            let opened = try? OneWayMessage<XChaChaPoly>.open(sealed, prologue: prologue, with: siteKey, pool: pool),
            let request = try? HeldRequest(parsing: opened.content)
        else { return nil }
        return (opened.sender, request)
    }

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
