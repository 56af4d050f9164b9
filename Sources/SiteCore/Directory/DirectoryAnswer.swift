import SiteTrust

/// The directory's answer about a name.
public enum DirectoryAnswer: Sendable, Equatable {
    /// The user exists and may log in. `groups` has the queried groups that contain the user, or is nil if that is
    /// unknown. `name` is the account's own spelling, if the query used another spelling.
    case there(groups: [String]?, name: String? = nil)
    /// The directory answered that it has no user of that name.
    case gone
    /// The user exists and may not log in: expired, locked or not allowed.
    case notAllowed(String)
    /// The lookup failed, because of an error or a timeout.
    case unclear(String)
}

/// A user of the site to look up.
public struct DirectoryMember: Sendable, Equatable {
    public let row: Int64
    public let name: String
    /// True if the directory has had the user before.
    public let wasSeen: Bool
    /// The groups of the user's active phones, without duplicates.
    public let groups: [SiteGroups]

    public init(row: Int64, name: String, wasSeen: Bool, groups: [SiteGroups]) {
        self.row = row
        self.name = name
        self.wasSeen = wasSeen
        self.groups = groups
    }
}

/// Names that are looked up together, between two lookups of the probe.
public struct DirectoryErrand: Sendable, Equatable {
    /// The users of one page of a round. Empty for a question about single names.
    public let members: [DirectoryMember]
    /// The names in order. The probe comes first and last.
    public let names: [String]
}

/// The reason why a user is revoked.
public enum DirectoryReason: Sendable, Equatable {
    case left
    case notAllowed(String)
    case noGroup

    public var text: String {
        switch self {
        case .left: "the directory no longer has this user"
        case .notAllowed(let why): "the directory does not allow this user: \(why)"
        case .noGroup: "the user is not in a mapped group"
        }
    }
}

/// A user who was absent in two consecutive rounds.
public struct DirectoryLeaver: Sendable, Equatable {
    public let row: Int64
    public let name: String
    public let reason: DirectoryReason
    /// True if an administrator has agreed, so that the limit does not apply.
    public let isAccepted: Bool
}
