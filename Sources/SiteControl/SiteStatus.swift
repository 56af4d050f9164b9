import ControlProtocol

/// The state of a server.
public struct SiteStatus: Equatable, Sendable {
    /// 16 bytes.
    public var site: [UInt8] = []
    /// The version and generation of the site document, each as one number of 8 bytes.
    public var document: UInt64 = 0
    public var generation: UInt64 = 0
    /// The highest number of an entry, and how many entries there are.
    public var number: UInt64 = 0
    public var entries: UInt64 = 0
    /// Links of boxes at this server.
    public var links: UInt64 = 0
    /// The time of the newest signed status, in seconds since 1970, or nil if none was signed.
    public var headTime: UInt64?
    /// The time until which the document lists an issuer for every role, in seconds since 1970.
    public var issuersUntil: UInt64 = 0
    /// The reason why something is not signed, or nil if everything is.
    public var doubt: String?
    /// not-needed, named, missing, loss-accepted: where changes are stored before they are acknowledged.
    public var standby = ""
    /// The age of the last change that this server stored, in seconds. Nil if it stored none since its start.
    public var storedSeconds: UInt64?
    /// Active users and phones, or nil if the database does not answer.
    public var users: UInt64?
    public var phones: UInt64?
    /// A summary of the last round in the directory, or nil if the site has none.
    public var directory: String?

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.bytes("site", &site, limit: 16)
        try coder.number("document", &document)
        try coder.number("generation", &generation)
        try coder.number("number", &number)
        try coder.number("entries", &entries)
        try coder.number("links", &links)
        try coder.number("head-time", &headTime)
        try coder.number("issuers-until", &issuersUntil)
        try coder.text("doubt", &doubt, limit: ControlLimits.textBytes)
        try coder.text("standby", &standby, limit: 16)
        try coder.number("users", &users)
        try coder.number("phones", &phones)
        try coder.number("stored-seconds", &storedSeconds)
        try coder.text("directory", &directory, limit: ControlLimits.textBytes)
    }
}

/// A box as stored by the site, and as this server sees it.
public struct BoxListing: Equatable, Sendable {
    public var name = ""
    /// Six digits.
    public var number = ""
    public var groups: [UInt16] = []
    /// invited, joined, suspended, removed.
    public var state = ""
    /// The public key, 32 bytes, or nil before the box has joined.
    public var key: [UInt8]?
    /// The address from which the box is linked, or nil if it is not linked to this server.
    public var address: String?
    /// The program and version that the box claims, or claimed when it was last seen.
    public var program: String?
    /// The age of the link, in seconds.
    public var linkedSeconds: UInt64?
    /// The number of the signed status that the box says it has stored durably.
    public var took: UInt64?
    /// When the box was last linked to a server, in seconds since 1970, to the hour. Nil if never.
    public var seen: UInt64?

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var bytes = GroupField.bytes(groups)
        try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
        try coder.text("number", &number, limit: 6)
        try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
        try coder.text("state", &state, limit: 16)
        try coder.bytes("key", &key, limit: 32)
        try coder.text("address", &address, limit: 64)
        try coder.text("program", &program, limit: 32)
        try coder.number("linked-seconds", &linkedSeconds)
        try coder.number("took", &took)
        try coder.number("seen", &seen)
        groups = try GroupField.numbers(bytes)
    }
}
