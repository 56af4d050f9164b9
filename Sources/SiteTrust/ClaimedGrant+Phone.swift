/// A grant as the phone looks at it that it is for: before it keeps it.
extension ClaimedGrant {
    /// The grant, if it is for the phone's own key (32 bytes), by an issuer of phones that the pinned document lists, and no time is over
    /// at `time`. One signature is looked at. A box has `GrantCheck`.
    ///
    /// Throws `otherKey`, `unknownIssuer`, `wrongRole`, `issuerExpired` (of issuer and grant) or `notSigned`.
    public func verify(
        _ pin: SitePin, phoneKey: [UInt8], at time: UInt64, tally: inout SignatureTally
    ) throws(SiteError) -> Grant {
        guard facts.phoneKey == phoneKey else { throw .otherKey }
        let issuer = try pin.facts.issuer(issuer, .phones)
        guard time < issuer.expiry, time < facts.expiry else { throw .issuerExpired }
        guard SiteSignature.isSigned(bytes, SiteSignature.grant, site: pin.site, by: issuer.key, tally: &tally) else {
            throw .notSigned
        }
        return Grant(verified: self, issuerKey: issuer.key)
    }
}
