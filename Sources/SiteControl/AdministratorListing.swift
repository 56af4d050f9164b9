import ControlProtocol

/// Somebody who administers the site.
public struct AdministratorListing: Equatable, Sendable {
    /// The row's number, which no other administrator ever has; 0: root of a server's machine.
    public var number: UInt64 = 0
    public var name = ""
    /// viewer, ward, helpdesk, administrator, root-keeper.
    public var role = ""
    /// Of a ward's administrator; nobody else has groups.
    public var groups: [UInt16] = []
    /// On the servers' machines; nil: on the page alone.
    public var account: String?

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var bytes = GroupField.bytes(groups)
        try coder.number("number", &number)
        try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
        try coder.text("role", &role, limit: 16)
        try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
        try coder.text("account", &account, limit: SiteControlLimits.nameBytes)
        groups = try GroupField.numbers(bytes)
    }
}
