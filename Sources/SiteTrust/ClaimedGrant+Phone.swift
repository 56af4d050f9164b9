/// The check of a grant by its own phone, before the phone stores it.
extension ClaimedGrant {
    /// Returns the grant if it is for the phone's own key (32 bytes) and a listed issuer of phones signed it. Neither
    /// grant nor issuer may have expired at `time`. Checks one signature. A box uses `GrantCheck` instead.
    ///
    /// Throws `otherKey`, `unknownIssuer`, `wrongRole`, `issuerExpired` (issuer or grant) or `notSigned`.
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
