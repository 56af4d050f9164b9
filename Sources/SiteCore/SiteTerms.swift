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
    /// Of the server; nil: boxes are not compared with it.
    let version: ProgramVersion?
    /// A box that has been linked to no server for so many days is an alarm.
    let silentDays: Int
    /// Who may enrol phones at boxes without an administrator.
    public let selfEnrolment: SelfEnrolmentPolicy

    public init(
        _ keys: IssuerKeys, certificateHours: Int, servers: [SiteAddress] = [], holding: SiteHolding? = nil,
        version: ProgramVersion? = nil, silentDays: Int = 7, selfEnrolment: SelfEnrolmentPolicy = SelfEnrolmentPolicy()
    ) {
        self.keys = keys
        self.holding = holding
        self.selfEnrolment = selfEnrolment
        self.certificateHours = certificateHours
        self.servers = servers
        self.version = version
        self.silentDays = silentDays
    }
}
