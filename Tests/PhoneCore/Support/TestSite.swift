import Secrets
import SiteTrust
import VaultPort

@testable import PhoneCore

/// A site with its keys, which signs objects for a phone and its boxes.
final class TestSite: Sendable {
    static let now: UInt64 = 1_800_000_000
    static let day: UInt64 = 86_400

    let root = TestSite.signer()
    let boxes = TestSite.signer()
    let phones = TestSite.signer()
    let revocations = TestSite.signer()
    let phone = X25519KeyPair()
    let userID: [UInt8]
    /// The id of the site's row in the phone's vault.
    let rowID = randomBytes(count: 16)

    init() {
        userID = randomBytes(count: SiteUserID.byteCount)
    }

    static func signer() -> Signer { Signer() }

    static func ordinal(_ count: UInt32) -> SiteOrdinal {
        guard let ordinal = SiteOrdinal(root: 1, count: count) else { preconditionFailure("a number from 1 on") }
        return ordinal
    }

    var id: SiteID { SiteID(firstRoot: root.key.publicKey) }

    /// - Parameters:
    ///   - without: The public key of an issuer to leave out.
    ///   - new: Further issuers of boxes.
    func document(
        version: UInt32 = 1, generation: UInt32 = 1, without dropped: [UInt8] = [], boxes new: [Signer] = []
    ) throws -> SiteDocument {
        let issuers =
            ([(IssuerRole.boxes, boxes), (.phones, phones), (.revocations, revocations)]
            + new.map { (.boxes, $0) })
            .filter { $0.1.key.publicKey != dropped }
            .sorted {
                ([$0.0.rawValue] + $0.1.key.publicKey).lexicographicallyPrecedes([$1.0.rawValue] + $1.1.key.publicKey)
            }
            .compactMap { SiteIssuer(role: $0.0, key: $0.1.key.publicKey, expiry: Self.now + 400 * Self.day) }
        return try SiteDocument.sign(
            SiteDocumentFacts(
                site: id, version: Self.ordinal(version), generation: Self.ordinal(generation),
                rootKey: root.key.publicKey, nextRootHash: SHA256.hash([9]), issuers: issuers), root: root.key)
    }

    func grant(
        user: String = "ana", userID: [UInt8]? = nil, key: [UInt8]? = nil, groups: [UInt16] = [1, 7],
        mode: GrantCredentialMode = .phoneHeld, number: UInt64 = 41, days: UInt64 = 30, by issuer: Signer? = nil
    ) throws -> Grant {
        guard let id = SiteUserID(bytes: userID ?? self.userID), let groups = SiteGroups(groups) else {
            throw SiteError.invalidField
        }
        return try Grant.issue(
            GrantFacts(
                phoneKey: key ?? phone.publicKey, user: Array(user.utf8), userID: id, mode: mode, groups: groups,
                generation: Self.ordinal(1), number: number, expiry: Self.now + days * Self.day),
            site: self.id, issuer: (issuer ?? phones).key)
    }

    func certificate(
        _ number: String, key: [UInt8], groups: [UInt16] = [7], days: UInt64 = 1, by issuer: Signer? = nil
    ) throws -> [UInt8] {
        guard let groups = SiteGroups(groups) else { throw SiteError.invalidField }
        return try SiteBoxCertificate.issue(
            BoxFacts(boxID: Array(number.utf8), boxKey: key, groups: groups, expiry: Self.now + days * Self.day),
            site: id, issuer: (issuer ?? boxes).key
        ).bytes
    }

    func entry(
        _ subject: RevokedSubject? = nil, days: UInt64 = 31, by issuer: Signer? = nil, generation: UInt32 = 1
    ) throws -> [UInt8] {
        try Revocation.sign(
            RevocationFacts(
                subject: subject ?? .phone(key: phone.publicKey), expiry: Self.now + days * Self.day,
                generation: Self.ordinal(generation)),
            site: id, issuer: (issuer ?? revocations).key
        ).bytes
    }

    /// Returns a signed status over `entries`, as the site signs one.
    func head(
        _ number: UInt64 = 1, of entries: [[UInt8]] = [], time: UInt64 = now, generation: UInt32 = 1,
        document version: UInt32 = 1, by issuer: Signer? = nil
    ) throws -> [UInt8] {
        var set = RevocationSet()
        for entry in entries { _ = try set.insert(Revocation(kept: entry)) }
        let facts = try HeadFacts(
            generation: Self.ordinal(generation), number: number, document: Self.ordinal(version),
            setHash: set.hash(at: time, document: try document(version: version).facts), time: time)
        return try RevocationHead.sign(facts, site: id, issuer: (issuer ?? revocations).key).bytes
    }

    /// Returns the site as the phone stores it.
    func known(
        _ grant: Grant? = nil, document: SiteDocument? = nil, entry: [UInt8]? = nil, head: [UInt8]? = nil,
        revokedBoxes: [[UInt8]] = [], holders: [[UInt8]] = []
    ) throws -> KnownSite {
        KnownSite(
            id: rowID, phoneKey: phone.publicKey, document: try (document ?? self.document()).bytes,
            grant: try (grant ?? self.grant()).bytes, entry: entry, hasCredential: true, head: head,
            revokedBoxes: revokedBoxes, holders: holders)
    }

    func target(_ number: String = "004711", holders: [[UInt8]] = []) throws -> BoxTarget {
        BoxTarget(try SiteAccess(try known(holders: holders)).box(number))
    }

    var privateKey: HeldSecret {
        HeldSecret(phone.withPrivateKey { SecretBytes(copying: [UInt8](copying: $0)) })
    }
}

/// Holds a key that cannot be copied.
final class Signer: Sendable {
    let key: Ed25519KeyPair

    init() {
        // 32 random bytes are a valid seed.
        guard let key = try? Ed25519KeyPair(seed: SecretBytes(randomCount: 32)) else { preconditionFailure("no key") }
        self.key = key
    }
}
