/// The reasons for which a box does not admit a phone of its site.
public enum GrantRefusal: Error, Equatable, Sendable {
    /// The grant is for another phone than the one on this channel.
    case otherPhone
    /// The pinned document does not list the issuer: the issuer was dropped, or is newer than the document.
    case unknownIssuer
    /// The document lists the issuer for another role.
    case wrongRole
    case issuerExpired
    /// The box has no signed status of this generation yet, and so does not know the time.
    case noTime
    /// The next hour of the allowance is not on disk yet.
    case hourNotWritten
    /// All hours of the allowance are spent.
    case allowanceUsedUp
    case expired
    /// Grant and box have no group in common.
    case otherGroups
    /// The named issuer did not sign this content for this site.
    case notSigned
    case phoneRevoked(Revocation)
    case userRevoked(Revocation)
}

/// Decides whether a box admits a phone of its site now.
public struct GrantCheck: Sendable {
    public let site: BoxSite
    /// The groups of this box, from its certificate.
    public let groups: SiteGroups

    public init(site: BoxSite, groups: SiteGroups) {
        self.site = site
        self.groups = groups
    }

    /// Returns the grant if it is valid now for the phone whose key (32 bytes) the handshake proved. Checks one
    /// signature.
    ///
    /// Checks the signature after the cheap checks, and before revocations, which a forged grant must not reveal.
    public func admit(
        _ claimed: ClaimedGrant, phoneKey: [UInt8], now: BootClock, tally: inout SignatureTally
    ) throws(GrantRefusal) -> Grant {
        guard claimed.facts.phoneKey == phoneKey else { throw .otherPhone }
        guard let issuer = site.pin.facts.issuer(claimed.issuer) else { throw .unknownIssuer }
        try look(at: claimed.facts, of: issuer, now)
        let grant = Grant(verified: claimed, issuerKey: issuer.key)
        guard
            SiteSignature.isSigned(
                claimed.bytes, SiteSignature.grant, site: site.pin.site, by: issuer.key, tally: &tally)
        else { throw .notSigned }
        try lookForRevocations(of: grant)
        return grant
    }

    /// Repeats all checks but the signature, for a grant that this box verified before.
    public func readmit(_ grant: Grant, phoneKey: [UInt8], now: BootClock) throws(GrantRefusal) {
        guard grant.facts.phoneKey == phoneKey else { throw .otherPhone }
        guard let issuer = site.pin.facts.issuer(key: grant.issuerKey) else { throw .unknownIssuer }
        try look(at: grant.facts, of: issuer, now)
        try lookForRevocations(of: grant)
    }

    private func look(at grant: GrantFacts, of issuer: SiteIssuer, _ now: BootClock) throws(GrantRefusal) {
        guard issuer.role == .phones else { throw .wrongRole }
        guard grant.groups.meet(groups) else { throw .otherGroups }
        guard let time = site.seconds(at: now) else { throw .noTime }
        guard time < issuer.expiry else { throw .issuerExpired }
        guard time < grant.expiry else { throw .expired }
        guard site.allowance.isPaid(at: now) else {
            throw site.allowance.isUsedUp(at: now) ? .allowanceUsedUp : .hourNotWritten
        }
    }

    private func lookForRevocations(of grant: Grant) throws(GrantRefusal) {
        guard let entry = site.revocations.entry(covering: grant.facts) else { return }
        if case .phone = entry.facts.subject { throw .phoneRevoked(entry) }
        throw .userRevoked(entry)
    }
}
