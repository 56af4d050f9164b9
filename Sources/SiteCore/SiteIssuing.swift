import Secrets
import SiteTrust

/// The keys with which a server signs for its site, one for each role. What a stolen one can do is what its role can do.
public final class SiteIssuing: Sendable {
    /// How long a box is without its site at most before phones stop believing it, beyond its certificate's life, in seconds: what
    /// takes back a box must outlive every certificate that it may still hold, whoever's clock is a little off.
    static let margin: UInt64 = 3_600
    private static let hour: UInt64 = 3_600
    /// How long a grant lives, in seconds: 30 days.
    public static let grantLife: UInt64 = 30 * 86_400

    public let site: SiteID
    private let boxes: Ed25519KeyPair
    private let phones: Ed25519KeyPair
    private let revocations: Ed25519KeyPair
    private let servers: Ed25519KeyPair

    public init(
        site: SiteID, boxes: consuming Ed25519KeyPair, phones: consuming Ed25519KeyPair,
        revocations: consuming Ed25519KeyPair, servers: consuming Ed25519KeyPair
    ) {
        self.site = site
        self.boxes = boxes
        self.phones = phones
        self.revocations = revocations
        self.servers = servers
    }

    /// The public keys (32 bytes each) with their roles: what the site document has to list.
    public var publicKeys: [(role: IssuerRole, key: [UInt8])] {
        [
            (.boxes, boxes.publicKey), (.phones, phones.publicKey), (.revocations, revocations.publicKey),
            (.servers, servers.publicKey),
        ]
    }

    /// The first role whose key `document` does not list, or no longer at `time`; nil: all may sign.
    public func roleUnable(under document: SiteDocumentFacts, at time: UInt64) -> IssuerRole? {
        for (role, key) in publicKeys {
            let listed = document.issuers.contains { $0.role == role && $0.key == key && time < $0.expiry }
            if !listed { return role }
        }
        return nil
    }

    /// The certificate of a box at `time`, for `hours` (1 to 504).
    func certificate(
        number: [UInt8], key: [UInt8], groups: SiteGroups, at time: UInt64, hours: Int
    ) throws(SiteError) -> SiteBoxCertificate {
        let hours = UInt64(min(max(hours, 1), SiteBoxCertificate.hoursLimit))
        let facts = try BoxFacts(boxID: number, boxKey: key, groups: groups, expiry: time + hours * Self.hour)
        return try SiteBoxCertificate.issue(facts, site: site, issuer: boxes)
    }

    /// The certificate of a server with that key (X25519, 32 bytes), until `expiry`.
    public func serverCertificate(key: [UInt8], expiry: UInt64) throws(SiteError) -> SiteServerCertificate {
        try SiteServerCertificate.issue(serverKey: key, expiry: expiry, site: site, issuer: servers)
    }

    /// The entry that takes back a box at `time`: it lives as long as any certificate of the box can.
    public func revocation(
        ofBox key: [UInt8], at time: UInt64, generation: SiteOrdinal
    ) throws(SiteError) -> Revocation {
        let expiry = time + UInt64(SiteBoxCertificate.hoursLimit) * Self.hour + Self.margin
        return try Revocation.sign(
            RevocationFacts(subject: .box(key: key), expiry: expiry, generation: generation), site: site,
            issuer: revocations)
    }

    /// The entry that takes back a phone, or grants of a user, at `time`. It lives as long as any grant can that was issued until now,
    /// whatever the database knows of it after a backup was restored, and longer than `lastExpiry`.
    public func revocation(
        of subject: RevokedSubject, at time: UInt64, generation: SiteOrdinal, lastExpiry: UInt64 = 0
    ) throws(SiteError) -> Revocation {
        let expiry = max(time + Self.grantLife, lastExpiry) + Self.margin
        return try Revocation.sign(
            RevocationFacts(subject: subject, expiry: expiry, generation: generation), site: site, issuer: revocations)
    }

    /// The grant of a phone, at `time`.
    public func grant(
        key: [UInt8], of user: SiteUser, mode: GrantCredentialMode = .phoneHeld, groups: SiteGroups,
        issuedAt place: GrantPlace, time: UInt64
    ) throws(SiteError) -> Grant {
        let facts = try GrantFacts(
            phoneKey: key, user: Array(user.name.utf8), userID: user.userID, mode: mode, groups: groups,
            generation: place.generation, number: place.number, expiry: time + Self.grantLife)
        return try Grant.issue(facts, site: site, issuer: phones)
    }

    /// Whether this server's key has signed that grant, as far as it says itself.
    func hasIssued(_ grant: ClaimedGrant) -> Bool { grant.issuer == IssuerKeyID(of: phones.publicKey) }

    func head(_ facts: HeadFacts) throws(SiteError) -> RevocationHead {
        try RevocationHead.sign(facts, site: site, issuer: revocations)
    }
}
