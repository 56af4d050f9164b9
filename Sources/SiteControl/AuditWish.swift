import ControlProtocol

/// The entries of a site's audit table that are wanted. An entry must meet all choices.
public struct AuditWish: Equatable, Sendable {
    /// Entries after this number.
    public var after: UInt64 = 0
    /// Entries before this number, or nil for no bound.
    public var before: UInt64?
    /// True asks for the newest matching entries, in descending order. False asks for the oldest.
    public var isNewestFirst = false
    /// The most entries, 1 to `SiteControlLimits.auditPage`.
    public var limit: UInt64 = SiteControlLimits.auditPage
    /// Seconds since 1970: the first second of the range, and the first second after it.
    public var since: UInt64?
    public var until: UInt64?
    /// The actor and the subject, each as a whole name or ID.
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

public struct AuditEntryListing: Equatable, Sendable {
    public var number: UInt64 = 0
    /// Seconds since 1970.
    public var unixSeconds: UInt64 = 0
    public var event = ""
    /// The chain covers these three fields. Examples: `administrator 3, page`; `phone` and an ID; words and a reason. A
    /// subject may be empty.
    public var actor = ""
    public var subject = ""
    public var detail = ""
    /// The chain does not cover these two names. Nil if there is none, or if the name was deleted.
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
