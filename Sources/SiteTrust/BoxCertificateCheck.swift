/// The reasons for which a phone does not trust a box of its site.
public enum BoxCertificateRefusal: Error, Equatable, Sendable {
    /// The box itself claims another site.
    case otherSite
    /// The certificate is for another key than the box has shown.
    case otherKey
    /// The box has other digits than the person wants.
    case otherBoxID
    /// The pinned document does not list the issuer: the issuer was dropped, or is newer than the document.
    case unknownIssuer
    /// The document lists the issuer for another role.
    case wrongRole
    case issuerExpired
    case expired
    /// Grant and box have no group in common.
    case otherGroups
    /// The named issuer did not sign this content for this site.
    case notSigned
    case boxRevoked(Revocation)
}

/// Decides whether a phone trusts a box of its site now. The handshake then proves that the box has the certified key.
public struct BoxCertificateCheck: Sendable {
    public let site: PhoneSite
    /// The groups of this phone's grant.
    public let groups: SiteGroups

    public init(site: PhoneSite, groups: SiteGroups) {
        self.site = site
        self.groups = groups
    }

    /// Returns the certificate if it is valid now, by the phone's `clock`. The certificate must be for `boxKey` (32
    /// bytes, from the identity that was read), and for the wanted digits unless `boxID` is nil. Checks one signature.
    public func admit(
        _ claimed: ClaimedSiteBoxCertificate, boxKey: [UInt8], boxID: [UInt8]?, clock: UInt64,
        tally: inout SignatureTally
    ) throws(BoxCertificateRefusal) -> SiteBoxCertificate {
        guard claimed.siteTag == site.pin.site.tag else { throw .otherSite }
        try look(whether: claimed.facts, isOf: boxKey, boxID)
        guard let issuer = site.pin.facts.issuer(claimed.issuer) else { throw .unknownIssuer }
        try look(at: claimed.facts, of: issuer, clock)
        guard
            SiteSignature.isSigned(
                claimed.bytes, SiteSignature.boxCertificate, site: site.pin.site, by: issuer.key, tally: &tally)
        else { throw .notSigned }
        try lookForRevocation(of: claimed.facts)
        return SiteBoxCertificate(verified: claimed, issuerKey: issuer.key)
    }

    /// Repeats all checks but those of site tag and signature, for a certificate that this phone verified before.
    public func readmit(
        _ certificate: SiteBoxCertificate, boxKey: [UInt8], boxID: [UInt8]?, clock: UInt64
    ) throws(BoxCertificateRefusal) {
        try look(whether: certificate.facts, isOf: boxKey, boxID)
        guard let issuer = site.pin.facts.issuer(key: certificate.issuerKey) else { throw .unknownIssuer }
        try look(at: certificate.facts, of: issuer, clock)
        try lookForRevocation(of: certificate.facts)
    }

    private func look(
        whether facts: BoxFacts, isOf boxKey: [UInt8], _ boxID: [UInt8]?
    ) throws(BoxCertificateRefusal) {
        guard facts.boxKey == boxKey else { throw .otherKey }
        if let boxID, facts.boxID != boxID { throw .otherBoxID }
    }

    private func look(
        at facts: BoxFacts, of issuer: SiteIssuer, _ clock: UInt64
    ) throws(BoxCertificateRefusal) {
        guard issuer.role == .boxes else { throw .wrongRole }
        let time = site.seconds(clock: clock)
        guard time < issuer.expiry else { throw .issuerExpired }
        guard time < facts.expiry else { throw .expired }
        guard facts.groups.meet(groups) else { throw .otherGroups }
    }

    private func lookForRevocation(of facts: BoxFacts) throws(BoxCertificateRefusal) {
        if let entry = site.revokedBoxes.entry(coveringBox: facts.boxKey) { throw .boxRevoked(entry) }
    }
}
