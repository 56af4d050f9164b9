import SiteLink
import SiteTrust

/// What an administrator has given a server to serve by: its keys, how long it certifies a box, and where boxes find the servers.
public struct SiteTerms: Sendable {
    public let issuing: SiteIssuing
    /// Life of a box's certificate, 1 to 504 hours.
    let certificateHours: Int
    /// Where this and the other servers listen; none: boxes keep what they have.
    let servers: [SiteAddress]
    /// Nil: the server holds no credentials of phones.
    public let holding: SiteHolding?

    public init(
        _ issuing: SiteIssuing, certificateHours: Int, servers: [SiteAddress] = [], holding: SiteHolding? = nil
    ) {
        self.issuing = issuing
        self.holding = holding
        self.certificateHours = certificateHours
        self.servers = servers
    }

    /// What a box with that key (32 bytes) is told of itself at `time`; nil where it cannot be signed.
    func certificate(_ box: SiteBox, key: [UInt8], at time: UInt64) -> MessageFromSite? {
        guard
            let issued = try? issuing.certificate(
                number: box.number, key: key, groups: box.groups, at: time, hours: certificateHours),
            let certificate = try? ClaimedSiteBoxCertificate(parsing: issued.bytes)
        else { return nil }
        return .certificate(certificate)
    }
}
