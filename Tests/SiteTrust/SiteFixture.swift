import Secrets
import Testing

@testable import SiteTrust

/// A site with the fixed keys of Tests/Vectors/generate_site.py.
enum SiteFixture {
    static let start: UInt64 = 1_800_000_000
    static let day: UInt64 = 86_400

    /// The signers. Each raw value fills the bytes of the signer's seed.
    enum Signer: UInt8, CaseIterable {
        case root = 1
        case nextRoot = 2
        case lastRoot = 3
        case boxes = 11
        case phones = 12
        case revocations = 13
        case servers = 14
        case stranger = 99
    }

    static func key(_ signer: Signer) -> Ed25519KeyPair {
        do {
            return try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: signer.rawValue, count: 32)))
        } catch {
            preconditionFailure("a seed of 32 bytes")
        }
    }

    static func x25519(_ fill: UInt8) -> [UInt8] {
        do {
            return try X25519KeyPair(privateKey: SecretBytes(copying: [UInt8](repeating: fill, count: 32))).publicKey
        } catch {
            preconditionFailure("a private key of 32 bytes")
        }
    }

    static let site = SiteID(firstRoot: key(.root).publicKey)
    static let otherSite = SiteID(firstRoot: key(.stranger).publicKey)
    static let phone = x25519(21)
    static let box = x25519(22)
    static let user: SiteUserID = userID([UInt8](0x10..<0x20))

    static func userID(_ bytes: [UInt8]) -> SiteUserID {
        guard let id = SiteUserID(bytes: bytes) else { preconditionFailure("an id of 16 bytes") }
        return id
    }

    static func ordinal(_ root: UInt32, _ count: UInt32) -> SiteOrdinal {
        guard let ordinal = SiteOrdinal(root: root, count: count) else { preconditionFailure("numbers from 1 on") }
        return ordinal
    }

    static func groups(_ numbers: [UInt16]) -> SiteGroups {
        guard let groups = SiteGroups(numbers) else { preconditionFailure("groups in order") }
        return groups
    }

    static func clock(_ seconds: UInt64, boot: UInt8 = 1) -> BootClock {
        guard let clock = BootClock(boot: [UInt8](repeating: boot, count: 16), seconds: seconds) else {
            preconditionFailure("a boot id of 16 bytes")
        }
        return clock
    }

    static func issuer(_ signer: Signer, _ role: IssuerRole, expiry: UInt64 = start + 400 * day) -> SiteIssuer {
        guard let issuer = SiteIssuer(role: role, key: key(signer).publicKey, expiry: expiry) else {
            preconditionFailure("a key of 32 bytes")
        }
        return issuer
    }

    static let issuers: [SiteIssuer] = [
        issuer(.boxes, .boxes), issuer(.phones, .phones), issuer(.revocations, .revocations),
        issuer(.servers, .servers),
    ]

    static func document(
        version: UInt32 = 3, generation: UInt32 = 1, root: Signer = .root, rootNumber: UInt32 = 1,
        next: Signer = .nextRoot, site: SiteID = site, issuers: [SiteIssuer] = issuers
    ) throws -> SiteDocument {
        let facts = try SiteDocumentFacts(
            site: site, version: ordinal(rootNumber, version), generation: ordinal(rootNumber, generation),
            rootKey: key(root).publicKey, nextRootHash: SHA256.hash(key(next).publicKey), issuers: issuers)
        return try SiteDocument.sign(facts, root: key(root))
    }

    static func claimed(_ document: SiteDocument) throws -> ClaimedSiteDocument {
        try ClaimedSiteDocument(parsing: document.bytes)
    }

    static func pin(_ document: SiteDocument? = nil) throws -> SitePin {
        var tally = SignatureTally()
        let first = try document ?? Self.document()
        return try SitePin(root: first.facts.rootKey, document: claimed(first), tally: &tally)
    }

    static func grantFacts(
        phone: [UInt8] = phone, user: [UInt8] = Array("ana".utf8), userID: SiteUserID = user,
        groups numbers: [UInt16] = [1], mode: GrantCredentialMode = .phoneHeld, generation: SiteOrdinal = ordinal(1, 1),
        number: UInt64 = 41, expiry: UInt64 = start + 30 * day
    ) throws -> GrantFacts {
        try GrantFacts(
            phoneKey: phone, user: user, userID: userID, mode: mode, groups: groups(numbers), generation: generation,
            number: number, expiry: expiry)
    }

    static func grant(
        _ facts: GrantFacts? = nil, site: SiteID = site, by signer: Signer = .phones
    ) throws -> ClaimedGrant {
        let facts = try facts ?? grantFacts()
        return try ClaimedGrant(parsing: Grant.issue(facts, site: site, issuer: key(signer)).bytes)
    }

    static func certificate(
        boxID: String = "004711", boxKey: [UInt8] = box, groups numbers: [UInt16] = [1, 7],
        expiry: UInt64 = start + day, site: SiteID = site, by signer: Signer = .boxes
    ) throws -> ClaimedSiteBoxCertificate {
        let facts = try BoxFacts(
            boxID: Array(boxID.utf8), boxKey: boxKey, groups: groups(numbers), expiry: expiry)
        let issued = try SiteBoxCertificate.issue(facts, site: site, issuer: key(signer))
        return try ClaimedSiteBoxCertificate(parsing: issued.bytes)
    }

    static func revocation(
        _ subject: RevokedSubject, expiry: UInt64 = start + 30 * day, generation: SiteOrdinal = ordinal(1, 1),
        site: SiteID = site, by signer: Signer = .revocations
    ) throws -> Revocation {
        let facts = try RevocationFacts(subject: subject, expiry: expiry, generation: generation)
        return try Revocation.sign(facts, site: site, issuer: key(signer))
    }

    static func claimed(_ entry: Revocation) throws -> ClaimedRevocation {
        try ClaimedRevocation(parsing: entry.bytes)
    }

    static func head(
        of set: RevocationSet = RevocationSet(), number: UInt64 = 1, time: UInt64 = start,
        generation: SiteOrdinal = ordinal(1, 1), document: SiteOrdinal = ordinal(1, 3), listed: [SiteIssuer] = issuers,
        site: SiteID = site, by signer: Signer = .revocations
    ) throws -> ClaimedRevocationHead {
        let listing = try Self.document(issuers: listed).facts
        let facts = try HeadFacts(
            generation: generation, number: number, document: document,
            setHash: set.hash(at: time, document: listing), time: time)
        return try ClaimedRevocationHead(
            parsing: RevocationHead.sign(facts, site: site, issuer: key(signer)).bytes)
    }

    /// Returns a box that has just heard a fresh signed status, at 1,000 s of its boot clock.
    static func freshBox(
        _ entries: [Revocation] = [], pin: SitePin? = nil, generation: UInt32 = 1, time: UInt64 = start, hours: Int = 24
    ) throws -> BoxSite {
        var site = BoxSite(pin: try pin ?? Self.pin(), allowanceHours: hours)
        var tally = SignatureTally()
        var set = RevocationSet()
        for entry in entries {
            #expect(try site.take(try claimed(entry), tally: &tally) == true)
            _ = try set.insert(entry)
        }
        let head = try Self.head(of: set, time: time, generation: ordinal(1, generation))
        #expect(try site.take(head, at: clock(1000), tally: &tally) == .fresh)
        return site
    }
}
