import Secrets
import SecureChannel
import SiteTrust

/// A server's keys for handshakes and for data sealed to its site: the server's own key, and the site's secret, from
/// which the site key and the secrets of codes are derived.
public final class SiteServerKeys: Sendable {
    /// Length of the site's secret, in bytes.
    public static let secretBytes = 32

    let staticKey: X25519KeyPair
    let secret: SecretBytes
    /// The site's X25519 key, which every server has. Boxes carry data that phones seal to this key, and cannot read
    /// the data. Each protocol that uses the key has its own prologue.
    let siteKey: X25519KeyPair
    /// Guarded memory whose pages thousands of channels share.
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

    /// Derives the 32-byte key that wraps a credential's own key: BLAKE2b-256, keyed with the site's secret, of the
    /// credential's salt (16, random for each storing), the phone's key (32) and the PIN key (32). So neither the
    /// database nor the site's secret nor a phone opens a credential alone.
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

    /// Opens a request that a phone sealed to the site's key, and returns it with the phone's key. `channel` is the
    /// hash of the phone's channel at the box. Returns nil for a request to another box or channel.
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

    /// Derives the 32-byte secret of a join code from the code's id. No database stores the secret, so a reader of the
    /// database cannot join a box. Look up the code only after the handshake has proved that the box has the secret.
    public func joinSecret(codeID: [UInt8]) throws(SecretsError) -> SecretBytes {
        try KeyedHash.derive(key: secret, context: "boxlink-site-join-1") { $0.add(codeID) }
    }

    /// Derives the 32-byte secret of a phone's enrolment code from the code's id.
    public func enrolmentSecret(codeID: [UInt8]) throws(SecretsError) -> SecretBytes {
        try KeyedHash.derive(key: secret, context: "boxlink-site-enrol-1") { $0.add(codeID) }
    }

    /// The public half of the site's key, 32 bytes.
    public var sitePublicKey: [UInt8] { siteKey.publicKey }
}
