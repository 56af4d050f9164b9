import ControlProtocol

/// A person who administers the site.
public struct AdministratorListing: Equatable, Sendable {
    /// The row number, which no other administrator ever has, or 0 for root of a server's machine.
    public var number: UInt64 = 0
    public var name = ""
    /// viewer, ward, helpdesk, administrator, root-keeper.
    public var role = ""
    /// Only a ward administrator has groups.
    public var groups: [UInt16] = []
    /// The account on the servers' machines. Nil if the administrator only uses the page.
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
