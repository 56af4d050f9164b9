import Secrets
import SecureChannel
import SiteTrust
import TestSupport

@testable import SiteLink

/// A site with one server and one box, with the fixed keys of Tests/Vectors/generate_site.py.
enum LinkFixture {
    static let start: UInt64 = 1_800_000_000
    static let day: UInt64 = 86_400
    static let codeID = [UInt8](0xC0..<0xC8)
    static let box = x25519(22).publicKey
    static let server = x25519(31).publicKey
    static let site = SiteID(firstRoot: ed25519(1).publicKey)

    static func secret(_ fill: UInt8) -> SecretBytes { SecretBytes(copying: [UInt8](repeating: fill, count: 32)) }

    static func x25519(_ fill: UInt8) -> X25519KeyPair {
        guard let key = try? X25519KeyPair(privateKey: secret(fill)) else { preconditionFailure("a key of 32 bytes") }
        return key
    }

    static func ed25519(_ fill: UInt8) -> Ed25519KeyPair {
        guard let key = try? Ed25519KeyPair(seed: secret(fill)) else { preconditionFailure("a seed of 32 bytes") }
        return key
    }

    static func ordinal(_ root: UInt32, _ count: UInt32) throws -> SiteOrdinal {
        try SiteOrdinal(UInt64(root) << 32 | UInt64(count))
    }

    static func document() throws -> SiteDocument {
        let issuers = [(UInt8(11), IssuerRole.boxes), (12, .phones), (13, .revocations), (14, .servers)]
        let facts = try SiteDocumentFacts(
            site: site, version: ordinal(1, 3), generation: ordinal(1, 1), rootKey: ed25519(1).publicKey,
            nextRootHash: SHA256.hash(ed25519(2).publicKey),
            issuers: issuers.compactMap {
                SiteIssuer(role: $1, key: ed25519($0).publicKey, expiry: start + 400 * day)
            })
        return try SiteDocument.sign(facts, root: ed25519(1))
    }

    static func serverCertificate() throws -> SiteServerCertificate {
        try SiteServerCertificate.issue(serverKey: server, expiry: start + 30 * day, site: site, issuer: ed25519(14))
    }

    static func greeting() throws -> SiteGreeting {
        try SiteGreeting(certificate: serverCertificate(), document: document())
    }

    static func serverKeys(siteSecret fill: UInt8 = 41) throws -> SiteServerKeys {
        try SiteServerKeys(staticKey: x25519(31), siteSecret: secret(fill))
    }

    static func hello() throws -> SiteHello {
        try SiteHello(
            document: ordinal(1, 3), generation: ordinal(1, 1), number: 42, time: start,
            program: Array("boxagentd 2.0.0".utf8))
    }

    static func revocation(_ index: Int = 0) throws -> ClaimedRevocation {
        let key = [UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index)] + box.dropFirst(2)
        let facts = try RevocationFacts(
            subject: .phone(key: key), expiry: start + 30 * day, generation: ordinal(1, 1))
        return try ClaimedRevocation(parsing: Revocation.sign(facts, site: site, issuer: ed25519(13)).bytes)
    }

    static func head() throws -> ClaimedRevocationHead {
        let facts = try HeadFacts(
            generation: ordinal(1, 1), number: 43, document: ordinal(1, 3),
            setHash: [UInt8](repeating: 7, count: 32), time: start + 60)
        return try ClaimedRevocationHead(
            parsing: RevocationHead.sign(facts, site: site, issuer: ed25519(13)).bytes)
    }

    static func grant() throws -> ClaimedGrant {
        guard let userID = SiteUserID(bytes: [UInt8](repeating: 5, count: SiteUserID.byteCount)),
            let groups = SiteGroups([1])
        else { throw SiteError.invalidField }
        let facts = try GrantFacts(
            phoneKey: box, user: [UInt8]("ana".utf8),
            userID: userID, mode: .phoneHeld, groups: groups, generation: ordinal(1, 1), number: 41,
            expiry: start + 30 * day)
        return try ClaimedGrant(parsing: Grant.issue(facts, site: site, issuer: ed25519(12)).bytes)
    }

    static func boxCertificate() throws -> ClaimedSiteBoxCertificate {
        guard let groups = SiteGroups([1, 7]) else { preconditionFailure("groups in order") }
        let facts = try BoxFacts(boxID: Array("004711".utf8), boxKey: box, groups: groups, expiry: start + day)
        return try ClaimedSiteBoxCertificate(
            parsing: SiteBoxCertificate.issue(facts, site: site, issuer: ed25519(11)).bytes)
    }

    static func address(_ text: String) -> SiteAddress {
        guard let address = SiteAddress(Array(text.utf8)) else { preconditionFailure("an address and a port") }
        return address
    }

    /// Returns `bytes` in pieces of 1 to 40 bytes, with some longer pieces.
    static func cut(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [[UInt8]] {
        var (rest, pieces): (ArraySlice<UInt8>, [[UInt8]]) = (bytes[...], [])
        while !rest.isEmpty {
            let longest = Bool.random(using: &generator) ? 40 : 9_000
            let count = Int.random(in: 1...longest, using: &generator)
            pieces.append([UInt8](rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
