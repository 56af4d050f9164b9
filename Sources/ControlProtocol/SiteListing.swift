/// The data that `boxagent site` shows.
public struct SiteListing: Equatable, Sendable {
    /// The site's id, 16 bytes.
    public var site: [UInt8] = []
    /// The box's number in the site: six digits.
    public var boxNumber = ""
    /// Group numbers, separated by commas.
    public var groups = ""
    /// Server addresses, separated by commas.
    public var servers = ""
    /// The server of the current link, and its duration. Nil if there is no link.
    public var linkedServer: String?
    public var linkedSeconds: UInt64?
    /// The root's number and a count, such as `1.3`.
    public var documentVersion = ""
    public var generation = ""
    /// The number of revocations.
    public var entries: UInt64 = 0
    /// The number of the newest signed status. Nil if none came in this generation.
    public var headNumber: UInt64?
    public var headAgeSeconds: UInt64?
    /// The time since the last fresh signed status. Nil if none came since the agent's start.
    public var freshSeconds: UInt64?
    /// The hours for which the box would admit phones of the site without another fresh signed status.
    public var hoursLeft: UInt64 = 0
    public var hoursLimit: UInt64 = 0
    /// The second, since 1970, from which the box's certificate is no longer valid.
    public var certificateExpiry: UInt64 = 0
    /// Why there is no link, and for how long. Nil while the link works.
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
