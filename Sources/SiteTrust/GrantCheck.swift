/// Why a box does not let in a phone of its site.
public enum GrantRefusal: Error, Equatable, Sendable {
    /// The grant is for another phone than the one at the other end of the channel.
    case otherPhone
    /// The pinned document does not list the issuer: it was dropped, or is newer than the document.
    case unknownIssuer
    /// The issuer is listed for something else.
    case wrongRole
    case issuerExpired
    /// The box has no head of this generation yet, and does not know what time it is.
    case noTime
    /// The next hour of the allowance is not on disk yet.
    case hourNotWritten
    /// All hours of the allowance are spent.
    case allowanceUsedUp
    case expired
    /// Grant and box have no group in common.
    case otherGroups
    /// Not by the issuer that it names, over this content, for this site.
    case notSigned
    case phoneRevoked(Revocation)
    case userRevoked(Revocation)
}

/// Decides whether a box lets in a phone of its site now.
public struct GrantCheck: Sendable {
    public let site: BoxSite
    /// The groups of this box, as its certificate has them.
    public let groups: SiteGroups

    public init(site: BoxSite, groups: SiteGroups) {
        self.site = site
        self.groups = groups
    }

    /// The grant, if it is good now for the phone whose key (32 bytes) the handshake has proved. One signature is looked at.
    ///
    /// The signature comes behind all that is cheap, and ahead of revocations: whoever made up a grant must not hear whether
    /// somebody was revoked.
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

    /// The same for a grant that this box verified before: everything is looked at anew but its signature.
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
