import SiteLink
import SiteTrust

/// An administrator's settings for a server: its keys, the lifetime of certificates, and the addresses of the servers.
public struct SiteTerms: Sendable {
    let keys: IssuerKeys
    /// The lifetime of a box's certificate, 1 to 504 hours.
    let certificateHours: Int
    /// Where this and the other servers listen. If empty, boxes keep the addresses that they have.
    let servers: [SiteAddress]
    /// Nil if the server holds no credentials of phones.
    public let holding: SiteHolding?
    /// The server's version, or nil if the versions of boxes are not compared with it.
    let version: ProgramVersion?
    /// Days without a link to any server after which a box raises an alarm.
    let silentDays: Int
    /// The policy for users who enrol phones at boxes without an administrator.
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
