import ControlProtocol

/// A phone, as the site keeps it.
package struct PhoneListing: Equatable, Sendable {
    package var user = ""
    /// 16 bytes that stand for the user in entries.
    package var userID: [UInt8] = []
    /// 26 letters and digits, as boxes have it too.
    package var id = ""
    /// Public key, 32 bytes.
    package var key: [UInt8] = []
    package var label = ""
    package var groups: [UInt16] = []
    /// active, revoked.
    package var state = ""
    /// Seconds since 1970.
    package var added: UInt64 = 0
    /// Until when its newest grant is good.
    package var expiry: UInt64 = 0
    /// When a box got a grant for it; nil: never.
    package var renewed: UInt64?

    package init() {}

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
