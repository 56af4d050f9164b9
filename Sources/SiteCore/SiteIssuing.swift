import Secrets
import SiteTrust

/// The keys with which a server signs for its site, one for each role. What a stolen one can do is what its role can do.
public final class SiteIssuing: Sendable {
    /// How long a box is without its site at most before phones stop believing it, beyond its certificate's life, in seconds: what
    /// takes back a box must outlive every certificate that it may still hold, whoever's clock is a little off.
    static let margin: UInt64 = 3_600
    private static let hour: UInt64 = 3_600

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

    func head(_ facts: HeadFacts) throws(SiteError) -> RevocationHead {
        try RevocationHead.sign(facts, site: site, issuer: revocations)
    }
}
