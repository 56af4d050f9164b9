import Secrets
import SiteTrust

/// The keys with which a server signs under one site document, one for each role. A stolen key only has its role's
/// power.
public struct SiteIssuing: Sendable {
    /// How much longer than a certificate or grant its revocation lives, in seconds. The revocation must live longer,
    /// even if a clock is a little off.
    static let margin: UInt64 = 3_600
    private static let hour: UInt64 = 3_600
    /// The lifetime of a grant, in seconds: 30 days.
    public static let grantLife: UInt64 = 30 * 86_400

    public let site: SiteID
    /// The version of the site document that lists these keys.
    public let document: SiteOrdinal
    private let listed: [SiteIssuer]
    private let signers: [IssuerRole: IssuerKey]

    /// Chooses from `keys` those that `document` lists and that may still sign at `time`.
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

    /// Chooses the issuer that signs, if there are several.
    ///
    /// Boxes get a document before anything that its issuers sign. Phones get it later, with a new grant. So the issuer
    /// that expires first signs, because phones have known it longest. It must outlive what it signs, if possible.
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

    /// Roles in which this server cannot sign, because it has no listed key that is still valid.
    public var rolesUnable: [IssuerRole] { IssuerRole.allCases.filter { signers[$0] == nil } }

    public func canSign(_ role: IssuerRole) -> Bool { signers[role] != nil }

    private func signer(_ role: IssuerRole) throws(SiteError) -> IssuerKey {
        guard let key = signers[role] else { throw .unknownIssuer }
        return key
    }

    /// Returns a new certificate for a box, valid from `time` for `hours` (1 to 504).
    func certificate(
        number: [UInt8], key: [UInt8], groups: SiteGroups, at time: UInt64, hours: Int
    ) throws(SiteError) -> SiteBoxCertificate {
        let hours = UInt64(min(max(hours, 1), SiteBoxCertificate.hoursLimit))
        let facts = try BoxFacts(boxID: number, boxKey: key, groups: groups, expiry: time + hours * Self.hour)
        return try SiteBoxCertificate.issue(facts, site: site, issuer: try signer(.boxes).pair)
    }

    /// Returns a new certificate for a server with that key (X25519, 32 bytes), valid until `expiry`.
    public func serverCertificate(key: [UInt8], expiry: UInt64) throws(SiteError) -> SiteServerCertificate {
        try SiteServerCertificate.issue(
            serverKey: key, expiry: expiry, site: site, issuer: try signer(.servers).pair)
    }

    /// Returns the entry that revokes a box at `time`. It outlives every certificate of the box.
    public func revocation(
        ofBox key: [UInt8], at time: UInt64, generation: SiteOrdinal
    ) throws(SiteError) -> Revocation {
        let expiry = time + UInt64(SiteBoxCertificate.hoursLimit) * Self.hour + Self.margin
        return try revocation(RevocationFacts(subject: .box(key: key), expiry: expiry, generation: generation))
    }

    /// Returns the entry that revokes a phone, or grants of a user, at `time`. It outlives `lastExpiry` and every grant
    /// issued until now, including grants that a restored database does not know.
    public func revocation(
        of subject: RevokedSubject, at time: UInt64, generation: SiteOrdinal, lastExpiry: UInt64 = 0
    ) throws(SiteError) -> Revocation {
        let expiry = max(time + Self.grantLife, lastExpiry) + Self.margin
        return try revocation(RevocationFacts(subject: subject, expiry: expiry, generation: generation))
    }

    /// Signs an entry with exactly these facts, to replace one of another issuer or another generation.
    public func revocation(_ facts: RevocationFacts) throws(SiteError) -> Revocation {
        try Revocation.sign(facts, site: site, issuer: try signer(.revocations).pair)
    }

    /// Returns a new grant for a phone, issued at `time`.
    public func grant(
        key: [UInt8], of user: SiteUser, mode: GrantCredentialMode = .phoneHeld, groups: SiteGroups,
        issuedAt place: GrantPlace, time: UInt64
    ) throws(SiteError) -> Grant {
        let facts = try GrantFacts(
            phoneKey: key, user: Array(user.name.utf8), userID: user.userID, mode: mode, groups: groups,
            generation: place.generation, number: place.number, expiry: time + Self.grantLife)
        return try Grant.issue(facts, site: site, issuer: try signer(.phones).pair)
    }

    /// Returns whether the grant names an issuer of phones that the document lists. Its signature is not verified.
    func hasIssued(_ grant: ClaimedGrant) -> Bool {
        listed.contains { $0.role == .phones && $0.keyID == grant.issuer }
    }

    func head(_ facts: HeadFacts) throws(SiteError) -> RevocationHead {
        try RevocationHead.sign(facts, site: site, issuer: try signer(.revocations).pair)
    }
}
