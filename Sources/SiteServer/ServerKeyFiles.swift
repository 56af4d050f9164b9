import Glibc
import Secrets
import SiteCore
import SiteLink
import SiteTrust

/// The keys of a server, in files of its state directory. None of them is in the database.
///
/// `issuers.key` and `site.secret` are the same at every server of a site, and are copied there; `server.key` is each server's own.
public enum ServerKeyFiles {
    private static let keyBytes = 32
    /// In this order in `issuers.key`.
    private static let roles: [IssuerRole] = [.boxes, .phones, .revocations, .servers]

    /// Makes the two files of a new site.
    static func make(in directory: String) throws(SecretFileError) {
        try SecretFile.write(SecretBytes(randomCount: roles.count * keyBytes), to: directory + "/issuers.key")
        try SecretFile.write(SecretBytes(randomCount: keyBytes), to: directory + "/site.secret")
    }

    static func issuing(in directory: String, site: SiteID) throws(SecretFileError) -> SiteIssuing {
        let path = directory + "/issuers.key"
        let seeds = try SecretFile.read(path, count: roles.count * keyBytes)
        return SiteIssuing(
            site: site, boxes: try key(seeds, 0, path), phones: try key(seeds, 1, path),
            revocations: try key(seeds, 2, path), servers: try key(seeds, 3, path))
    }

    /// The site's public key, 32 bytes, as it follows from its secret.
    static func siteKey(in directory: String) throws(SecretFileError) -> [UInt8] {
        let path = directory + "/site.secret"
        let secret = try SecretFile.read(path, count: keyBytes)
        do throws(SecretsError) {
            return try SiteServerKeys(staticKey: X25519KeyPair(), siteSecret: secret.copy()).siteKey.publicKey
        } catch {
            throw SecretFileError(path: path, what: "it holds no secret")
        }
    }

    private static func key(
        _ seeds: borrowing SecretBytes, _ index: Int, _ path: String
    ) throws(SecretFileError) -> Ed25519KeyPair {
        do throws(SecretsError) {
            return try Ed25519KeyPair(seed: seeds.slice(index * keyBytes..<(index + 1) * keyBytes))
        } catch {
            throw SecretFileError(path: path, what: "it holds no keys")
        }
    }

    /// The server's own key, made at its first start, and the site's secret.
    static func serverKeys(in directory: String) throws(SecretFileError) -> SiteServerKeys {
        let path = directory + "/server.key"
        if access(path, F_OK) != 0 { try SecretFile.write(SecretBytes(randomCount: keyBytes), to: path) }
        let secret = try SecretFile.read(directory + "/site.secret", count: keyBytes)
        let key = try SecretFile.read(path, count: keyBytes)
        do throws(SecretsError) {
            return try SiteServerKeys(staticKey: try X25519KeyPair(privateKey: key.copy()), siteSecret: secret.copy())
        } catch {
            throw SecretFileError(path: path, what: "it holds no key")
        }
    }
}
