import ControlProtocol

/// How a server is.
package struct SiteStatus: Equatable, Sendable {
    /// 16 bytes.
    package var site: [UInt8] = []
    /// Version and generation of the site document, each as one number of 8 bytes.
    package var document: UInt64 = 0
    package var generation: UInt64 = 0
    /// The highest number of an entry, and how many entries there are.
    package var number: UInt64 = 0
    package var entries: UInt64 = 0
    /// Links of boxes at this server.
    package var links: UInt64 = 0
    /// Seconds since 1970 of the newest head; nil: none was signed.
    package var headTime: UInt64?
    /// Seconds since 1970 until which every key of this server may sign.
    package var issuersUntil: UInt64 = 0
    /// Why nothing is signed; nil: it is.
    package var doubt: String?
    /// Users and phones that are active; nil: the database does not say.
    package var users: UInt64?
    package var phones: UInt64?

    package init() {}

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
        try coder.number("users", &users)
        try coder.number("phones", &phones)
    }
}

/// A box, as the site keeps it and as this server sees it.
package struct BoxListing: Equatable, Sendable {
    package var name = ""
    /// Six digits.
    package var number = ""
    package var groups: [UInt16] = []
    /// invited, joined, suspended, removed.
    package var state = ""
    /// Public key, 32 bytes; nil before it has joined.
    package var key: [UInt8]?
    /// Where it is linked from; nil: it is not linked to this server.
    package var address: String?
    package var program: String?
    /// For how many seconds.
    package var linkedSeconds: UInt64?
    /// The number of the head that the box says it has durably.
    package var took: UInt64?

    package init() {}

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
        groups = try GroupField.numbers(bytes)
    }
}
