import SiteLink
import SiteTrust

/// What an administrator has given a server to serve by: its keys, how long it certifies a box, and where boxes find the servers.
public struct SiteTerms: Sendable {
    let keys: IssuerKeys
    /// Life of a box's certificate, 1 to 504 hours.
    let certificateHours: Int
    /// Where this and the other servers listen; none: boxes keep what they have.
    let servers: [SiteAddress]
    /// Nil: the server holds no credentials of phones.
    public let holding: SiteHolding?

    public init(
        _ keys: IssuerKeys, certificateHours: Int, servers: [SiteAddress] = [], holding: SiteHolding? = nil
    ) {
        self.keys = keys
        self.holding = holding
        self.certificateHours = certificateHours
        self.servers = servers
    }
}
