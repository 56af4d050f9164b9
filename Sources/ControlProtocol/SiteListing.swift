/// What `boxagent site` shows.
public struct SiteListing: Equatable, Sendable {
    /// The site's id, 16 bytes.
    public var site: [UInt8] = []
    /// Six digits: the box's number in the site.
    public var boxNumber = ""
    /// Numbers, with commas between them.
    public var groups = ""
    /// Addresses, with commas between them.
    public var servers = ""
    /// The server that the box is linked with, and for how long; nil: it is not linked.
    public var linkedServer: String?
    public var linkedSeconds: UInt64?
    /// The root's number and a count, as `1.3`.
    public var documentVersion = ""
    public var generation = ""
    /// What the site has taken back.
    public var entries: UInt64 = 0
    /// Of the newest head; nil: none came in this generation.
    public var headNumber: UInt64?
    public var headAgeSeconds: UInt64?
    /// Since the last fresh head; nil: none came since the agent was started.
    public var freshSeconds: UInt64?
    /// Hours that phones of the site would be let in without another fresh head.
    public var hoursLeft: UInt64 = 0
    public var hoursLimit: UInt64 = 0
    /// The first second, since 1970, in which the box's certificate is no good any more.
    public var certificateExpiry: UInt64 = 0
    /// Why there is no link, and for how long; nil: nothing is wrong.
    public var problem: String?
    public var problemSeconds: UInt64?

    public init() {}
}

extension SiteListing: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.bytes("site", &site, limit: ControlLimits.labelBytes)
        try coder.text("box-number", &boxNumber, limit: ControlLimits.labelBytes)
        try coder.text("groups", &groups, limit: ControlLimits.labelBytes)
        try coder.text("servers", &servers, limit: ControlLimits.textBytes)
        try coder.text("linked-server", &linkedServer, limit: ControlLimits.textBytes)
        try coder.number("linked-seconds", &linkedSeconds)
        try coder.text("document-version", &documentVersion, limit: ControlLimits.labelBytes)
        try coder.text("generation", &generation, limit: ControlLimits.labelBytes)
        try coder.number("entries", &entries)
        try coder.number("head-number", &headNumber)
        try coder.number("head-age-seconds", &headAgeSeconds)
        try coder.number("fresh-seconds", &freshSeconds)
        try coder.number("hours-left", &hoursLeft)
        try coder.number("hours-limit", &hoursLimit)
        try coder.number("certificate-expiry", &certificateExpiry)
        try coder.text("problem", &problem, limit: ControlLimits.textBytes)
        try coder.number("problem-seconds", &problemSeconds)
    }
}
