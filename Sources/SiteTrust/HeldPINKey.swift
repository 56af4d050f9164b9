import Secrets

/// Derives the PIN key, so that neither PIN nor device secret leaves the phone (docs/reference/site-protocol.md, 19).
public enum HeldPINKey {
    /// The length of the salt of the PIN's hash, in bytes.
    public static let saltBytes = 16
    private static let saltContext = [UInt8]("boxlink-site-pin-salt-1".utf8)

    /// Returns the salt for Argon2id. It is fixed for each phone of each site, so the phone need not store it.
    public static func salt(site: SiteID, phoneKey: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(saltContext + site.bytes + phoneKey).prefix(saltBytes))
    }

    /// Returns the PIN key, 32 bytes: BLAKE2b-256, keyed with the device secret, of the PIN's hash (32 bytes). Without
    /// the device secret, a search for the PIN is impossible. Throws `wrongLength`.
    public static func derive(
        pinHash: borrowing SecretBytes, deviceSecret: borrowing SecretBytes
    ) throws(SecretsError) -> SecretBytes {
        guard pinHash.count == HeldRequest.keyBytes, deviceSecret.count == HeldRequest.keyBytes else {
            throw .wrongLength
        }
        var hash = try KeyedHash(key: deviceSecret, context: "boxlink-site-pin-key-1")
        hash.add(pinHash)
        return hash.finish()
    }
}
