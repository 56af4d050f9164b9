import PhoneMessages
import SiteTrust

/// The data with which a member of a site checks grants, at one moment.
package struct SiteJudge: Sendable {
    let check: GrantCheck
    let clock: BootClock

    init(_ belief: SiteBelief, at clock: BootClock) {
        check = GrantCheck(site: belief.site, groups: belief.certificate.facts.groups)
        self.clock = clock
    }

    var site: SiteID { check.site.pin.site }
    /// The site's time in seconds since 1970, or nil before the first signed status of a generation.
    var seconds: UInt64? { check.site.seconds(at: clock) }
    /// If false, no grant is valid, and unknown phones are refused.
    package var knowsTime: Bool { seconds != nil }

    /// Verifies a grant that the box has not seen from this phone. This checks one signature.
    func admit(_ claimed: ClaimedGrant, phoneKey: [UInt8]) throws(GrantRefusal) -> Grant {
        var tally = SignatureTally()
        return try check.admit(claimed, phoneKey: phoneKey, now: clock, tally: &tally)
    }

    func readmit(_ grant: Grant, phoneKey: [UInt8]) throws(GrantRefusal) {
        try check.readmit(grant, phoneKey: phoneKey, now: clock)
    }
}

extension ResultCode {
    /// The code that a phone gets for a refusal: 25 plus the number of the reason (docs/reference/site-protocol.md,
    /// 11).
    init(_ refusal: GrantRefusal) {
        self =
            switch SiteReason(refusal) {
            case .notAccepted: .grantNotAccepted
            case .needsDocument: .siteDocumentNeeded
            case .renew: .grantExpired
            case .notHere: .notAtThisBox
            case .revoked: .revokedBySite
            case .boxCutOff: .boxCutOff
            }
    }
}

extension GrantRefusal {
    /// The revocation as the site signed it.
    var entry: [UInt8]? {
        switch self {
        case .phoneRevoked(let entry), .userRevoked(let entry): entry.bytes
        default: nil
        }
    }
}
