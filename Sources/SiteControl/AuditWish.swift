import ControlProtocol

/// Which entries of a site's audit table are wanted. Choices hold together.
public struct AuditWish: Equatable, Sendable {
    /// Behind this number.
    public var after: UInt64 = 0
    /// Before this number; nil: to the end.
    public var before: UInt64?
    /// The newest of them, from the newest on; otherwise the oldest.
    public var isNewestFirst = false
    /// At most so many, 1 to `SiteControlLimits.auditPage`.
    public var limit: UInt64 = SiteControlLimits.auditPage
    /// Seconds since 1970: from, and before.
    public var since: UInt64?
    public var until: UInt64?
    /// Who did it, and whom it is about: a name or an id, whole.
    public var who: String?
    public var whom: String?
    public var event: String?

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.number("after", &after)
        try coder.number("before", &before)
        try coder.flag("newest", &isNewestFirst)
        try coder.number("limit", &limit, limit: SiteControlLimits.auditPage)
        try coder.number("since", &since)
        try coder.number("until", &until)
        try coder.text("who", &who, limit: SiteControlLimits.auditNameBytes)
        try coder.text("whom", &whom, limit: SiteControlLimits.auditNameBytes)
        try coder.text("event", &event, limit: SiteControlLimits.nameBytes)
    }
}

/// An entry of a site's audit table.
public struct AuditEntryListing: Equatable, Sendable {
    public var number: UInt64 = 0
    /// Since 1970.
    public var unixSeconds: UInt64 = 0
    public var event = ""
    /// What the chain covers: `administrator 3, page`; `phone` and an id, or empty; words and a reason.
    public var actor = ""
    public var subject = ""
    public var detail = ""
    /// What it does not cover. Nil: there is none, or it was forgotten.
    public var actorName: String?
    public var subjectName: String?
    /// SHA-256, 32 bytes.
    public var hash: [UInt8] = []

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.number("number", &number)
        try coder.number("seconds", &unixSeconds)
        try coder.text("event", &event, limit: SiteControlLimits.nameBytes)
        try coder.text("actor", &actor, limit: SiteControlLimits.nameBytes)
        try coder.text("subject", &subject, limit: SiteControlLimits.nameBytes)
        try coder.text("detail", &detail, limit: SiteControlLimits.auditNameBytes)
        try coder.text("actor-name", &actorName, limit: SiteControlLimits.auditNameBytes)
        try coder.text("subject-name", &subjectName, limit: SiteControlLimits.auditNameBytes)
        try coder.bytes("hash", &hash, limit: 32)
    }
}
