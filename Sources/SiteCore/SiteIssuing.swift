import Secrets
import SiteTrust

/// The keys with which a server signs under one site document, one for each role at most. What a stolen one can do is what its role
/// can do.
public struct SiteIssuing: Sendable {
    /// How long a box is without its site at most before phones stop believing it, beyond its certificate's life, in seconds: what
    /// takes back a box must outlive every certificate that it may still hold, whoever's clock is a little off.
    static let margin: UInt64 = 3_600
    private static let hour: UInt64 = 3_600
    /// How long a grant lives, in seconds: 30 days.
    public static let grantLife: UInt64 = 30 * 86_400

    public let site: SiteID
    /// The version of the site document that lists these keys.
    public let document: SiteOrdinal
    private let listed: [SiteIssuer]
    private let signers: [IssuerRole: IssuerKey]

    /// Chooses among `keys` what `document` lists, and may still sign at `time`.
    public init(_ keys: IssuerKeys, under document: SiteDocumentFacts, at time: UInt64) {
        site = keys.site
        self.document = document.version
        listed = document.issuers
        var signers: [IssuerRole: IssuerKey] = [:]
        for role in IssuerRole.allCases {
            let able = document.issuers.filter { $0.role == role && time < $0.expiry && keys.key(of: $0) != nil }
            signers[role] = Self.choice(of: able, role, at: time).flatMap(keys.key)
        }
        self.signers = signers
    }

    /// Of several, which one signs.
    ///
    /// Boxes hear of a document before anything that its issuers sign. Phones hear of it later, when their grant is renewed: so what
    /// phones have to believe is signed by the issuer that they have known longest, as long as that one outlives what it signs.
    static func choice(of able: [SiteIssuer], _ role: IssuerRole, at time: UInt64) -> SiteIssuer? {
        let sorted = able.sorted { ($0.expiry, $0.keyID.value) < ($1.expiry, $1.keyID.value) }
        let life: UInt64 =
            switch role {
            case .boxes: UInt64(SiteBoxCertificate.hoursLimit) * hour
            case .phones: grantLife
            case .revocations, .servers: .max
            }
        return sorted.first { $0.expiry - time > life } ?? sorted.last
    }

    /// Roles for which this server signs nothing, as it has no key that the document lists and whose time is not over.
    public var rolesUnable: [IssuerRole] { IssuerRole.allCases.filter { signers[$0] == nil } }

    public func canSign(_ role: IssuerRole) -> Bool { signers[role] != nil }

    private func signer(_ role: IssuerRole) throws(SiteError) -> IssuerKey {
        guard let key = signers[role] else { throw .unknownIssuer }
        return key
    }

    /// The certificate of a box at `time`, for `hours` (1 to 504).
    func certificate(
        number: [UInt8], key: [UInt8], groups: SiteGroups, at time: UInt64, hours: Int
    ) throws(SiteError) -> SiteBoxCertificate {
        let hours = UInt64(min(max(hours, 1), SiteBoxCertificate.hoursLimit))
        let facts = try BoxFacts(boxID: number, boxKey: key, groups: groups, expiry: time + hours * Self.hour)
        return try SiteBoxCertificate.issue(facts, site: site, issuer: try signer(.boxes).pair)
    }

    /// The certificate of a server with that key (X25519, 32 bytes), until `expiry`.
    public func serverCertificate(key: [UInt8], expiry: UInt64) throws(SiteError) -> SiteServerCertificate {
        try SiteServerCertificate.issue(
            serverKey: key, expiry: expiry, site: site, issuer: try signer(.servers).pair)
    }

    /// The entry that takes back a box at `time`: it lives as long as any certificate of the box can.
    public func revocation(
        ofBox key: [UInt8], at time: UInt64, generation: SiteOrdinal
    ) throws(SiteError) -> Revocation {
        let expiry = time + UInt64(SiteBoxCertificate.hoursLimit) * Self.hour + Self.margin
        return try revocation(RevocationFacts(subject: .box(key: key), expiry: expiry, generation: generation))
    }

    /// The entry that takes back a phone, or grants of a user, at `time`. It lives as long as any grant can that was issued until now,
    /// whatever the database knows of it after a backup was restored, and longer than `lastExpiry`.
    public func revocation(
        of subject: RevokedSubject, at time: UInt64, generation: SiteOrdinal, lastExpiry: UInt64 = 0
    ) throws(SiteError) -> Revocation {
        let expiry = max(time + Self.grantLife, lastExpiry) + Self.margin
        return try revocation(RevocationFacts(subject: subject, expiry: expiry, generation: generation))
    }

    /// An entry that says exactly this: what another issuer, or another generation, has said before.
    public func revocation(_ facts: RevocationFacts) throws(SiteError) -> Revocation {
        try Revocation.sign(facts, site: site, issuer: try signer(.revocations).pair)
    }

    /// The grant of a phone, at `time`.
    public func grant(
        key: [UInt8], of user: SiteUser, mode: GrantCredentialMode = .phoneHeld, groups: SiteGroups,
        issuedAt place: GrantPlace, time: UInt64
    ) throws(SiteError) -> Grant {
        let facts = try GrantFacts(
            phoneKey: key, user: Array(user.name.utf8), userID: user.userID, mode: mode, groups: groups,
            generation: place.generation, number: place.number, expiry: time + Self.grantLife)
        return try Grant.issue(facts, site: site, issuer: try signer(.phones).pair)
    }

    /// Whether an issuer of phones that the document lists has signed that grant, as far as it says itself.
    func hasIssued(_ grant: ClaimedGrant) -> Bool {
        listed.contains { $0.role == .phones && $0.keyID == grant.issuer }
    }

    func head(_ facts: HeadFacts) throws(SiteError) -> RevocationHead {
        try RevocationHead.sign(facts, site: site, issuer: try signer(.revocations).pair)
    }
}
