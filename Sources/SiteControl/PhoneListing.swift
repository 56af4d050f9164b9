import ControlProtocol

/// A phone as stored by the site.
public struct PhoneListing: Equatable, Sendable {
    public var user = ""
    /// 16 bytes that stand for the user in entries.
    public var userID: [UInt8] = []
    /// 26 letters and digits, the same as at boxes.
    public var id = ""
    /// The public key, 32 bytes.
    public var key: [UInt8] = []
    public var label = ""
    public var groups: [UInt16] = []
    /// active, revoked.
    public var state = ""
    /// Seconds since 1970.
    public var added: UInt64 = 0
    /// When its newest grant expires.
    public var expiry: UInt64 = 0
    /// When a box last got a renewed grant for the phone, or nil if none did.
    public var renewed: UInt64?

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var bytes = GroupField.bytes(groups)
        try coder.text("user", &user, limit: SiteControlLimits.userBytes)
        try coder.bytes("user-id", &userID, limit: 16)
        try coder.text("id", &id, limit: SiteControlLimits.phoneBytes)
        try coder.bytes("key", &key, limit: 32)
        try coder.text("label", &label, limit: ControlLimits.labelBytes)
        try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
        try coder.text("state", &state, limit: 16)
        try coder.number("added", &added)
        try coder.number("expiry", &expiry)
        try coder.number("renewed", &renewed)
        groups = try GroupField.numbers(bytes)
    }
}
