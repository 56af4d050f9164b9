import ControlProtocol

/// The wanted properties of an administrator.
public struct AdministratorWish: Equatable, Sendable {
    public var name = ""
    /// viewer, ward, helpdesk, administrator, root-keeper. Nil leaves the role as it is.
    public var role: String?
    /// The groups of a ward: ascending, each once. Nil leaves a ward's groups as they are.
    public var groups: [UInt16]?
    /// Nil leaves the account as it is. An empty text removes it.
    public var account: String?

    public init(name: String = "", role: String? = nil, groups: [UInt16]? = nil, account: String? = nil) {
        self.name = name
        self.role = role
        self.groups = groups
        self.account = account
    }

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var bytes = groups.map(GroupField.bytes)
        try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
        try coder.text("role", &role, limit: 16)
        try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
        try coder.text("account", &account, limit: SiteControlLimits.nameBytes)
        groups = if let bytes { try GroupField.numbers(bytes) } else { nil }
    }
}
