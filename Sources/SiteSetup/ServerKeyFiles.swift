import Glibc
import Secrets
import SiteCore
import SiteLink
import SiteTrust

/// The keys of a server, in files of its state directory. None of them is in the database.
///
/// The issuer files and `site.secret` are copied to every server of a site. `server.key` is each server's own.
public enum ServerKeyFiles {
    private static let keyBytes = 32
    /// The order of the keys in an issuer file.
    private static let roles: [IssuerRole] = [.boxes, .phones, .revocations, .servers]
    /// Two files that alternate: one for the issuers of this year, one for those of the next.
    package static let issuerFiles = ["issuers.key", "issuers-2.key"]

    /// Makes `issuers.key` and `site.secret` of a new site, and returns the issuers.
    package static func make(in directory: String) throws(SecretFileError) -> [IssuerKey] {
        try SecretFile.write(newSeeds(), to: directory + "/issuers.key")
        try SecretFile.write(SecretBytes(randomCount: keyBytes), to: directory + "/site.secret")
        return try issuers(in: directory + "/issuers.key")
    }

    package static func newSeeds() -> SecretBytes { SecretBytes(randomCount: roles.count * keyBytes) }

    /// Returns the keys of both files. At least one file must exist.
    package static func issuers(in directory: String, site: SiteID) throws(SecretFileError) -> IssuerKeys {
        var keys: [IssuerKey] = []
        for name in issuerFiles where exists(directory + "/" + name) {
            keys += try issuers(in: directory + "/" + name)
        }
        // If both are missing, the first one is reported.
        if keys.isEmpty { keys = try issuers(in: directory + "/" + issuerFiles[0]) }
        return IssuerKeys(site: site, keys)
    }

    /// The four keys of one file.
    package static func issuers(in path: String) throws(SecretFileError) -> [IssuerKey] {
        let seeds = try SecretFile.read(path, count: roles.count * keyBytes)
        var keys: [IssuerKey] = []
        for (index, role) in roles.enumerated() { keys.append(IssuerKey(role, try key(seeds, index, path))) }
        return keys
    }

    /// Returns true also for a symbolic link without a target. Reading it then reports the problem.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Returns the site's public key, 32 bytes, derived from its secret.
    package static func siteKey(in directory: String) throws(SecretFileError) -> [UInt8] {
        let path = directory + "/site.secret"
        let secret = try SecretFile.read(path, count: keyBytes)
        do throws(SecretsError) {
            return try SiteServerKeys(staticKey: X25519KeyPair(), siteSecret: secret.copy()).sitePublicKey
        } catch {
            throw SecretFileError(path: path, what: "it does not hold a secret")
        }
    }

    private static func key(
        _ seeds: borrowing SecretBytes, _ index: Int, _ path: String
    ) throws(SecretFileError) -> Ed25519KeyPair {
        do throws(SecretsError) {
            return try Ed25519KeyPair(seed: seeds.slice(index * keyBytes..<(index + 1) * keyBytes))
        } catch {
            throw SecretFileError(path: path, what: "it does not hold keys")
        }
    }

    /// Returns the server's own key, made at its first start, and the site's secret.
    package static func serverKeys(in directory: String) throws(SecretFileError) -> SiteServerKeys {
        let path = directory + "/server.key"
        if access(path, F_OK) != 0 { try SecretFile.write(SecretBytes(randomCount: keyBytes), to: path) }
        let secret = try SecretFile.read(directory + "/site.secret", count: keyBytes)
        let key = try SecretFile.read(path, count: keyBytes)
        do throws(SecretsError) {
            return try SiteServerKeys(staticKey: try X25519KeyPair(privateKey: key.copy()), siteSecret: secret.copy())
        } catch {
            throw SecretFileError(path: path, what: "it does not hold a key")
        }
    }
}
